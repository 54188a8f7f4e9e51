//! `/accounts`, `/numbers`, and the problems of connecting.

use std::time::Duration;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    channels::{
        AccountKind, AccountReport, AccountStanding, ChannelError, ConnectError, ListedAccount,
        ListedConnection, NumberHealth, NumberReport, SetSendOnlyError, UnreadField, ports::NetworkError,
    },
    errors::StoreError,
    ids::{AccountId, ChannelId},
    phone::PhoneNumber,
    templates::SyncReport,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use time::OffsetDateTime;
use tracing::warn;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem, RefusalCode},
    session::SignedIn,
};

/// Pause suggested to clients before they retry when the network did not answer.
const NETWORK_RETRY_AFTER: Duration = Duration::from_secs(5);

/// A number of a business account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NumberBody {
    id: ChannelId,
    network_id: String,
    phone: Option<PhoneNumber>,
    /// Nothing about its sends is kept, and what is written to it opens no conversation.
    send_only: bool,
    #[serde(with = "domain::clock::timestamp")]
    connected_at: OffsetDateTime,
}

/// What the network does not let an account do.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StandingBody {
    state: &'static str,
    /// Whether templates are refused: `no_whatsapp_channel`.
    bars_templates: bool,
    /// Whether answers are refused: `no_whatsapp_channel`.
    bars_replies: bool,
    /// The network's own names for what is wrong.
    detail: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    since: OffsetDateTime,
    /// When a restriction ends, where the network has said so.
    #[serde(with = "domain::clock::timestamp::option")]
    until: Option<OffsetDateTime>,
}

/// What the network refused.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorBody {
    /// The network's own code.
    code: i64,
    /// The network's words; empty where it had none.
    message: String,
    #[serde(with = "domain::clock::timestamp")]
    at: OffsetDateTime,
}

/// How a number stood when it was last read, also one that cannot send.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NumberHealthBody {
    /// Its id here; null where it cannot send.
    id: Option<ChannelId>,
    network_id: String,
    phone: PhoneNumber,
    /// `connected` and `flagged` send. Others: `pending`, `disconnected`, `restricted`, `rate_limited`,
    /// `banned`, `migrated`, `deleted`, `unverified`, and `unknown` for a state that has no name here.
    state: &'static str,
    /// How people take its messages: `green`, `yellow`, `red` or `unknown`.
    quality: &'static str,
    /// The name that customers see.
    name: Option<String>,
    /// What the network makes of that name, in its own word.
    name_state: Option<String>,
    /// How many people it may begin to write to in a day, in the network's own word.
    messaging_limit: Option<String>,
    /// The last refusal within a month that was the number's or its account's, and no message's; of replies,
    /// and of what the network took at first.
    last_error: Option<ErrorBody>,
    #[serde(with = "domain::clock::timestamp")]
    read_at: OffsetDateTime,
}

/// A connected business account.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountBody {
    id: AccountId,
    network_id: String,
    /// In the order in which templates without `from` choose them.
    numbers: Vec<NumberBody>,
    /// Null as long as the network lets it do everything. It is told by the network; an account that was put
    /// right without a word of it is disconnected and connected again.
    standing: Option<StandingBody>,
    /// Why the network refused the last reading of the account, for example because its token has expired;
    /// null when that went well.
    problem: Option<ErrorBody>,
    /// How the account's numbers stand at the network.
    health: Vec<NumberHealthBody>,
    #[serde(with = "domain::clock::timestamp")]
    connected_at: OffsetDateTime,
    /// When its numbers and templates were last read.
    #[serde(with = "domain::clock::timestamp::option")]
    synced_at: Option<OffsetDateTime>,
}

/// The business accounts.
#[derive(Serialize)]
pub(crate) struct AccountsBody {
    rows: Vec<AccountBody>,
    /// What the networks sent within two weeks that this version does not read: it is in no conversation.
    /// Mostly empty.
    unread: Vec<UnreadBody>,
}

