//! `/dashboard/settings/system`: the workspace's own system.

use std::collections::HashMap;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{CallRow, ConnectedRow, Section, SystemPage};
use domain::{
    paging::{AskedPage, PageLimit},
    systems::{CallFilter, CallRecord, SystemConnection},
    text::PlainText,
};
use time::OffsetDateTime;
use url::form_urlencoded;

use super::{
    answer::{page, see_other},
    form::Form,
    frame, names,
    not_taken::NotTaken,
    refusal,
};
use crate::{
    app::App,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

const PATH: &str = "/dashboard/settings/system";

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None, ("", None)).await
}

/// Shows the system, with why an action was refused and the specific cause; `written` is the URL and the
/// synonyms of a rejected form.
async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_taken: Option<NotTaken>,
    written: (&str, Option<String>),
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::System).await?;
    let cursor = Parameters::of(request)?.get("cursor")?.map(str::to_owned);
    let asked = AskedPage { limit: PageLimit::default(), cursor };
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move {
        let systems = &app.dashboard.systems;
        let system = systems.manage.get(workspace).await?;
        let filter = CallFilter { route: None, result: None, unusable: None };
        let calls = systems.manage.calls(workspace, filter, &asked).await?;
        Ok::<_, Problem>((system, calls, systems.synonyms.get(workspace).await?))
    });
    let (system, calls, own) = found.await??;
    let groups = own.groups().map(|group| {
        let words: Vec<&str> = group.iter().map(PlainText::as_str).collect();
        words.join(", ")
    });
    let kept = groups.collect::<Vec<_>>().join("\n");
    let refused = not_taken.map(|not_taken| not_taken.refused(request, frame.words())).transpose()?;
    let earlier = calls.next.map(|next| {
        let cursor: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        format!("{PATH}?cursor={cursor}")
    });
    let (now, names) = (app.clock.now(), names::members(app, by).await?);
    page(
        refusal::status(refused.as_ref()),
        &SystemPage {
            frame: &frame,
            system: system.map(|system| row(system, &names, now)),
            calls: calls.rows.into_iter().map(call_row).collect(),
            earlier,
            synonyms: written.1.unwrap_or(kept),
            base: written.0,
            refused,
        },
    )
}

fn row(system: SystemConnection, names: &HashMap<String, String>, now: OffsetDateTime) -> ConnectedRow {
    ConnectedRow {
        maker: system.creator.and_then(|creator| names.get(&creator.to_string()).cloned()),
        state: system.state_at(now),
        name: system.introduction.name.as_str().to_owned(),
        base: system.base.as_str().to_owned(),
        currency: system.introduction.currency.to_string(),
        capabilities: system.introduction.capabilities.iter().collect(),
        since: system.state_since.into(),
        problem: system.problem,
        verified_at: system.verified_at.into(),
    }
}

fn call_row(call: CallRecord) -> CallRow {
    let message = call.message.map(|message| message.as_str().to_owned());
    CallRow {
        at: call.at.into(),
        route: call.route,
        result: call.result,
        status: call.status,
        took: call.duration_ms,
        remarks: message.into_iter().chain(call.unusable).collect(),
    }
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
pub(super) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let (what, base, secret) = (form.text("do")?, form.text("base")?, form.text("secret")?);
    let synonyms = form.text("synonyms")?;
    let (acting, to, wanted) = (by.acting(), base.clone(), groups(&synonyms));
    let written = (what == "synonyms").then_some(synonyms);
    let none = || Problem::dashboard(DashboardCode::NoSystem, "no system is connected");
    let words = frame::bare(&request).words();
    let changed = app.run(move |app| async move {
        let systems = &app.dashboard.systems;
        let done = match what.as_str() {
            "connect" => {
                let connected = systems.connect.run(acting, &to, &secret).await.map(drop);
                return connected.map_err(|error| {
                    let detail = words.of_connecting(&error).map(str::to_owned);
                    (Problem::from(error), detail)
                });
            }
            "synonyms" => {
                let replaced = systems.synonyms.replace(acting, &wanted).await.map(drop);
                return replaced.map_err(|error| {
                    let detail = words.of_synonyms(&error);
                    (Problem::from(error), detail)
                });
            }
            "verify" => match systems.manage.verify(acting).await {
                Ok(verified) => verified.map(drop).ok_or_else(none),
                Err(error) => Err(error.into()),
            },
            "disconnect" => match systems.manage.disconnect(acting).await {
                Ok(disconnected) => disconnected.then_some(()).ok_or_else(none),
                Err(error) => Err(error.into()),
            },
            _ => Err(Problem::invalid("`do` names nothing that can be done")),
        };
        done.map_err(|problem| (problem, None))
    });
    match changed.await? {
        Ok(()) => Ok(see_other(PATH)),
        Err((problem, detail)) => {
            let field = written.is_some().then(|| "synonyms".to_owned());
            render(&app, &by, &request, Some(NotTaken { problem, detail, field }), (&base, written)).await
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
