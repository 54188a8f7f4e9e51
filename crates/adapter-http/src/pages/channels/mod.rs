//! `/accounts`, `/pages` and `/numbers`, in the browser `/dashboard/settings/channels`: what is connected.

pub(super) mod accounts;
pub(super) mod connecting;
pub(super) mod numbers;
pub(super) mod pages;
pub(super) mod sign_up;

use std::collections::HashMap;

use actix_web::HttpResponse;
use dashboard_pages::{
    AccountRow, ChannelsPage, ConnectionRow, ErrorRow, HealthRow, Section, StandingRow, UnreadRow,
};
use domain::{
    audit::Acting,
    channels::{
        AccountKind, AccountReport, AccountStanding, ChannelError, ListedAccount, ListedConnection,
        NumberReport, UnreadField,
    },
    errors::StoreError,
    ids::{AccountId, ChannelId},
};
use serde::Serialize;
use tracing::warn;

use super::{
    act::{self, Answer, Call},
    answer::{page, see_other},
    not_taken::NotTaken,
};
use crate::{app::App, problem::Problem};

const PATH: &str = "/dashboard/settings/channels";

/// The business accounts.
#[derive(Serialize)]
struct AccountsBody {
    rows: Vec<AccountRow>,
    /// What the networks sent within two weeks that this version does not read: it is in no conversation.
    /// Mostly empty.
    unread: Vec<UnreadRow>,
}

/// Redirects to the channels, the first of an owner's pages.
pub(super) async fn begin() -> HttpResponse {
    see_other(PATH)
}

/// The business accounts with their numbers; on the page, also the connected pages.
pub(super) async fn list(call: Call) -> Answer {
    render(&call, None::<Problem>, "").await
}

/// Loads the accounts of a kind with their reports.
async fn of_kind(call: &Call, kind: AccountKind) -> Result<Vec<AccountRow>, Problem> {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move {
        let manage = &app.dashboard.channels.manage;
        Ok::<_, StoreError>((manage.list(workspace, kind).await?, manage.reports(workspace).await?))
    });
    let (accounts, reports) = listed.await?;
    Ok(accounts.into_iter().map(|account| row(account, &reports)).collect())
}

async fn render(call: &Call, not_taken: Option<impl Into<NotTaken>>, network_id: &str) -> Answer {
    let workspace = call.workspace();
    let mut accounts = of_kind(call, AccountKind::Business).await?;
    let unread = call.run(move |app| async move { app.dashboard.channels.manage.unread(workspace).await });
    let unread = unread.await?.into_iter().map(unread_row).collect();
    if call.is_of_api() {
        return act::ok(&AccountsBody { rows: accounts, unread });
    }
    accounts.extend(of_kind(call, AccountKind::Page).await?);
    let has_sign_up = call.app.dashboard.channels.sign_up.is_offered();
    let frame = call.frame(Section::Channels).await?;
    let (status, refused) = call.refused(not_taken, &frame)?;
    page(status, &ChannelsPage { frame: &frame, accounts, unread, network_id, has_sign_up, refused })
}

/// Answers what was done, by leading to the channels after a form, or shows them with why it was refused.
async fn answer<E>(call: &Call, done: Result<HttpResponse, E>, network_id: &str) -> Answer
where
    E: Into<NotTaken> + Into<Problem>,
{
    call.answer(done, PATH, |wrong| render(call, Some(wrong), network_id)).await
}

/// Reads an account whose numbers are new or can send now. What fails is read again by itself.
async fn read_new(app: &App, acting: Acting, account: AccountId) {
    if let Err(error) = app.dashboard.channels.sync.run_by(acting, account).await {
        warn!(%account, %error, "an account could not be read yet");
    }
}

fn unread_row(UnreadField { field, since, updates }: UnreadField) -> UnreadRow {
    UnreadRow { field, updates, since: since.to_string() }
}

/// Builds an account's row, with its report if it is among `reports`.
fn row(account: ListedAccount, reports: &[AccountReport]) -> AccountRow {
    let report = reports.iter().find(|report| report.account == account.id).cloned();
    let (problem, numbers, page) =
        report.map(|report| (report.problem, report.numbers, report.page)).unwrap_or_default();
    let (name, page_read_at, fares) =
        page.map(|page| (page.name, page.read_at, page.connections)).unwrap_or_default();
    let mut errors: HashMap<ChannelId, ErrorRow> =
        fares.into_iter().filter_map(|one| Some((one.channel, error(one.last_error?)))).collect();
    let connection = |one: ListedConnection| ConnectionRow {
        last_error: errors.remove(&one.id),
        id: one.id,
        kind: one.kind,
        network_id: one.network_id,
        phone: one.phone.map(|phone| phone.as_str().to_owned()),
        send_only: one.send_only,
        connected_at: one.connected_at.into(),
    };
    AccountRow {
        id: account.id,
        kind: account.kind,
        network_id: account.network_id,
        name,
        standing: account.standing.map(standing),
        problem: problem.map(error),
        health: numbers.into_iter().map(health).collect(),
        connected_at: account.connected_at.into(),
        read_at: account.templates_synced_at.or(page_read_at).map(Into::into),
        connections: account.connections.into_iter().map(connection).collect(),
    }
}

fn standing(told: AccountStanding) -> StandingRow {
    let AccountStanding { state, since, until, bars_templates, bars_replies, detail } = told;
    let (since, until) = (since.into(), until.map(Into::into));
    StandingRow { state, bars_templates, bars_replies, detail, since, until }
}

fn error(ChannelError { code, message, at }: ChannelError) -> ErrorRow {
    ErrorRow { code, message, at: at.into() }
}

fn health(report: NumberReport) -> HealthRow {
    let NumberReport { channel, phone, network_id, health, last_error, read_at } = report;
    HealthRow {
        id: channel,
        network_id,
        phone: phone.as_str().to_owned(),
        state: health.state,
        quality: health.quality,
        name: health.name,
        name_state: health.name_state,
        messaging_limit: health.messaging_limit,
        last_error: last_error.map(error),
        read_at: read_at.into(),
    }
}
