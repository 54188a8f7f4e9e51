//! `/pages`: connected pages and their Instagram accounts.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    channels::{AccountKind, AccountReport, ChannelKind, ConnectError, ConnectionReport, ListedAccount},
    errors::StoreError,
    ids::{AccountId, ChannelId},
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::accounts::ErrorBody;
use crate::{app::App, body, problem::Problem, session::SignedIn};

/// A connected page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageBody {
    id: AccountId,
    /// Its id at the network; what is written to it comes over Messenger.
    network_id: String,
    /// The id of the Instagram account that is linked to it.
    instagram_network_id: Option<String>,
    /// Its name, as it was last read.
    name: Option<String>,
    /// `connected`, `token_expired` where a new token is needed, or `refused` where the network refuses to
    /// tell of it.
    state: &'static str,
    /// Why the network refused the last reading of the page; null when that went well.
    problem: Option<ErrorBody>,
    /// How what is connected through it fares.
    health: Vec<ConnectionHealthBody>,
    /// When it was last read without a refusal.
    #[serde(with = "domain::clock::timestamp::option")]
    read_at: Option<OffsetDateTime>,
    #[serde(with = "domain::clock::timestamp")]
    connected_at: OffsetDateTime,
}

/// How a page or its Instagram account fares.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConnectionHealthBody {
    id: ChannelId,
    /// `messenger` or `instagram`.
    channel: &'static str,
    network_id: String,
    /// The last refusal within a month that was its own or its account's, and no message's.
    last_error: Option<ErrorBody>,
}

/// The pages.
#[derive(Serialize)]
pub(crate) struct PagesBody {
    rows: Vec<PageBody>,
}

/// A page to connect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPageBody {
    /// What opens it; the page is the one that it opens. It is sealed and never shown.
    token: String,
}

/// A page that was just connected.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConnectedBody {
    network_id: String,
    name: Option<String>,
    /// The id of the Instagram account that is linked to it, and connected with it.
    instagram_network_id: Option<String>,
}

impl PageBody {
    /// Builds a page's body, with its report if it is among `reports`.
    fn new(account: ListedAccount, reports: &[AccountReport]) -> Self {
        let report = reports.iter().find(|report| report.account == account.id).cloned();
        let (problem, page) = report.map(|report| (report.problem, report.page)).unwrap_or_default();
        let state = match &problem {
            None => "connected",
            Some(problem) if problem.is_of_token() => "token_expired",
            Some(_) => "refused",
        };
        let (name, read_at, health) =
            page.map(|page| (page.name, page.read_at, page.connections)).unwrap_or_default();
        let ListedAccount { id, network_id, connected_at, connections, .. } = account;
        let instagram = connections.into_iter().find(|connection| connection.kind == ChannelKind::Instagram);
        let instagram_network_id = instagram.map(|connection| connection.network_id);
        Self {
            id,
            network_id,
            instagram_network_id,
            name,
            state,
            problem: problem.map(ErrorBody::from),
            health: health.into_iter().map(ConnectionHealthBody::from).collect(),
            read_at,
            connected_at,
        }
    }
}

impl From<ConnectionReport> for ConnectionHealthBody {
    fn from(ConnectionReport { channel, network_id, kind, last_error }: ConnectionReport) -> Self {
        let last_error = last_error.map(ErrorBody::from);
        Self { id: channel, channel: kind.as_str(), network_id, last_error }
    }
}

/// The pages with their Instagram accounts.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<PagesBody>, Problem> {
    let listed = app.run(move |app| async move {
        let (manage, workspace) = (&app.dashboard.channels.manage, by.session.workspace);
        let pages = manage.list(workspace, AccountKind::Page).await?;
        Ok::<_, StoreError>((pages, manage.reports(workspace).await?))
    });
    let (pages, reports) = listed.await??;
    Ok(Json(PagesBody { rows: pages.into_iter().map(|page| PageBody::new(page, &reports)).collect() }))
}

/// Connects a page, and the Instagram account that is linked to it. For one that is connected: replaces its
/// token, and takes up or lets go of the Instagram account.
pub(crate) async fn connect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewPageBody { token } = body::json(&request, payload).await?.fields;
    let connected = app.run(move |app| async move {
        let page = app.dashboard.channels.connect_page.run(by.acting(), SecretString::from(token)).await?;
        Ok::<_, ConnectError>(ConnectedBody {
            network_id: page.network_id,
            name: page.name,
            instagram_network_id: page.instagram_network_id,
        })
    });
    Ok(HttpResponse::Created().json(connected.await??))
}
