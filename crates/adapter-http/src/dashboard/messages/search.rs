//! `GET /messages/search` and `GET /conversations/{id}/messages/search`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::{
    ids::{ContactId, ConversationId, MessageId},
    messages::{MessageMatch, SearchMessagesError, SnippetPart},
    paging::Page,
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    app::App,
    paging::{id, not_found, read_page},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

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
pub(crate) struct MatchBody {
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

/// A page of messages that were found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchesBody {
    rows: Vec<MatchBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

impl From<MessageMatch> for MatchBody {
    fn from(found: MessageMatch) -> Self {
        let part = |SnippetPart { text, is_match }| SnippetBody { text, is_match };
        Self {
            id: found.id,
            conversation_id: found.conversation,
            channel: found.channel.as_str(),
            contact_id: found.contact,
            contact_name: found.name,
            contact_phone: found.phone.map(|phone| phone.as_str().to_owned()),
            role: found.role.as_str(),
            snippet: found.snippet.into_iter().map(part).collect(),
            created_at: found.created_at,
            page_from_here: found.from_here,
        }
    }
}

impl From<Page<MessageMatch>> for MatchesBody {
    fn from(page: Page<MessageMatch>) -> Self {
        Self { rows: page.rows.into_iter().map(MatchBody::from).collect(), next_cursor: page.next }
    }
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

/// Messages of all conversations by their words, newest first: those that have a word beginning with each of
/// `q`, in any order. Letters that people take for each other count as one, as in a search for people, and an
/// Arabic article or particle is not looked at. The words of voice notes count, notices and deleted messages
/// do not.
pub(crate) async fn everywhere(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<MatchesBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let found = search_page(&app, &by, &parameters, "q", None).await?;
    Ok(Json(found.ok_or_else(|| not_found("conversation"))?.into()))
}

/// Messages of one conversation by their words, as in all conversations.
///
/// A page may hold less than `limit`, even nothing, and have a `nextCursor`: only so many messages are looked
/// at for each page.
pub(crate) async fn within(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<MatchesBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let unknown = || not_found("conversation");
    let id = id(&request).ok_or_else(unknown)?;
    Ok(Json(search_page(&app, &by, &parameters, "q", Some(id)).await?.ok_or_else(unknown)?.into()))
}

/// Returns a page of matches for the query parameter `named`; `None` if there is no such conversation.
pub(crate) async fn search_page(
    app: &Data<App>,
    by: &SignedIn,
    parameters: &Parameters,
    named: &'static str,
    within: Option<ConversationId>,
) -> Result<Option<Page<MessageMatch>>, Problem> {
    let asked = read_page(parameters)?;
    let written = parameters.get(named)?.unwrap_or_default().to_owned();
    let workspace = by.session.workspace;
    let found = app.search(by, move |app| async move {
        app.dashboard.search_messages.run(workspace, within, &written, &asked).await
    });
    Ok(found.await??)
}
