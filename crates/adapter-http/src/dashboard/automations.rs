//! `/automations` and `/conversation-settings`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    automations::{
        Automation, AutomationDraft, AutomationError, AutomationName, FIRST_NAMES, Rule, Settings,
    },
    ids::{AutomationId, MemberId},
};
use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// A rule as an owner writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftBody {
    /// No two automations have the same. Events give it as their reason, `automation:<name>`.
    name: AutomationName,
    enabled: bool,
    rule: Rule,
}

impl From<DraftBody> for AutomationDraft {
    fn from(body: DraftBody) -> Self {
        let DraftBody { name, enabled, rule } = body;
        Self { name, enabled, rule }
    }
}

/// A rule that customers' messages set off.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AutomationBody {
    id: AutomationId,
    name: AutomationName,
    /// Who wrote it last: its replies go in their name.
    author_id: MemberId,
    enabled: bool,
    #[serde(serialize_with = "named")]
    rule: Rule,
}

/// Serializes a rule with the API's names for what its actions refer to.
fn named<S: Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    let mut rule = serde_json::to_value(rule).map_err(S::Error::custom)?;
    let actions = rule.get_mut("then").and_then(Value::as_array_mut).into_iter().flatten();
    for action in actions.filter_map(Value::as_object_mut) {
        for (first, name) in FIRST_NAMES {
            if let Some(value) = action.remove(first) {
                action.insert(name.to_owned(), value);
            }
        }
    }
    rule.serialize(serializer)
}

impl From<Automation> for AutomationBody {
    fn from(automation: Automation) -> Self {
        let Automation { id, name, author, enabled, rule } = automation;
        Self { id, name, author_id: author, enabled, rule }
    }
}

/// The rules.
#[derive(Serialize)]
pub(crate) struct AutomationsBody {
    rows: Vec<AutomationBody>,
}

/// The automations, in the order in which they are looked at.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<AutomationsBody>, Problem> {
    let listed =
        app.run(move |app| async move { app.dashboard.automations.list(by.session.workspace).await });
    Ok(Json(AutomationsBody { rows: listed.await??.into_iter().map(AutomationBody::from).collect() }))
}

/// Adds an automation.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let draft = body::json::<DraftBody>(&request, payload).await?.fields.into();
    let added = app.run(move |app| async move {
        app.dashboard.automations.add(by.acting(), by.session.member, draft).await
    });
    Ok(HttpResponse::Created().json(AutomationBody::from(added.await??)))
}

/// Replaces an automation. What messages have set off before goes on as it was.
pub(crate) async fn replace(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<AutomationBody>, Problem> {
    let draft = body::json::<DraftBody>(&request, payload).await?.fields.into();
    let id = id(&request).ok_or_else(unknown)?;
    let replaced = app.run(move |app| async move {
        app.dashboard.automations.replace(by.acting(), by.session.member, id, draft).await
    });
    Ok(Json(replaced.await??.into()))
}

/// Removes an automation. What messages have set off before goes on.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id = id(&request).ok_or_else(unknown)?;
    let removed = app.run(move |app| async move { app.dashboard.automations.remove(by.acting(), id).await });
    if removed.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}

/// Opening hours, and the times of the sweepers.
pub(crate) async fn settings(app: Data<App>, by: SignedIn) -> Result<Json<Settings>, Problem> {
    let found =
        app.run(move |app| async move { app.dashboard.automations.settings(by.session.workspace).await });
    Ok(Json(found.await??))
}

/// Replaces opening hours and the times of the sweepers; what is left out is off.
pub(crate) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<Settings>, Problem> {
    let settings = body::json::<Settings>(&request, payload).await?.fields;
    let set = app.run(move |app| async move {
        app.dashboard.automations.set(by.acting(), &settings).await.map(|()| settings)
    });
    Ok(Json(set.await??))
}

fn unknown() -> Problem {
    not_found("automation")
}

impl From<AutomationError> for Problem {
    fn from(error: AutomationError) -> Self {
        let message = error.to_string();
        match error {
            AutomationError::Rule(_) | AutomationError::Nobody(_) | AutomationError::Hours(_) => {
                Self::invalid(message)
            }
            AutomationError::NameTaken => Self::dashboard(DashboardCode::AutomationNameTaken, message),
            AutomationError::TooMany => Self::dashboard(DashboardCode::TooManyAutomations, message),
            AutomationError::NotFound => unknown(),
            AutomationError::Store(error) => error.into(),
        }
    }
}
