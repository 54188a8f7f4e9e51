//! `/messages/search` and `/conversations/{id}/messages/search`, in the browser `/dashboard/messages`:
//! messages by their words, of all conversations or of one.

use actix_web::http::StatusCode;
use dashboard_pages::{MatchRow, SearchPage, Section, Words};
use domain::{
    ids::{ContactId, ConversationId, MessageId},
    messages::{MessageMatch, SearchMessagesError, SnippetPart},
    paging::Page,
};
use serde::Serialize;
use time::OffsetDateTime;
use url::form_urlencoded::Serializer;

use super::super::{
    act::{self, Answer, Call, PageOfRows},
    answer::page,
    refusal,
};
use crate::{
    paging::{not_found, read_page},
    problem::Problem,
    query::Parameters,
};

const PATH: &str = "/dashboard/messages";

/// A part of a message around what was looked for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SnippetBody {
    text: String,
    /// Whether it is a word that was looked for.
    is_match: bool,
}

/// A message that was found by its words.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MatchBody {
    id: MessageId,
    conversation_id: ConversationId,
    channel: &'static str,
    contact_id: ContactId,
    contact_name: Option<String>,
    contact_phone: Option<String>,
    role: &'static str,
    /// What it says around the first of the words, in parts that follow each other.
    snippet: Vec<SnippetBody>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    /// As `cursor` of the conversation's messages: the page that begins with this one.
    page_from_here: String,
}

fn told(found: &MessageMatch) -> MatchBody {
    let part = |SnippetPart { text, is_match }| SnippetBody { text, is_match };
    MatchBody {
        id: found.id,
        conversation_id: found.conversation,
        channel: found.channel.as_str(),
        contact_id: found.contact,
        contact_name: found.name.clone(),
        contact_phone: found.phone.as_ref().map(|phone| phone.as_str().to_owned()),
        role: found.role.as_str(),
        snippet: found.snippet.iter().cloned().map(part).collect(),
        created_at: found.created_at,
        page_from_here: found.from_here.clone(),
    }
}

fn unknown() -> Problem {
    not_found("conversation")
}

/// Messages of all conversations by their words, newest first: those that have a word beginning with each of
/// `q`, in any order. Letters that people take for each other count as one, as in a search for people, and an
/// Arabic article or particle is not looked at. The words of voice notes count, notices and deleted messages
/// do not.
pub(in crate::pages) async fn everywhere(call: Call) -> Answer {
    let found = search(&call, &call.parameters()?, "q", None).await?;
    act::ok(&PageOfRows::of(found, told))
}

/// Messages of one conversation by their words, as in all conversations.
///
/// A page may hold less than `limit`, even nothing, and have a `nextCursor`: only so many messages are looked
/// at for each page.
pub(in crate::pages) async fn within(call: Call) -> Answer {
    let parameters = call.parameters()?;
    let found = search(&call, &parameters, "q", Some(call.id(unknown)?)).await?;
    act::ok(&PageOfRows::of(found, told))
}

/// Returns a page of matches for the query parameter `named`.
async fn search(
    call: &Call,
    parameters: &Parameters,
    named: &'static str,
    within: Option<ConversationId>,
) -> Result<Page<MessageMatch>, Problem> {
    let asked = read_page(parameters)?;
    let written = parameters.get(named)?.unwrap_or_default().to_owned();
    let workspace = call.workspace();
    let found = call.app.search(&call.by, move |app| async move {
        app.dashboard.search_messages.run(workspace, within, &written, &asked).await
    });
    found.await??.ok_or_else(unknown)
}

pub(in crate::pages) async fn show(call: Call) -> Answer {
    let frame = call.frame(Section::Inbox).await?;
    let parameters = call.parameters()?;
    let typed = parameters.get("search")?.unwrap_or_default().to_owned();
    let within = parameters.get("conversationId")?;
    let within: Option<ConversationId> = within.map(|id| id.parse().map_err(|_| unknown())).transpose()?;
    let (mut status, mut matches, mut earlier, mut refused) = (StatusCode::OK, None, None, None);
    if !typed.is_empty() {
        match search(&call, &parameters, "search", within).await {
            Ok(found) => {
                earlier = found.next.map(|next| link(&typed, within, Some(&next)));
                matches = Some(found.rows.into_iter().map(|found| row(found, frame.words())).collect());
            }
            Err(problem) => {
                status = StatusCode::UNPROCESSABLE_ENTITY;
                let (words, wrong) = (frame.words(), ("search", frame.words().wrong.words));
                refused = Some(refusal::of_only(&call.request, problem, wrong, words)?);
            }
        }
    }
    let everywhere = link(&typed, None, None);
    let within = within.map(|id| id.to_string());
    page(status, &SearchPage { frame: &frame, search: typed, within, everywhere, matches, earlier, refused })
}

impl From<SearchMessagesError> for Problem {
    fn from(error: SearchMessagesError) -> Self {
        match error {
            SearchMessagesError::Store(error) => error.into(),
            wrong @ (SearchMessagesError::Search(_) | SearchMessagesError::Cursor(_)) => {
                Self::invalid(wrong.to_string())
            }
        }
    }
}

fn link(search: &str, within: Option<ConversationId>, cursor: Option<&str>) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("search", search);
    if let Some(within) = within {
        query.append_pair("conversationId", &within.to_string());
    }
    query.extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
    format!("{PATH}?{}", query.finish())
}

fn row(found: MessageMatch, words: &Words) -> MatchRow {
    let query = Serializer::new(String::new()).append_pair("before", &found.from_here).finish();
    let phone = found.phone.map(|phone| phone.as_str().to_owned());
    MatchRow {
        href: format!("/dashboard/inbox/{}?{query}#message-{}", found.conversation, found.id),
        name: found.name.or(phone).unwrap_or_else(|| words.inbox.nameless.to_owned()),
        channel: found.channel,
        role: found.role,
        snippet: found.snippet.into_iter().map(|part| (part.text, part.is_match)).collect(),
        at: found.created_at.into(),
    }
}
