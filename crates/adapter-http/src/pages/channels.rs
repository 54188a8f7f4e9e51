//! `/dashboard/settings/channels`: accounts, numbers and pages.

use std::collections::HashMap;

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{AccountRow, ChannelsPage, ConnectionRow, ErrorRow, HealthRow, Section};
use domain::{
    channels::{
        AccountKind, AccountReport, ChannelError, ConnectError, ListedAccount, ListedConnection, NumberReport,
    },
    errors::StoreError,
    ids::{AccountId, ChannelId},
    text::latin_digits,
};
use secrecy::SecretString;
use tracing::warn;

use super::{
    answer::{page, see_other},
    form::Form,
    frame,
    not_taken::NotTaken,
    refusal,
};
use crate::{
    app::App,
    dashboard::registration,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

pub(super) const PATH: &str = "/dashboard/settings/channels";

/// Redirects to the channels, the first of an owner's pages.
pub(super) async fn begin() -> HttpResponse {
    see_other(PATH)
}

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None, "").await
}

pub(super) async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_taken: Option<NotTaken>,
    network_id: &str,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Channels).await?;
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move {
        let manage = &app.dashboard.channels.manage;
        let mut accounts = manage.list(workspace, AccountKind::Business).await?;
        accounts.extend(manage.list(workspace, AccountKind::Page).await?);
        Ok::<_, StoreError>((accounts, manage.reports(workspace).await?, manage.unread(workspace).await?))
    });
    let (accounts, mut reports, unread) = listed.await??;
    let unread = unread.into_iter().map(|one| (one.field, one.updates, one.since.to_string())).collect();
    let report = |account: &ListedAccount| {
        let place = reports.iter().position(|report| report.account == account.id);
        place.map(|place| reports.swap_remove(place))
    };
    let reports: Vec<_> = accounts.iter().map(report).collect();
    let accounts = accounts.into_iter().zip(reports).map(|(account, report)| row(account, report)).collect();
    let has_sign_up = app.dashboard.channels.sign_up.is_offered();
    let refused = not_taken.map(|not_taken| not_taken.refused(request, frame.words())).transpose()?;
    let status = refusal::status(refused.as_ref());
    page(status, &ChannelsPage { frame: &frame, accounts, unread, network_id, has_sign_up, refused })
}

fn row(account: ListedAccount, report: Option<AccountReport>) -> AccountRow {
    let (problem, numbers, page) =
        report.map(|report| (report.problem, report.numbers, report.page)).unwrap_or_default();
    let (page_name, page_read_at, fares) =
        page.map(|page| (page.name, page.read_at, page.connections)).unwrap_or_default();
    let mut errors: HashMap<ChannelId, ErrorRow> =
        fares.into_iter().filter_map(|one| Some((one.channel, error(one.last_error?)))).collect();
    let mut connection = |one: ListedConnection| ConnectionRow {
        last_error: errors.remove(&one.id),
        id: one.id.to_string(),
        kind: one.kind,
        name: one.phone.map_or(one.network_id, |phone| phone.as_str().to_owned()),
        is_send_only: one.send_only,
    };
    AccountRow {
        id: account.id.to_string(),
        kind: account.kind,
        network_id: account.network_id,
        name: page_name,
        standing: account.standing.map(|standing| (standing.state, standing.detail)),
        problem: problem.map(error),
        health: numbers.into_iter().map(health).collect(),
        read_at: account.templates_synced_at.or(page_read_at).map(Into::into),
        connections: account.connections.into_iter().map(&mut connection).collect(),
    }
}

fn error(ChannelError { code, message, at }: ChannelError) -> ErrorRow {
    ErrorRow { code, message, at: at.into() }
}

fn health(report: NumberReport) -> HealthRow {
    let NumberReport { phone, network_id, health, last_error, .. } = report;
    HealthRow {
        network_id,
        phone: phone.as_str().to_owned(),
        state: health.state,
        quality: health.quality,
        name: health.name,
        limit: health.messaging_limit,
        last_error: last_error.map(error),
    }
}

