//! `/conversations/{id}/notes`, which customers do not see, and `/mentions`.

use actix_web::{HttpResponse, web::Payload};
use domain::{
    ids::{ConversationId, MemberId, NoteId},
    notes::{Note, NoteError},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    super::{
        act::{self, Answer, Call, Given, PageOfRows, Rows},
        form::Form,
    },
    found,
    page::show_or_leave,
    query::{conversation, unknown},
    refused::RefusedAct,
};
use crate::{
    paging::read_page,
    problem::{DashboardCode, Problem},
};

/// What a member writes to the team.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewNoteBody {
    text: String,
    /// Members who are shown it until they have seen the conversation.
    #[serde(default)]
    mentions: Vec<MemberId>,
}

/// A note about a conversation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NoteBody {
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
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let page = read_page(&call.parameters()?)?;
    let (workspace, id) = (call.workspace(), conversation(&call)?);
    let listed = call.run(move |app| async move { app.dashboard.notes.list(workspace, id, &page).await });
    act::ok(&PageOfRows::from_rows(listed.await?.ok_or_else(unknown)?, NoteBody::from))
}

/// Reads a note from a form, with a tick for each member who is mentioned.
async fn read(call: &Call, form: &Form) -> Result<NewNoteBody, Problem> {
    // Browsers end lines with CRLF, which would count as two characters.
    let text = form.text("text")?.replace("\r\n", "\n");
    let mut mentions = Vec::new();
    for member in found::team(&call.app, &call.by).await?.members {
        if form.filled(&format!("mention-{}", member.id))?.is_some() {
            mentions.push(member.id);
        }
    }
    Ok(NewNoteBody { text, mentions })
}

/// Writes a note. It is never sent.
pub(in crate::pages) async fn add(call: Call, payload: Payload) -> Answer {
    let id = conversation(&call)?;
    let NewNoteBody { text, mentions } = match call.given(payload).await? {
        Given::Json(payload) => call.json(payload).await?,
        Given::Form(form) => read(&call, &form).await?,
    };
    let (workspace, author) = (call.workspace(), call.by.session.member);
    let (written, mentioned) = (text.clone(), mentions.clone());
    let added = call.run(move |app| async move {
        app.dashboard.notes.add(workspace, author, id, &written, mentioned).await
    });
    let (id, added) = match added.await {
        // One that was merged into another has its id.
        Ok(note) => (note.conversation, act::created(&NoteBody::from(note))),
        Err(problem) => (id, Err(problem)),
    };
    show_or_leave(&call, id, added, RefusedAct { note: Some(text), mentions, ..RefusedAct::default() }).await
}

/// Notes that mention one and whose conversations one has not looked at since, newest first.
pub(in crate::pages) async fn mentions(call: Call) -> Answer {
    let (workspace, member) = (call.workspace(), call.by.session.member);
    let listed = call.run(move |app| async move { app.dashboard.notes.mentions(workspace, member).await });
    act::ok(&Rows { rows: listed.await?.into_iter().map(NoteBody::from).collect() })
}

/// Marks what mentions one in a conversation as seen.
pub(in crate::pages) async fn see(call: Call) -> Answer {
    let (workspace, member, id) = (call.workspace(), call.by.session.member, conversation(&call)?);
    let seen = call.run(move |app| async move {
        if app.get_conversation.run(workspace, id).await?.is_none() {
            return Ok(false);
        }
        app.dashboard.notes.see(workspace, member, id).await.map(|()| true)
    });
    if seen.await? { Ok(HttpResponse::NoContent().finish()) } else { Err(unknown()) }
}
