//! `/conversations/{id}/notes`, which customers do not see, and `/mentions`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    ids::{ConversationId, MemberId, NoteId},
    notes::{Note, NoteError},
    paging::Page,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::missing::unknown;
use crate::{
    app::App,
    body,
    paging::{id, read_page},
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// What a member writes to the team.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewNoteBody {
    text: String,
    /// Members who are shown it until they have seen the conversation.
    #[serde(default)]
    mentions: Vec<MemberId>,
}

/// A note about a conversation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoteBody {
    id: NoteId,
    conversation_id: ConversationId,
    author_id: MemberId,
    text: String,
    mentions: Vec<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

impl From<Note> for NoteBody {
    fn from(note: Note) -> Self {
        Self {
            id: note.id,
            conversation_id: note.conversation,
            author_id: note.author,
            text: note.text,
            mentions: note.mentions,
            created_at: note.created_at,
        }
    }
}

/// A page of notes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotesBody {
    rows: Vec<NoteBody>,
    /// What the next page is asked with; null on the last one.
    next_cursor: Option<String>,
}

impl From<Page<Note>> for NotesBody {
    fn from(page: Page<Note>) -> Self {
        Self { rows: page.rows.into_iter().map(NoteBody::from).collect(), next_cursor: page.next }
    }
}

/// Notes that mention one.
#[derive(Serialize)]
pub(crate) struct MentionsBody {
    rows: Vec<NoteBody>,
}

impl From<NoteError> for Problem {
    fn from(error: NoteError) -> Self {
        let message = error.to_string();
        match error {
            NoteError::Text | NoteError::TooManyMentions => Self::invalid(message),
            NoteError::UnknownMember => Self::dashboard(DashboardCode::MemberNotFound, message),
            NoteError::UnknownConversation => unknown(),
            NoteError::Store(error) => error.into(),
        }
    }
}

/// The notes of a conversation, newest first. No customer sees them, and no event tells of them.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<NotesBody>, Problem> {
    let page = read_page(&Parameters::of(&request)?)?;
    let (workspace, id) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let listed = app.run(move |app| async move { app.dashboard.notes.list(workspace, id, &page).await });
    Ok(Json(listed.await??.ok_or_else(unknown)?.into()))
}

/// Writes a note. It is never sent.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewNoteBody { text, mentions } = body::json(&request, payload).await?.fields;
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, author) = (by.session.workspace, by.session.member);
    let added = app
        .run(move |app| async move { app.dashboard.notes.add(workspace, author, id, &text, mentions).await });
    Ok(HttpResponse::Created().json(NoteBody::from(added.await??)))
}

/// Notes that mention one and whose conversations one has not looked at since, newest first.
pub(crate) async fn mentions(app: Data<App>, by: SignedIn) -> Result<Json<MentionsBody>, Problem> {
    let (workspace, member) = (by.session.workspace, by.session.member);
    let listed = app.run(move |app| async move { app.dashboard.notes.mentions(workspace, member).await });
    Ok(Json(MentionsBody { rows: listed.await??.into_iter().map(NoteBody::from).collect() }))
}

/// Marks what mentions one in a conversation as seen.
pub(crate) async fn see(app: Data<App>, by: SignedIn, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let id: ConversationId = id(&request).ok_or_else(unknown)?;
    let (workspace, member) = (by.session.workspace, by.session.member);
    let seen = app.run(move |app| async move {
        if app.get_conversation.run(workspace, id).await?.is_none() {
            return Ok(false);
        }
        app.dashboard.notes.see(workspace, member, id).await.map(|()| true)
    });
    if seen.await?? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}
