//! `/dashboard/inbox/moves`: moving several conversations at once.

use actix_web::{http::StatusCode, web::Payload};
use dashboard_pages::{InboxPage, Section};
use domain::{conversations::Move, ids::ConversationId};

use super::{
    super::{
        act::{Answer, Call},
        answer::{page, see_other},
        form::Form,
        refusal,
    },
    found, list,
    moves::parse_command,
    query::read_query,
};
use crate::{problem::Problem, query::Parameters};

/// Most conversations moved at once: as many as the longest page lists.
const MOST: usize = 100;

/// Moves each of the chosen conversations; a failure of one does not stop the others.
pub(in crate::pages) async fn make_move(call: Call, payload: Payload) -> Answer {
    let form = Form::of(&call.request, payload).await?;
    let chosen = chosen(&form)?;
    let to = match form.text("do")?.as_str() {
        "give" => form.text("to")?,
        other => other.to_owned(),
    };
    let (workspace, member) = (call.workspace(), call.by.session.member);
    let asked_for = Move::manual(member, parse_command(&to, member)?);
    let ids = chosen.clone();
    let moved = call.app.run(move |app| async move {
        let mut refused = Vec::new();
        for id in ids {
            if let Err(error) = app.change_conversation.run(workspace, id, &asked_for).await {
                refused.push((id, Problem::from(error)));
            }
        }
        refused
    });
    let refused = moved.await?;
    let words = call.words();
    let why = match refused.first() {
        None if chosen.is_empty() => words.several.nothing_chosen.to_owned(),
        None => return Ok(see_other(&read_query(&Parameters::of(&call.request)?)?.list())),
        Some((_, problem)) => {
            let (done, all) = (chosen.len().saturating_sub(refused.len()), chosen.len());
            format!("{}: {done} / {all}. {}", words.several.moved, refusal::sentence(problem, words))
        }
    };
    let left = refused.into_iter().map(|(id, _)| id).collect();
    render(&call, (why, left)).await
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
async fn render(call: &Call, several: (String, Vec<ConversationId>)) -> Answer {
    let parameters = Parameters::of(&call.request)?.filled();
    let query = read_query(&parameters)?;
    let frame = call.frame(Section::Inbox).await?;
    let team = found::team(&call.app, &call.by).await?;
    let around = list::Around { open: None, several: Some(several) };
    let list = list::of(call, &parameters, &query, &team, frame.words(), around).await?;
    page(StatusCode::UNPROCESSABLE_ENTITY, &InboxPage { frame: &frame, list, conversation: None })
}
