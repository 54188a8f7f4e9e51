//! `/dashboard/settings/automations`: rules, opening hours and sweepers.

pub(super) mod hours;
mod rule;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{AutomationsPage, HoursForm, Refused, RuleForm, RuleRow, Section};
use domain::{
    automations::{Automation, AutomationDraft, AutomationError},
    errors::StoreError,
    ids::AutomationId,
};

use super::{
    answer::{page, see_other},
    form::Form,
    frame,
    inbox::found::team,
    refusal::{self, WrongField},
};
use crate::{
    app::App,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

const PATH: &str = "/dashboard/settings/automations";

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

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, Rejected::default()).await
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    Rejected { refused, added, changed, hours }: Rejected,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Automations).await?;
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let rules = app.dashboard.automations.list(workspace).await?;
        Ok::<_, StoreError>((rules, app.dashboard.automations.settings(workspace).await?))
    });
    let (rules, settings) = found.await??;
    let team = team(app, by).await?;
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
            hours: hours.unwrap_or_else(|| hours::form_of(&settings, &by.session.time_zone)),
            members: team.member_choices(),
            groups: team.group_choices(),
            refused,
        },
    )
}

/// Returns what is wrong with the form; errors that are not about it are returned as problems.
fn because(error: AutomationError, request: &HttpRequest) -> Result<Refused, Problem> {
    let words = frame::bare(request).words();
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

pub(super) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written = rule::read(&Form::of(&request, payload).await?)?;
    let refused = match rule::draft(&written, frame::bare(&request).words()) {
        Err(wrong) => wrong.refused(&request),
        Ok(draft) => {
            let (acting, author) = (by.acting(), by.session.member);
            let added =
                app.run(move |app| async move { app.dashboard.automations.add(acting, author, draft).await });
            match added.await? {
                Ok(_) => return Ok(see_other(PATH)),
                Err(error) => because(error, &request)?,
            }
        }
    };
    render(
        &app,
        &by,
        &request,
        Rejected { refused: Some(refused), added: Some(written), ..Rejected::default() },
    )
    .await
}

/// Changes, enables, disables or removes a rule. The member who changes it becomes its author.
pub(super) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: AutomationId = id(&request).ok_or_else(unknown)?;
    let form = Form::of(&request, payload).await?;
    match form.text("do")?.as_str() {
        "save" => save(&app, &by, &request, id, rule::read(&form)?).await,
        "on" => switch(&app, &by, &request, id, true).await,
        "off" => switch(&app, &by, &request, id, false).await,
        "remove" => {
            let acting = by.acting();
            let removed =
                app.run(move |app| async move { app.dashboard.automations.remove(acting, id).await });
            if removed.await?? { Ok(see_other(PATH)) } else { Err(unknown()) }
        }
        _ => Err(Problem::invalid("`do` names nothing that can be done")),
    }
}

async fn save(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    id: AutomationId,
    written: RuleForm,
) -> Result<HttpResponse, Problem> {
    let words = frame::bare(request).words();
    let refused = match rule::draft(&written, words) {
        Err(wrong) => wrong.refused(request),
        Ok(draft) => match replace(app, by, id, draft).await? {
            Ok(()) => return Ok(see_other(PATH)),
            // Removed by somebody meanwhile: what was typed can be added anew.
            Err(AutomationError::NotFound) => {
                let refused = Some(refusal::because(request, words.refusals.not_found));
                let rejected = Rejected { refused, added: Some(written), ..Rejected::default() };
                return render(app, by, request, rejected).await;
            }
            Err(error) => because(error, request)?,
        },
    };
    let refused = Some(refused);
    render(app, by, request, Rejected { refused, changed: Some((id, written)), ..Rejected::default() }).await
}

async fn switch(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    id: AutomationId,
    enabled: bool,
) -> Result<HttpResponse, Problem> {
    let (acting, author) = (by.acting(), by.session.member);
    let switched = app
        .run(move |app| async move { app.dashboard.automations.switch(acting, author, id, enabled).await });
    match switched.await? {
        Ok(()) => Ok(see_other(PATH)),
        Err(AutomationError::NotFound) => Err(unknown()),
        Err(error) => {
            let refused = Some(because(error, request)?);
            render(app, by, request, Rejected { refused, ..Rejected::default() }).await
        }
    }
}

async fn replace(
    app: &Data<App>,
    by: &SignedIn,
    id: AutomationId,
    draft: AutomationDraft,
) -> Result<Result<(), AutomationError>, Problem> {
    let (acting, author) = (by.acting(), by.session.member);
    let replaced =
        app.run(move |app| async move { app.dashboard.automations.replace(acting, author, id, draft).await });
    Ok(replaced.await?.map(drop))
}

pub(super) async fn set(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written = hours::read(&Form::of(&request, payload).await?)?;
    let refused = match hours::settings(&written, &frame::bare(&request).words().automations) {
        Err(wrong) => wrong.refused(&request),
        Ok(settings) => {
            let acting = by.acting();
            let set =
                app.run(move |app| async move { app.dashboard.automations.set(acting, &settings).await });
            match set.await? {
                Ok(()) => return Ok(see_other(PATH)),
                Err(error) => because(error, &request)?,
            }
        }
    };
    render(
        &app,
        &by,
        &request,
        Rejected { refused: Some(refused), hours: Some(written), ..Rejected::default() },
    )
    .await
}
