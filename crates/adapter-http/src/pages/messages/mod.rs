//! `/messages`, in the browser `/dashboard/settings/messages`: messages by what is known of them, and the
//! history of each.

pub(super) mod life;
pub(super) mod search;

use actix_web::http::StatusCode;
use dashboard_pages::{FoundPage, FoundRow, Section, words::InboxWords};
use domain::{
    messages::{Clue, FoundMessage, MessageDelivery, NetworkMessageId, Sight},
    paging::Page,
    phone::PhoneNumber,
};
use url::form_urlencoded::Serializer;

use super::{
    act::{self, Answer, Call},
    answer::page,
    links::{MESSAGES as PATH, explained},
    refusal,
};
use crate::{
    messages::find::{StatesBody, sent_under},
    problem::Problem,
    query::Parameters,
};

/// Parameters that a message can be found by.
const CLUES: [&str; 3] = ["reference", "phone", "networkId"];

/// Sight of members: conversations and sends alike.
const EVERYTHING: Sight = Sight { conversations: true, sends: true };

const MAX_NETWORK_ID_CHARS: usize = 512;

/// Messages by what somebody knows of them, newest first: the reference that they were sent with, the number
/// of the person, or the network's own id. One of the three.
///
/// Of a number these are the newest 30 with this person, theirs and the team's; those before stand in the
/// conversation. What is kept in no conversation, such as a one-time code, is found by its reference or the
/// network's id.
pub(super) async fn find(call: Call) -> Answer {
    act::ok(&StatesBody::from(find_page(&call, &call.parameters()?).await?))
}

/// Returns a page of the messages that the parameters name.
async fn find_page(call: &Call, parameters: &Parameters) -> Result<Page<FoundMessage>, Problem> {
    let workspace = call.workspace();
    let Some(clue) = clue(call, parameters)? else {
        return sent_under(&call.app, workspace, EVERYTHING, parameters).await;
    };
    let found =
        call.run(move |app| async move { app.find_messages.by_clue(workspace, EVERYTHING, &clue).await });
    Ok(Page { rows: found.await?, next: None })
}

/// Parses the number or network id to search by; `None` if the search is by reference.
fn clue(call: &Call, parameters: &Parameters) -> Result<Option<Clue>, Problem> {
    let read = |text: &str| PhoneNumber::parse_known(text, call.by.session.region).ok();
    let phone = parameters.read("phone", read, "a phone number")?.map(Clue::Number);
    let fits = |text: &str| {
        let count = text.trim().chars().count();
        (1..=MAX_NETWORK_ID_CHARS).contains(&count).then(|| NetworkMessageId::from(text.trim().to_owned()))
    };
    let network = parameters.read("networkId", fits, "1 to 512 characters")?.map(Clue::NetworkId);
    let has_more = ["reference", "cursor"].map(|name| parameters.get(name));
    let has_more = has_more.into_iter().collect::<Result<Vec<_>, _>>()?.iter().any(Option::is_some);
    match (phone, network) {
        (None, None) => Ok(None),
        (Some(clue), None) | (None, Some(clue)) if !has_more => Ok(Some(clue)),
        _ => Err(Problem::invalid(
            "one of `reference`, `phone` and `networkId`, and `cursor` with the first of them only",
        )),
    }
}

/// Finds messages by the one clue that is typed.
pub(super) async fn show(call: Call) -> Answer {
    let frame = call.frame(Section::Messages).await?;
    let parameters = call.parameters()?;
    let by_what = parameters.get("by")?.and_then(|word| CLUES.into_iter().find(|clue| *clue == word));
    let by_what = by_what.unwrap_or("reference");
    let clue = parameters.get("clue")?.or(parameters.get("reference")?).unwrap_or_default().to_owned();
    let query = link(by_what, &clue, parameters.get("cursor")?);
    let asked = Parameters::read_all(&query).ok_or_else(|| Problem::invalid("the query cannot be read"))?;
    let (mut status, mut found, mut earlier, mut refused) = (StatusCode::OK, None, None, None);
    if !clue.is_empty() {
        match find_page(&call, &asked).await {
            Ok(page) => {
                let words = &frame.words().inbox;
                found = Some(page.rows.into_iter().map(|found| row(found, words)).collect());
                earlier = page.next.map(|next| format!("{PATH}?{}", link(by_what, &clue, Some(&next))));
            }
            Err(problem) => {
                status = StatusCode::UNPROCESSABLE_ENTITY;
                let words = frame.words();
                let wrong = if by_what == "phone" {
                    refusal::of_only(&call.request, problem, ("clue", words.refusals.invalid_phone), words)
                } else {
                    refusal::of_form(&call.request, problem, words)
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
