//! `/automations` and `/conversation-settings`, in the browser `/dashboard/settings/automations`: rules,
//! opening hours and sweepers.

pub(super) mod hours;
mod rule;

use actix_web::web::Payload;
use dashboard_pages::{AutomationsPage, HoursForm, Refused, RuleForm, RuleRow, Section};
use domain::{
    automations::{
        Automation, AutomationDraft, AutomationError, AutomationName, FIRST_NAMES, Rule, Settings,
    },
    ids::{AutomationId, MemberId},
};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use super::{
    act::{self, Answer, Call, Given, Rows},
    answer::{page, see_other},
    frame,
    inbox::found::team,
    refusal::{self, WrongField},
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

const PATH: &str = "/dashboard/settings/automations";

/// A rule that customers' messages set off.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AutomationBody {
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

fn unknown() -> Problem {
    not_found("automation")
}

/// A rejected form, with the reason.
#[derive(Default)]
struct Rejected {
    refused: Option<Refused>,
    added: Option<RuleForm>,
    changed: Option<(AutomationId, RuleForm)>,
    hours: Option<HoursForm>,
}

/// The automations, in the order in which they are looked at.
pub(super) async fn list(call: Call) -> Answer {
    if call.is_of_api() {
        let rules = rules(&call).await?;
        return act::ok(&Rows { rows: rules.into_iter().map(AutomationBody::from).collect() });
    }
    render(&call, Rejected::default()).await
}

async fn rules(call: &Call) -> Result<Vec<Automation>, Problem> {
    let workspace = call.workspace();
    call.run(move |app| async move { app.dashboard.automations.list(workspace).await }).await
}

async fn render(call: &Call, Rejected { refused, added, changed, hours }: Rejected) -> Answer {
    let frame = call.frame(Section::Automations).await?;
    let (rules, settings) = (rules(call).await?, settings(call).await?);
    let team = team(&call.app, &call.by).await?;
    let row = |one: Automation| {
        let written = changed.as_ref().filter(|(id, _)| *id == one.id).map(|(_, form)| form.clone());
        let (is_open, kept) = (written.is_some(), rule::form_of(&one));
        RuleRow { id: one.id.to_string(), is_open, form: written.unwrap_or(kept) }
    };
    page(
        refusal::status(refused.as_ref()),
        &AutomationsPage {
            frame: &frame,
            rules: rules.into_iter().map(row).collect(),
            is_draft_typed: added.is_some(),
            draft: added.unwrap_or_else(|| RuleForm { is_on: true, ..RuleForm::default() }),
            are_hours_typed: hours.is_some(),
            hours: hours.unwrap_or_else(|| hours::form_of(&settings, &call.by.session.time_zone)),
            members: team.member_choices(),
            groups: team.group_choices(),
            refused,
        },
    )
}

/// Returns what is wrong with the form; errors that are not about it are returned as problems.
fn because(error: AutomationError, call: &Call) -> Result<Refused, Problem> {
    let (words, request) = (frame::bare(&call.request).words(), &call.request);
    match error {
        AutomationError::Rule(wrong) => {
            Ok(WrongField::new(rule::field_of(wrong), words.automations.rule(wrong)).refused(request))
        }
        AutomationError::Nobody(at) => {
            let field = format!("do-{}", at.saturating_add(1));
            Ok(WrongField::new(field, words.automations.wrong_step).refused(request))
        }
        AutomationError::Hours(wrong) => Ok(refusal::because(request, words.automations.hours(&wrong))),
        error => refusal::of_form(request, error.into(), words),
    }
}

/// Adds an automation.
pub(super) async fn add(call: Call, payload: Payload) -> Answer {
    let given = call.given(payload).await?;
    write(&call, None, given).await
}

/// Replaces, enables, disables or removes an automation. What messages have set off before goes on as it was.
/// The member who changes it becomes its author.
pub(super) async fn change(call: Call, payload: Payload) -> Answer {
    let given = call.given(payload).await?;
    let (acting, id): (_, AutomationId) = (call.acting(), call.id(unknown)?);
    match call.what().as_str() {
        "save" | "set" => write(&call, Some(id), given).await,
        "on" => switch(&call, id, true).await,
        "off" => switch(&call, id, false).await,
        "remove" => {
            let removed =
                call.run(move |app| async move { app.dashboard.automations.remove(acting, id).await });
            if removed.await? { Ok(call.done(PATH)) } else { Err(unknown()) }
        }
        _ => Err(Problem::invalid("`do` names nothing that can be done")),
    }
}

/// Adds an automation, or replaces the one with this id.
async fn write(call: &Call, of: Option<AutomationId>, given: Given) -> Answer {
    let words = frame::bare(&call.request).words();
    let (draft, written) = match given {
        Given::Json(payload) => (Ok(call.json(payload).await?), RuleForm::default()),
        Given::Form(form) => {
            let written = rule::read(&form)?;
            (rule::draft(&written, words), written)
        }
    };
    let mut changed = of;
    let refused = match draft {
        Err(wrong) => wrong.refused(&call.request),
        Ok(draft) => match keep(call, of, draft).await? {
            Ok(kept) if call.is_of_api() && of.is_some() => return act::ok(&AutomationBody::from(kept)),
            Ok(kept) if call.is_of_api() => return act::created(&AutomationBody::from(kept)),
            Ok(_) => return Ok(see_other(PATH)),
            Err(error) if call.is_of_api() => return Err(error.into()),
            // Removed by somebody meanwhile: what was typed can be added anew.
            Err(AutomationError::NotFound) => {
                changed = None;
                refusal::because(&call.request, words.refusals.not_found)
            }
            Err(error) => because(error, call)?,
        },
    };
    let rejected = Rejected { refused: Some(refused), ..Rejected::default() };
    let rejected = match changed {
        Some(id) => Rejected { changed: Some((id, written)), ..rejected },
        None => Rejected { added: Some(written), ..rejected },
    };
    render(call, rejected).await
}

async fn keep(
    call: &Call,
    of: Option<AutomationId>,
    draft: AutomationDraft,
) -> Result<Result<Automation, AutomationError>, Problem> {
    let (acting, author) = (call.acting(), call.by.session.member);
    let kept = call.app.run(move |app| async move {
        match of {
            None => app.dashboard.automations.add(acting, author, draft).await,
            Some(id) => app.dashboard.automations.replace(acting, author, id, draft).await,
        }
    });
    kept.await
}

async fn switch(call: &Call, id: AutomationId, enabled: bool) -> Answer {
    let (acting, author) = (call.acting(), call.by.session.member);
    let switched = call
        .app
        .run(move |app| async move { app.dashboard.automations.switch(acting, author, id, enabled).await });
    match switched.await? {
        Ok(()) => Ok(see_other(PATH)),
        Err(AutomationError::NotFound) => Err(unknown()),
        Err(error) => {
            let refused = Some(because(error, call)?);
            render(call, Rejected { refused, ..Rejected::default() }).await
        }
    }
}

/// Opening hours, and the times of the sweepers.
pub(super) async fn get_settings(call: Call) -> Answer {
    act::ok(&settings(&call).await?)
}

async fn settings(call: &Call) -> Result<Settings, Problem> {
    let workspace = call.workspace();
    call.run(move |app| async move { app.dashboard.automations.settings(workspace).await }).await
}

/// Replaces opening hours and the times of the sweepers; what is left out is off.
pub(super) async fn set(call: Call, payload: Payload) -> Answer {
    let (settings, written) = match call.given(payload).await? {
        Given::Json(payload) => (Ok(call.json::<Settings>(payload).await?), HoursForm::default()),
        Given::Form(form) => {
            let mut written = hours::read(&form)?;
            if written.copy_day(&call.what()) {
                return render(&call, Rejected { hours: Some(written), ..Rejected::default() }).await;
            }
            (hours::settings(&written, &frame::bare(&call.request).words().automations), written)
        }
    };
    let refused = match settings {
        Err(wrong) => wrong.refused(&call.request),
        Ok(settings) => {
            let acting = call.acting();
            let set = call.app.run(move |app| async move {
                app.dashboard.automations.set(acting, &settings).await.map(|()| settings)
            });
            match set.await? {
                Ok(settings) if call.is_of_api() => return act::ok(&settings),
                Ok(_) => return Ok(see_other(PATH)),
                Err(error) if call.is_of_api() => return Err(error.into()),
                Err(error) => because(error, &call)?,
            }
        }
    };
    render(&call, Rejected { refused: Some(refused), hours: Some(written), ..Rejected::default() }).await
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