/// Something that a network sends and this version does not read.
#[derive(Serialize)]
pub(crate) struct UnreadBody {
    /// The network's name of it.
    field: String,
    /// How often it came.
    updates: u64,
    /// The first day (UTC) on which it came.
    since: String,
}

impl From<UnreadField> for UnreadBody {
    fn from(UnreadField { field, since, updates }: UnreadField) -> Self {
        Self { field, updates, since: since.to_string() }
    }
}

/// A business account to connect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NewAccountBody {
    network_id: String,
    /// What opens it. It is sealed and never shown.
    token: String,
}

/// What a reading found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SyncBody {
    /// How many templates the account has.
    templates: usize,
    /// Templates whose codes may arrive after they have expired.
    validity_problems: Vec<ValidityProblemBody>,
}

/// A template whose codes may arrive too late.
#[derive(Serialize)]
pub(crate) struct ValidityProblemBody {
    template: String,
    language: String,
    /// Why the network did not take a shorter validity.
    problem: String,
}

/// What a number is to be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NumberSettingsBody {
    /// Keep nothing of what is sent from it, and open no conversation for what is written to it.
    send_only: bool,
}

impl From<ListedConnection> for NumberBody {
    fn from(connection: ListedConnection) -> Self {
        let ListedConnection { id, network_id, phone, send_only, connected_at, .. } = connection;
        Self { id, network_id, phone, send_only, connected_at }
    }
}

impl From<AccountStanding> for StandingBody {
    fn from(standing: AccountStanding) -> Self {
        let AccountStanding { state, since, until, bars_templates, bars_replies, detail } = standing;
        Self { state: state.as_str(), bars_templates, bars_replies, detail, since, until }
    }
}

impl From<ChannelError> for ErrorBody {
    fn from(ChannelError { code, message, at }: ChannelError) -> Self {
        Self { code, message, at }
    }
}

impl From<NumberReport> for NumberHealthBody {
    fn from(report: NumberReport) -> Self {
        let NumberReport { channel, network_id, phone, health, last_error, read_at } = report;
        let NumberHealth { state, quality, name, name_state, messaging_limit } = health;
        Self {
            id: channel,
            network_id,
            phone,
            state: state.as_str(),
            quality: quality.as_str(),
            name,
            name_state,
            messaging_limit,
            last_error: last_error.map(ErrorBody::from),
            read_at,
        }
    }
}

impl AccountBody {
    /// Builds an account's body, with its report if it is among `reports`.
    fn new(account: ListedAccount, reports: &[AccountReport]) -> Self {
        let report = reports.iter().find(|report| report.account == account.id).cloned();
        let (problem, health) = report.map(|report| (report.problem, report.numbers)).unwrap_or_default();
        let ListedAccount {
            id, network_id, connected_at, templates_synced_at, connections, standing, ..
        } = account;
        let numbers = connections.into_iter().map(NumberBody::from).collect();
        let standing = standing.map(StandingBody::from);
        Self {
            id,
            network_id,
            numbers,
            standing,
            problem: problem.map(ErrorBody::from),
            health: health.into_iter().map(NumberHealthBody::from).collect(),
            connected_at,
            synced_at: templates_synced_at,
        }
    }
}

impl From<SyncReport> for SyncBody {
    fn from(report: SyncReport) -> Self {
        let problem = |(template, language, problem)| ValidityProblemBody { template, language, problem };
        let validity_problems = report.validity_problems.into_iter().map(problem).collect();
        Self { templates: report.templates, validity_problems }
    }
}

/// The business accounts with their numbers.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<AccountsBody>, Problem> {
    let listed = app.run(move |app| async move {
        let (manage, workspace) = (&app.dashboard.channels.manage, by.session.workspace);
        let accounts = manage.list(workspace, AccountKind::Business).await?;
        let unread = manage.unread(workspace).await?;
        Ok::<_, StoreError>((accounts, manage.reports(workspace).await?, unread))
    });
    let (accounts, reports, unread) = listed.await??;
    Ok(Json(AccountsBody {
        unread: unread.into_iter().map(UnreadBody::from).collect(),
        rows: accounts.into_iter().map(|account| AccountBody::new(account, &reports)).collect(),
    }))
}

