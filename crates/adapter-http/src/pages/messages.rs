//! `/dashboard/settings/messages`: finding messages by what is known of them, and the history of each.

use actix_web::{HttpRequest, HttpResponse, http::StatusCode, web::Data};
use dashboard_pages::{FoundPage, FoundRow, LifePage, LifeStep, Section, TellingRow, words::InboxWords};
use domain::{
    access::members::Role,
    messages::{FoundMessage, MessageDelivery, Sending},
    webhooks::{MessageLife, Told},
};
use url::form_urlencoded::Serializer;

use super::{
    answer::page,
    frame,
    links::{MESSAGES as PATH, explained},
    refusal,
};
use crate::{
    app::App,
    dashboard::messages,
    paging::{id, not_found},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

/// Parameters that a message can be found by.
const CLUES: [&str; 3] = ["reference", "phone", "networkId"];

pub(super) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(&app, &request, &by, Section::Messages).await?;
    let parameters = Parameters::of(&request)?.filled();
    let by_what = parameters.get("by")?.and_then(|word| CLUES.into_iter().find(|clue| *clue == word));
    let by_what = by_what.unwrap_or("reference");
    let clue = parameters.get("clue")?.or(parameters.get("reference")?).unwrap_or_default().to_owned();
    let query = link(by_what, &clue, parameters.get("cursor")?);
    let asked = Parameters::read_all(&query).ok_or_else(|| Problem::invalid("the query cannot be read"))?;
    let (mut status, mut found, mut earlier, mut refused) = (StatusCode::OK, None, None, None);
    if !clue.is_empty() {
        match messages::find_page(&app, &by, &asked).await {
            Ok(page) => {
                let words = &frame.words().inbox;
                found = Some(page.rows.into_iter().map(|found| row(found, words)).collect());
                earlier = page.next.map(|next| format!("{PATH}?{}", link(by_what, &clue, Some(&next))));
            }
            Err(problem) => {
                status = StatusCode::UNPROCESSABLE_ENTITY;
                let words = frame.words();
                let wrong = if by_what == "phone" {
                    refusal::of_only(&request, problem, ("clue", words.refusals.invalid_phone), words)
                } else {
                    refusal::of_form(&request, problem, words)
                };
                // All clues are typed into the one field.
                refused = Some(wrong?.at("clue"));
            }
        }
    }
    page(status, &FoundPage { frame: &frame, by_what, clue, found, earlier, refused })
}

/// Returns the query string of a search.
fn link(by_what: &str, clue: &str, cursor: Option<&str>) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair(by_what, clue);
    query.extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
    query.finish()
}

/// Returns why it failed: our words for a known code, else the network's, else the code.
pub(super) fn failure(code: Option<i64>, said: Option<&str>, words: &InboxWords) -> Option<String> {
    let ours = code.and_then(|code| words.failure(code));
    let said = ours.or_else(|| said.filter(|said| !said.is_empty())).map(str::to_owned);
    said.or_else(|| code.map(|code| code.to_string()))
}

fn row(found: FoundMessage, words: &InboxWords) -> FoundRow {
    let why = found.delivery.as_ref().and_then(MessageDelivery::failure);
    let failure = why.and_then(|(code, said)| failure(code, said, words));
    FoundRow {
        explained: explained(found.id),
        at: found.created_at.into(),
        from: found.from.map(|from| from.as_str().to_owned()),
        template: found.template.map(|template| template.name),
        stage: found.delivery.as_ref().map(MessageDelivery::stage),
        failure,
        conversation: found.conversation.map(|id| format!("/dashboard/inbox/{id}")),
    }
}

pub(super) async fn explain(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let unknown = || not_found("message");
    let id = id(&request).ok_or_else(unknown)?;
    let workspace = by.session.workspace;
    let told = app.run(move |app| async move { app.dashboard.explain_message.run(workspace, id).await });
    let life = told.await??.ok_or_else(unknown)?;
    // Agents see no settings.
    let section = if by.session.role == Role::Owner { Section::Messages } else { Section::Inbox };
    let frame = frame::of(&app, &request, &by, section).await?;
    let MessageLife { id, conversation, template, reference, sending, told, recorded_at, .. } = life;
    let words = &frame.words().inbox;
    let said = |sending: &Sending| failure(sending.error_code, sending.error.as_deref(), words);
    let error = sending.as_ref().and_then(said);
    let mut steps = sending.as_ref().map(steps).unwrap_or_default();
    steps.extend(recorded_at.filter(|_| sending.is_none()).map(|at| (LifeStep::Recorded, at.into())));
    page(
        StatusCode::OK,
        &LifePage {
            frame: &frame,
            id: id.to_string(),
            conversation: conversation.map(|id| format!("/dashboard/inbox/{id}")),
            template: template.map(|template| template.name),
            reference,
            steps,
            error,
            told: told.into_iter().map(telling).collect(),
        },
    )
}

/// Returns the steps of a sending, earliest first.
fn steps(sending: &Sending) -> Vec<(LifeStep, dashboard_pages::Moment)> {
    use domain::messages::SendingState::{InFlight, Refused, Sent};
    let settled = match sending.state {
        InFlight => None,
        Sent => sending.settled_at.map(|at| (LifeStep::Taken, at)),
        Refused => sending.settled_at.map(|at| (LifeStep::Refused, at)),
    };
    let progress = &sending.progress;
    let reported = [
        (LifeStep::Delivered, progress.delivered_at),
        (LifeStep::Read, progress.read_at),
        (LifeStep::Failed, progress.failed_at),
    ];
    let reported = reported.into_iter().filter_map(|(step, at)| Some((step, at?)));
    let all = [(LifeStep::Asked, sending.asked_at)].into_iter().chain(settled).chain(reported);
    all.map(|(step, at)| (step, at.into())).collect()
}

fn telling(Told { delivery, attempts }: Told) -> TellingRow {
    TellingRow {
        href: format!("/dashboard/settings/deliveries/{}", delivery.id),
        event: delivery.event,
        state: delivery.state,
        at: delivery.created_at.into(),
        attempts: attempts.len(),
    }
}
