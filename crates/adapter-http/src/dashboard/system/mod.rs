//! `/system`: the workspace's own system, connected by its contract.

pub(crate) mod failure;
pub(crate) mod products;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    access::members::Role,
    catalogue::SynonymsError,
    ids::{MemberId, SystemCallId, SystemId},
    paging::Page,
    systems::{
        CallError, CallFilter, CallRecord, CallResult, Capability, ConnectError, Route, SystemConnection,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::read_page,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// The workspace's own system. Its secret is never shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SystemBody {
    id: SystemId,
    /// Its address; agents are shown no more of it than the origin, since what stands behind the host may be
    /// a secret.
    base_url: String,
    /// How it calls itself.
    name: String,
    /// What prices are in that name no other.
    currency: String,
    /// What it can do: `catalog`, `orders`, `customers`, `appointments`.
    capabilities: Vec<&'static str>,
    tools: Vec<&'static str>,
    /// `active`; `cooling`, after it asked for fewer calls; `unreachable`, after it failed five times in a
    /// row; `needs_reconnection`, when it does not accept the secret. The last two are verified again by
    /// themselves.
    state: &'static str,
    #[serde(with = "domain::clock::timestamp")]
    state_since: OffsetDateTime,
    /// What went wrong last; null while all goes well.
    problem: Option<String>,
    /// When it is verified again by itself; null while it is not lost.
    #[serde(with = "domain::clock::timestamp::option")]
    next_verification_at: Option<OffsetDateTime>,
    /// When it last answered a verification.
    #[serde(with = "domain::clock::timestamp")]
    verified_at: OffsetDateTime,
    /// Who connected it; null for an operator.
    creator_id: Option<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    connected_at: OffsetDateTime,
}

impl SystemBody {
    pub(super) fn of(connection: SystemConnection, role: Role, now: OffsetDateTime) -> Self {
        let state = connection.state_at(now).as_str();
        let SystemConnection {
            id,
            base,
            introduction,
            health,
            problem,
            state_since,
            creator,
            connected_at,
            verified_at,
            ..
        } = connection;
        let capabilities: Vec<Capability> = introduction.capabilities.iter().collect();
        Self {
            id,
            base_url: match role {
                Role::Owner => base.as_str().to_owned(),
                Role::Agent => base.origin(),
            },
            name: introduction.name.as_str().to_owned(),
            currency: introduction.currency.to_string(),
            tools: capabilities.iter().flat_map(|one| one.tools()).copied().collect(),
            capabilities: capabilities.into_iter().map(Capability::as_str).collect(),
            state,
            state_since,
            problem,
            next_verification_at: health.verify_at,
            verified_at,
            creator_id: creator,
            connected_at,
        }
    }
}

/// The system to connect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ConnectBody {
    /// An `https` address of a public host; paths are appended to it.
    base_url: String,
    /// The secret that the system issued.
    secret: String,
}

/// A call to the system: how it went, and nothing of what was asked or answered.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallBody {
    id: SystemCallId,
    /// Method and path as the contract writes them.
    route: &'static str,
    result: &'static str,
    /// The status of the last answer; null where there was none that tells.
    status: Option<u16>,
    /// How long it took, a retry included.
    duration_ms: u32,
    /// Bytes of the last answer's body that were received, also where it refused or could not be used; null
    /// where no answer began.
    bytes: Option<u32>,
    /// What of the answer could not be used and why; the first 50.
    unusable: Vec<String>,
    /// What the system said when it refused, for the team.
    message: Option<String>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

/// A page of the log of calls.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallsBody {
    rows: Vec<CallBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

impl From<CallRecord> for CallBody {
    fn from(call: CallRecord) -> Self {
        let CallRecord { id, route, result, status, duration_ms, bytes, unusable, message, at } = call;
        Self {
            id,
            route: route.template(),
            result: result.as_str(),
            status,
            duration_ms,
            bytes,
            unusable,
            message: message.map(|message| message.as_str().to_owned()),
            created_at: at,
        }
    }
}

impl From<Page<CallRecord>> for CallsBody {
    fn from(page: Page<CallRecord>) -> Self {
        Self { rows: page.rows.into_iter().map(CallBody::from).collect(), next_cursor: page.next }
    }
}