/// Connects a business account, and reads its numbers and templates. For one that is connected: replaces its
/// token.
pub(crate) async fn connect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewAccountBody { network_id, token } = body::json(&request, payload).await?.fields;
    let connected = app.run(move |app| async move {
        let (channels, acting) = (&app.dashboard.channels, by.acting());
        let account = channels.connect_account.run(acting, network_id, SecretString::from(token)).await?;
        if let Err(error) = channels.sync.run_by(acting, account).await {
            warn!(%account, %error, "a new account could not be read yet");
        }
        let account = channels.manage.get(acting.workspace, AccountKind::Business, account).await?;
        Ok::<_, ConnectError>((account, channels.manage.reports(acting.workspace).await?))
    });
    let (account, reports) = connected.await??;
    let account = account.ok_or_else(|| not_found("account"))?;
    Ok(HttpResponse::Created().json(AccountBody::new(account, &reports)))
}

/// Reads an account's numbers and templates from the network now.
pub(crate) async fn sync(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<SyncBody>, Problem> {
    let unknown = || not_found("account");
    let account: AccountId = id(&request).ok_or_else(unknown)?;
    let read = app.run(move |app| async move {
        let (channels, acting) = (&app.dashboard.channels, by.acting());
        match channels.manage.get(acting.workspace, AccountKind::Business, account).await? {
            Some(known) => channels.sync.run_by(acting, known.id).await,
            None => Ok(None),
        }
    });
    Ok(Json(read.await??.ok_or_else(unknown)?.into()))
}

/// Disconnects an account: its token is destroyed, nothing is sent from its numbers, and what is written to
/// them is dropped. Conversations and messages stay.
pub(crate) async fn disconnect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("account");
    let (acting, account, kind) = (by.acting(), id(&request).ok_or_else(unknown)?, AccountKind::Business);
    let gone = app
        .run(move |app| async move { app.dashboard.channels.manage.disconnect(acting, kind, account).await });
    if gone.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}

/// Makes a number send-only, or an ordinary one.
pub(crate) async fn set_send_only(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NumberSettingsBody { send_only } = body::json(&request, payload).await?.fields;
    let number = id(&request).ok_or(SetSendOnlyError::UnknownNumber)?;
    let set = app.run(move |app| async move {
        app.dashboard.channels.set_send_only.run_for(by.acting(), number, send_only).await
    });
    set.await??;
    Ok(HttpResponse::NoContent().finish())
}

impl From<SetSendOnlyError> for Problem {
    fn from(error: SetSendOnlyError) -> Self {
        match error {
            SetSendOnlyError::UnknownNumber => not_found("number"),
            SetSendOnlyError::Phone(error) => Self::invalid(error.to_string()),
            SetSendOnlyError::UnknownWorkspace => Self::internal("a session without its workspace"),
            SetSendOnlyError::Store(error) => error.into(),
        }
    }
}

impl From<ConnectError> for Problem {
    fn from(error: ConnectError) -> Self {
        let message = error.to_string();
        match error {
            ConnectError::NetworkId => Self::invalid(format!("`networkId`: {message}")),
            ConnectError::Token => Self::invalid(format!("`token`: {message}")),
            ConnectError::NothingChosen | ConnectError::NotOpened => Self::invalid(message),
            ConnectError::Offer => Self::dashboard(DashboardCode::OfferNotValid, message),
            ConnectError::UnknownWorkspace => Self::internal("a session without its workspace"),
            ConnectError::Elsewhere => Self::dashboard(DashboardCode::ConnectedElsewhere, message),
            ConnectError::Network(NetworkError::Refused { .. }) => {
                Self::dashboard(DashboardCode::NetworkRefused, message)
            }
            ConnectError::Network(NetworkError::Unavailable(reason)) => {
                let message = "the network did not answer; try again shortly";
                let problem = Self::refused(RefusalCode::NetworkUnavailable, message, Map::new());
                problem.retry_after(NETWORK_RETRY_AFTER).caused_by(reason)
            }
            ConnectError::Store(error) => error.into(),
        }
    }
}
