//! `/dashboard/inbox/moves`: moving several conversations at once.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use dashboard_pages::{InboxPage, Section};
use domain::{conversations::Move, ids::ConversationId};

use super::{
    super::{
        answer::{page, see_other},
        form::Form,
        frame, refusal,
    },
    acts::parse_command,
    found, list,
    query::read_query,
};
use crate::{app::App, problem::Problem, query::Parameters, session::SignedIn};

/// Most conversations moved at once: as many as the longest page lists.
const MOST: usize = 100;

/// Moves each of the chosen conversations; a failure of one does not stop the others.
pub(in crate::pages) async fn make_move(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let chosen = chosen(&form)?;
    let to = match form.text("do")?.as_str() {
        "give" => form.text("to")?,
        other => other.to_owned(),
    };
    let (workspace, member) = (by.session.workspace, by.session.member);
    let command = parse_command(&to, member).ok_or_else(|| Problem::invalid("`to` names no move"))?;
    let asked_for = Move::manual(member, command);
    let ids = chosen.clone();
    let moved = app.run(move |app| async move {
        let mut refused = Vec::new();
        for id in ids {
            if let Err(error) = app.change_conversation.run(workspace, id, &asked_for).await {
                refused.push((id, Problem::from(error)));
            }
        }
        refused
    });
    let refused = moved.await?;
    let words = frame::bare(&request).words();
    let why = match refused.first() {
        None if chosen.is_empty() => words.several.nothing_chosen.to_owned(),
        None => return Ok(see_other(&read_query(&Parameters::of(&request)?)?.list())),
        Some((_, problem)) => {
            let (done, all) = (chosen.len().saturating_sub(refused.len()), chosen.len());
            format!("{}: {done} / {all}. {}", words.several.moved, refusal::sentence(problem, words))
        }
    };
    let left = refused.into_iter().map(|(id, _)| id).collect();
    render(&app, &by, &request, (why, left)).await
}

/// Parses the ticked conversations, without duplicates.
fn chosen(form: &Form) -> Result<Vec<ConversationId>, Problem> {
    let read = |name: &str| name.strip_prefix("conversation-").map(str::parse);
    let read: Result<Vec<ConversationId>, _> = form.names().filter_map(read).collect();
    let mut chosen = read.map_err(|_| Problem::invalid("`conversation-` is followed by a UUID"))?;
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.len() > MOST {
        return Err(Problem::invalid(format!("at most {MOST} conversations are moved at once")));
    }
    Ok(chosen)
}

/// Shows the list with why not all were moved. Those that were not stay ticked.
async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    several: (String, Vec<ConversationId>),
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(request)?.filled();
    let query = read_query(&parameters)?;
    let frame = frame::of(app, request, by, Section::Inbox).await?;
    let team = found::team(app, by).await?;
    let around = list::Around { request, open: None, several: Some(several) };
    let list = list::of(app, by, &parameters, &query, &team, frame.words(), around).await?;
    page(StatusCode::UNPROCESSABLE_ENTITY, &InboxPage { frame: &frame, list, conversation: None })
}
