//! `/dashboard/settings/automations`: rules, opening hours and sweepers.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{AutomationsPage, Place, RuleRow};
use domain::{
    automations::{Automation, AutomationName, Draft, Rule, Settings},
    errors::StoreError,
    ids::AutomationId,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    answer::{page, see_other},
    form::Form,
    frame, refusal,
};
use crate::{
    App,
    dashboard::SignedIn,
    paging::{id, not_found},
    problem::Problem,
};

const PATH: &str = "/dashboard/settings/automations";

/// What a form held that was not taken.
#[derive(Default)]
struct Refused {
    because: Option<Problem>,
    draft: (String, String),
}

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    shown(&app, &by, &request, Refused::default()).await
}

/// As people read it, and as the API writes it.
fn written(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

async fn shown(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    refused: Refused,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Place::Automations).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let rules = app.dashboard.automations.list(workspace).await?;
        Ok::<_, StoreError>((rules, app.dashboard.automations.settings(workspace).await?))
    });
    let (rules, settings) = found.await??;
    let settings = serde_json::to_value(&settings).unwrap_or_default();
    let minutes = |name: &str| settings.get(name).and_then(Value::as_u64).map(|minutes| minutes.to_string());
    let hours = settings.get("hours").filter(|hours| !hours.is_null()).map(written);
    let row = |rule: Automation| RuleRow {
        id: rule.id.to_string(),
        name: rule.name.as_str().to_owned(),
        is_on: rule.enabled,
        rule: written(&rule.rule),
    };
    let Refused { because, draft } = refused;
    let status = if because.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let detail = because.as_ref().map(Problem::to_string);
    let refused = because.map(|problem| refusal::of_form(problem, frame.words())).transpose()?;
    page(
        status,
        &AutomationsPage {
            frame: &frame,
            rules: rules.into_iter().map(row).collect(),
            hours: hours.unwrap_or_default(),
            idle_close: minutes(IDLE_CLOSE).unwrap_or_default(),
            unanswered_return: minutes(UNANSWERED_RETURN).unwrap_or_default(),
            draft,
            refused,
            detail,
        },
    )
}

async fn told(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    done: Result<(), Problem>,
    draft: (String, String),
) -> Result<HttpResponse, Problem> {
    match done {
        Ok(()) => Ok(see_other(PATH)),
        Err(problem) => shown(app, by, request, Refused { because: Some(problem), draft }).await,
    }
}

/// A rule as it was written.
fn draft(name: &str, rule: &str) -> Result<Draft, Problem> {
    let invalid = |error: &dyn std::fmt::Display| Problem::invalid(error.to_string());
    let name = AutomationName::try_from(name.to_owned()).map_err(|error| invalid(&error))?;
    let rule: Rule = serde_json::from_str(rule).map_err(|error| invalid(&error))?;
    Ok(Draft { name, enabled: true, rule })
}

/// Adds a rule.
pub(super) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (name, rule) = (form.text("name")?, form.text("rule")?);
    let done = match draft(&name, &rule) {
        Err(problem) => Err(problem),
        Ok(draft) => {
            let (acting, author) = (by.acting(), by.session.member);
            let added =
                app.run(move |app| async move { app.dashboard.automations.add(acting, author, draft).await });
            added.await?.map(drop).map_err(Problem::from)
        }
    };
    told(&app, &by, &request, done, (name, rule)).await
}

/// Switches a rule on or off, or removes it. Who switches it is its author from then on.
pub(super) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("automation");
    let id: AutomationId = id(&request).ok_or_else(unknown)?;
    let what = Form::of(&request, payload).await?.text("do")?;
    let (acting, author) = (by.acting(), by.session.member);
    let changed = app.run(move |app| async move {
        let automations = &app.dashboard.automations;
        if what == "remove" {
            return Ok(automations.remove(acting, id).await?);
        }
        let rules = automations.list(acting.workspace).await?;
        let Some(rule) = rules.into_iter().find(|rule| rule.id == id) else { return Ok(false) };
        let draft = Draft { name: rule.name, enabled: what == "on", rule: rule.rule };
        automations.replace(acting, author, id, draft).await?;
        Ok::<_, Problem>(true)
    });
    let done = match changed.await? {
        Ok(true) => Ok(()),
        Ok(false) => return Err(unknown()),
        Err(problem) => Err(problem),
    };
    told(&app, &by, &request, done, Default::default()).await
}

const IDLE_CLOSE: &str = "idleClose";
const UNANSWERED_RETURN: &str = "unansweredReturn";

/// Settings as they were written: what is empty is off.
fn settings(form: &Form) -> Result<Settings, Problem> {
    let mut fields = Map::new();
    for (field, name) in
        [("idle-close", IDLE_CLOSE), ("unanswered-return", UNANSWERED_RETURN), ("hours", "hours")]
    {
        if let Some(text) = form.filled(field)? {
            let value: Value =
                serde_json::from_str(&text).map_err(|error| Problem::invalid(error.to_string()))?;
            fields.insert(name.to_owned(), value);
        }
    }
    serde_json::from_value(Value::from(fields)).map_err(|error| Problem::invalid(error.to_string()))
}

/// Replaces opening hours and the times of the sweepers.
pub(super) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let done = match settings(&form) {
        Err(problem) => Err(problem),
        Ok(settings) => {
            let acting = by.acting();
            let set =
                app.run(move |app| async move { app.dashboard.automations.set(acting, &settings).await });
            set.await?.map_err(Problem::from)
        }
    };
    told(&app, &by, &request, done, Default::default()).await
}