/// Redirects to the channels, or shows them with why something was refused.
async fn redirect_or_show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Result<(), NotTaken>,
    network_id: &str,
) -> Result<HttpResponse, Problem> {
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(not_taken) => render(app, by, request, Some(not_taken), network_id).await,
    }
}

pub(super) async fn connect_account(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (network_id, token) = (form.text("network-id")?, SecretString::from(form.text("token")?));
    let (acting, account) = (by.acting(), latin_digits(&network_id));
    let connected = app.run(move |app| async move {
        let channels = &app.dashboard.channels;
        let account = channels.connect_account.run(acting, account, token).await?;
        if let Err(error) = channels.sync.run_by(acting, account).await {
            warn!(%account, %error, "a new account could not be read yet");
        }
        Ok::<_, ConnectError>(())
    });
    let done = connected.await?.map_err(|error| NotTaken::of_account(error, frame::bare(&request).words()));
    redirect_or_show(&app, &by, &request, done, &network_id).await
}

pub(super) async fn connect_page(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let token = SecretString::from(Form::of(&request, payload).await?.text("token")?);
    let acting = by.acting();
    let connected =
        app.run(move |app| async move { app.dashboard.channels.connect_page.run(acting, token).await });
    let done = connected.await?.map(drop);
    let done = done.map_err(|error| NotTaken::of_account(error, frame::bare(&request).words()));
    redirect_or_show(&app, &by, &request, done, "").await
}

/// Synchronises a business account, or disconnects it.
pub(super) async fn change_account(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    change(app, by, request, payload, AccountKind::Business).await
}

pub(super) async fn change_page(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    change(app, by, request, payload, AccountKind::Page).await
}

async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
    kind: AccountKind,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("account");
    let account: AccountId = id(&request).ok_or_else(unknown)?;
    let (what, acting) = (Form::of(&request, payload).await?.text("do")?, by.acting());
    let changed = app.run(move |app| async move {
        let channels = &app.dashboard.channels;
        match (what.as_str(), channels.manage.get(acting.workspace, kind, account).await?) {
            ("disconnect", Some(_)) => {
                channels.manage.disconnect(acting, kind, account).await.map_err(Problem::from)
            }
            ("read", Some(_)) if kind == AccountKind::Business => {
                Ok(channels.sync.run_by(acting, account).await?.is_some())
            }
            _ => Ok(false),
        }
    });
    let done = match changed.await? {
        Ok(true) => Ok(()),
        Ok(false) => return Err(unknown()),
        Err(problem) => Err(problem.into()),
    };
    redirect_or_show(&app, &by, &request, done, "").await
}

pub(super) async fn register(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let pin = latin_digits(&Form::of(&request, payload).await?.text("pin")?);
    let wrong = frame::bare(&request).words().wrong.pin;
    let done = registration::register_and_sync(&app, by.acting(), &request, pin).await.map_err(|problem| {
        // Without a code, a 400 can only mean the PIN.
        let is_pin = problem.code().is_none() && problem.status_code() == StatusCode::BAD_REQUEST;
        NotTaken { detail: is_pin.then(|| wrong.to_owned()), ..problem.into() }
    });
    redirect_or_show(&app, &by, &request, done, "").await
}

pub(super) async fn change_number(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let number: ChannelId = id(&request).ok_or_else(|| not_found("number"))?;
    let send_only = Form::of(&request, payload).await?.text("send-only")? == "yes";
    let acting = by.acting();
    let set = app.run(move |app| async move {
        app.dashboard.channels.set_send_only.run_for(acting, number, send_only).await
    });
    let done = set.await?.map(drop).map_err(|error| NotTaken::from(Problem::from(error)));
    redirect_or_show(&app, &by, &request, done, "").await
}
