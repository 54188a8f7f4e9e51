//! `/system`, in the browser `/dashboard/settings/system`: the workspace's own system, connected by its
//! contract.

pub(super) mod products;

use std::{collections::HashMap, sync::Arc};

use actix_web::web::Payload;
use dashboard_pages::{CallRow, ConnectedRow, Section, SystemPage};
use domain::{
    access::members::Role,
    catalogue::SynonymsError,
    paging::{AskedPage, Page},
    systems::{
        CallError, CallFilter, CallRecord, CallResult, Capability, ConnectError, Route, SystemConnection,
    },
    text::PlainText,
};
use serde::Deserialize;
use time::OffsetDateTime;
use url::form_urlencoded;

use super::{
    act::{self, Answer, Call, Given, PageOfRows},
    answer::page,
    form::Form,
    not_taken::NotTaken,
};
use crate::{
    app::App,
    paging::read_page,
    problem::{DashboardCode, Problem},
};

const PATH: &str = "/dashboard/settings/system";

/// The system to connect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewSystem {
    /// An `https` address of a public host; paths are appended to it.
    base_url: String,
    /// The secret that the system issued.
    secret: String,
}

/// Input of a rejected form.
#[derive(Default)]
struct Typed {
    base: String,
    synonyms: Option<String>,
}

/// The connected system.
pub(super) async fn show(call: Call) -> Answer {
    if call.is_of_api() {
        let (role, now) = (call.by.session.role, call.app.clock.now());
        return act::ok(&row(connected(&call).await?.ok_or_else(none)?, role, now));
    }
    render(&call, None, Typed::default()).await
}

async fn connected(call: &Call) -> Result<Option<SystemConnection>, Problem> {
    let workspace = call.workspace();
    call.run(move |app| async move { app.dashboard.systems.manage.get(workspace).await }).await
}

async fn called(call: &Call, filter: CallFilter, asked: AskedPage) -> Result<Page<CallRecord>, Problem> {
    let workspace = call.workspace();
    let listed = call
        .run(move |app| async move { app.dashboard.systems.manage.calls(workspace, filter, &asked).await });
    listed.await
}

/// Shows the system, its calls and synonyms, with why a form was refused.
async fn render(call: &Call, not_taken: Option<NotTaken>, typed: Typed) -> Answer {
    let every = CallFilter { route: None, result: None, unusable: None };
    let (system, calls) =
        (connected(call).await?, called(call, every, read_page(&call.parameters()?)?).await?);
    let workspace = call.workspace();
    let own = call.run(move |app| async move { app.dashboard.systems.synonyms.get(workspace).await }).await?;
    let lines = own.groups().map(|group| {
        let words: Vec<&str> = group.iter().map(PlainText::as_str).collect();
        words.join(", ")
    });
    let earlier = calls.next.as_ref().map(|next| {
        let cursor: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        format!("{PATH}?cursor={cursor}")
    });
    let (now, names) = (call.app.clock.now(), call.names().await?);
    let frame = call.frame(Section::System).await?;
    let (status, refused) = call.refused(not_taken, &frame)?;
    page(
        status,
        &SystemPage {
            frame: &frame,
            system: system.map(|system| named(row(system, Role::Owner, now), &names)),
            calls: calls.rows.iter().map(call_row).collect(),
            earlier,
            synonyms: typed.synonyms.unwrap_or_else(|| lines.collect::<Vec<_>>().join("\n")),
            base: &typed.base,
            refused,
        },
    )
}

/// Builds the row of a connection, as a member of this role sees it.
fn row(connection: SystemConnection, role: Role, now: OffsetDateTime) -> ConnectedRow {
    let state = connection.state_at(now);
    let SystemConnection { id, base, introduction, health, problem, creator, .. } = connection;
    let capabilities: Vec<Capability> = introduction.capabilities.iter().collect();
    ConnectedRow {
        id,
        base_url: match role {
            Role::Owner => base.as_str().to_owned(),
            Role::Agent => base.origin(),
        },
        name: introduction.name.as_str().to_owned(),
        currency: introduction.currency.to_string(),
        tools: capabilities.iter().flat_map(|one| one.tools()).copied().collect(),
        capabilities,
        state,
        state_since: connection.state_since.into(),
        problem,
        next_verification_at: health.verify_at.map(Into::into),
        verified_at: connection.verified_at.into(),
        creator_id: creator,
        connected_at: connection.connected_at.into(),
        maker: None,
    }
}

/// Adds the name of the member who connected the system.
fn named(row: ConnectedRow, names: &HashMap<String, String>) -> ConnectedRow {
    let maker = row.creator_id.and_then(|creator| names.get(&creator.to_string()).cloned());
    ConnectedRow { maker, ..row }
}