/// The connected system.
pub(crate) async fn get(app: Data<App>, by: SignedIn) -> Result<Json<SystemBody>, Problem> {
    let (workspace, role) = (by.session.workspace, by.session.role);
    let found = app.run(move |app| async move { app.dashboard.systems.manage.get(workspace).await });
    Ok(Json(SystemBody::of(found.await??.ok_or_else(none)?, role, app.clock.now())))
}

/// Connects a system, in place of the one that was connected before. It is asked to introduce itself (`GET
/// /verify`) first; where it does not, nothing is changed.
pub(crate) async fn connect(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<SystemBody>, Problem> {
    let ConnectBody { base_url, secret } = body::json(&request, payload).await?.fields;
    let connected = app.run(move |app| async move {
        app.dashboard.systems.connect.run(by.acting(), &base_url, &secret).await
    });
    Ok(Json(SystemBody::of(connected.await??, Role::Owner, app.clock.now())))
}

/// Disconnects the system. Its secret is forgotten; the log of its calls stays for its time.
pub(crate) async fn disconnect(app: Data<App>, by: SignedIn) -> Result<HttpResponse, Problem> {
    let gone = app.run(move |app| async move { app.dashboard.systems.manage.disconnect(by.acting()).await });
    if gone.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(none()) }
}

/// Asks the system at once to introduce itself again. The answer is how the connection stands then: `state`
/// and `problem` tell whether it did.
pub(crate) async fn verify(app: Data<App>, by: SignedIn) -> Result<Json<SystemBody>, Problem> {
    let verified = app.run(move |app| async move { app.dashboard.systems.manage.verify(by.acting()).await });
    Ok(Json(SystemBody::of(verified.await??.ok_or_else(none)?, Role::Owner, app.clock.now())))
}

/// How calls to the workspace's own system went, newest first, for 14 days.
pub(crate) async fn calls(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<CallsBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let results: Vec<&str> = CallResult::ALL.iter().map(|result| result.as_str()).collect();
    let filter = CallFilter {
        route: parameters.word("route", Route::read, &Route::ALL.map(Route::template))?,
        result: parameters.word("result", CallResult::read, &results)?,
        unusable: parameters.read("unusable", |text| text.parse().ok(), "`true` or `false`")?,
    };
    let page = read_page(&parameters)?;
    let listed = app.run(move |app| async move {
        app.dashboard.systems.manage.calls(by.session.workspace, filter, &page).await
    });
    Ok(Json(listed.await??.into()))
}

fn none() -> Problem {
    Problem::dashboard(DashboardCode::NoSystem, "the workspace has connected no system of its own")
}

fn field(name: &str, error: &impl std::fmt::Display) -> Problem {
    let message = format!("`{name}`: {error}");
    Problem::dashboard(DashboardCode::SystemInvalid, message).with_detail("field", name)
}

impl From<ConnectError> for Problem {
    fn from(error: ConnectError) -> Self {
        let message = error.to_string();
        match error {
            ConnectError::Base(error) => field("baseUrl", &error),
            ConnectError::Forbidden(error) => field("baseUrl", &error),
            ConnectError::Secret(error) => field("secret", &error),
            ConnectError::Unverified(CallError::NotMade(cause)) => Self::internal(cause),
            ConnectError::Unverified(error) => {
                let (code, field) = match error {
                    CallError::NeedsReconnection { .. } => (DashboardCode::SystemRefusesSecret, "secret"),
                    CallError::Misdirected { .. } => (DashboardCode::SystemMisdirects, "baseUrl"),
                    _ => (DashboardCode::SystemUnverified, "baseUrl"),
                };
                Self::dashboard(code, message).with_detail("field", field)
            }
            ConnectError::UnknownWorkspace => Self::internal("a session without its workspace"),
            ConnectError::Store(error) => error.into(),
        }
    }
}

impl From<SynonymsError> for Problem {
    fn from(error: SynonymsError) -> Self {
        match error {
            SynonymsError::Invalid(rule) => Self::invalid(format!("`groups`: {rule}")),
            SynonymsError::Store(error) => error.into(),
        }
    }
}