fn call_row(call: &CallRecord) -> CallRow {
    CallRow {
        id: call.id,
        route: call.route,
        result: call.result,
        status: call.status,
        duration_ms: call.duration_ms,
        bytes: call.bytes,
        unusable: call.unusable.clone(),
        message: call.message.as_ref().map(|message| message.as_str().to_owned()),
        created_at: call.at.into(),
    }
}

/// How calls to the workspace's own system went, newest first, for 14 days.
pub(super) async fn calls(call: Call) -> Answer {
    let parameters = call.parameters()?;
    let results: Vec<&str> = CallResult::ALL.iter().map(|result| result.as_str()).collect();
    let filter = CallFilter {
        route: parameters.word("route", Route::read, &Route::ALL.map(Route::template))?,
        result: parameters.word("result", CallResult::read, &results)?,
        unusable: parameters.read("unusable", |text| text.parse().ok(), "`true` or `false`")?,
    };
    let listed = called(&call, filter, read_page(&parameters)?).await?;
    act::ok(&PageOfRows::of(listed, call_row))
}

/// Parses groups of synonyms, one per line.
fn groups(written: &str) -> Vec<Vec<String>> {
    let words = |line: &str| {
        let words = line.split([',', '،']).map(str::trim).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    written.lines().map(words).filter(|group| !group.is_empty()).collect()
}

/// Connects, verifies or disconnects the system, or replaces its synonyms.
///
/// A system takes the place of the one that was connected before. It is asked to introduce itself (`GET
/// /verify`) first; where it does not, nothing is changed. Verifying asks it again at once: `state` and
/// `problem` of the answer tell whether it did. Of a system that is disconnected, the secret is forgotten;
/// the log of its calls stays for its time.
pub(super) async fn change(call: Call, payload: Payload) -> Answer {
    match (call.given(payload).await?, call.what().as_str()) {
        (given, "set" | "connect") => connect(&call, given).await,
        (_, "verify") => {
            let done = verify(&call).await;
            call.answer(done, PATH, |problem| again(&call, problem)).await
        }
        (_, "remove" | "disconnect") => {
            let done = disconnect(&call).await;
            call.answer(done, PATH, |problem| again(&call, problem)).await
        }
        (Given::Form(form), "synonyms") => set_synonyms(&call, &form).await,
        _ => Err(Problem::invalid("`do` names nothing that can be done")),
    }
}

async fn again(call: &Call, problem: Problem) -> Answer {
    render(call, Some(problem.into()), Typed::default()).await
}

async fn connect(call: &Call, given: Given) -> Answer {
    let NewSystem { base_url, secret } = match given {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => NewSystem { base_url: form.text("base")?, secret: form.text("secret")? },
    };
    let (acting, to) = (call.acting(), base_url.clone());
    let connecting =
        move |app: Arc<App>| async move { app.dashboard.systems.connect.run(acting, &to, &secret).await };
    let done = match call.app.run(connecting).await? {
        Ok(system) => Ok(act::ok(&row(system, Role::Owner, call.app.clock.now()))?),
        Err(error) => {
            let detail = call.words().of_connecting(&error).map(str::to_owned);
            Err(NotTaken { detail, ..Problem::from(error).into() })
        }
    };
    let again = |not_taken| render(call, Some(not_taken), Typed { base: base_url, synonyms: None });
    call.answer(done, PATH, again).await
}

async fn verify(call: &Call) -> Answer {
    let acting = call.acting();
    let verified = call.run(move |app| async move { app.dashboard.systems.manage.verify(acting).await });
    act::ok(&row(verified.await?.ok_or_else(none)?, Role::Owner, call.app.clock.now()))
}

async fn disconnect(call: &Call) -> Answer {
    let acting = call.acting();
    let gone = call.run(move |app| async move { app.dashboard.systems.manage.disconnect(acting).await });
    if gone.await? { Ok(call.done(PATH)) } else { Err(none()) }
}

async fn set_synonyms(call: &Call, form: &Form) -> Answer {
    let synonyms = form.text("synonyms")?;
    let (acting, wanted) = (call.acting(), groups(&synonyms));
    let replacing = move |app: Arc<App>| async move {
        app.dashboard.systems.synonyms.replace(acting, &wanted).await.map(drop)
    };
    let done = call.app.run(replacing).await?.map(|()| call.done(PATH)).map_err(|error| NotTaken {
        detail: call.words().of_synonyms(&error),
        problem: error.into(),
        field: Some("synonyms".to_owned()),
    });
    let typed = Typed { synonyms: Some(synonyms), ..Typed::default() };
    call.answer(done, PATH, |not_taken| render(call, Some(not_taken), typed)).await
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

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn synonyms_are_a_line_for_each_group() {
        let wanted = [vec!["ثلاجة", "براد"], vec!["fridge", "cold box"]];
        assert_eq!(groups("ثلاجة، براد\r\n\n fridge , cold box,\n"), wanted);
        assert!(groups(" \n").is_empty());
    }
}
