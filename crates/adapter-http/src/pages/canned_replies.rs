//! `/canned-replies`: short texts that members reply with.

use actix_web::{HttpResponse, web::Payload};
use dashboard_pages::{CannedPage, CannedRow, Section};
use domain::{
    canned_replies::{CannedReply, CannedReplyError},
    ids::CannedReplyId,
};
use serde::Deserialize;

use super::{
    act::{self, Answer, Call, Rows},
    answer::page,
    refusal,
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

const PATH: &str = "/dashboard/canned-replies";

/// What a canned reply is called and says.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    /// Letters, digits, `-` and `_`, without its slash. Case and Arabic letter variants make no difference.
    shortcut: String,
    text: String,
}

/// A reply that was not kept: the one to replace, `None` to add one, what was typed, and why.
type NotKept = (Option<CannedReplyId>, Written, Problem);

fn unknown() -> Problem {
    not_found("canned reply")
}

impl From<CannedReplyError> for Problem {
    fn from(error: CannedReplyError) -> Self {
        let message = error.to_string();
        match error {
            CannedReplyError::Shortcut | CannedReplyError::Text => Self::invalid(message),
            CannedReplyError::Taken => Self::dashboard(DashboardCode::ShortcutTaken, message),
            CannedReplyError::TooMany => Self::dashboard(DashboardCode::TooManyCannedReplies, message),
            CannedReplyError::Unknown => unknown(),
            CannedReplyError::Store(error) => error.into(),
        }
    }
}

fn row(reply: CannedReply) -> CannedRow {
    CannedRow {
        id: reply.id.to_string(),
        shortcut: reply.shortcut.as_str().to_owned(),
        text: reply.text,
        author_id: reply.author.to_string(),
        changed_at: reply.changed_at.into(),
        is_typed: false,
    }
}

/// The canned replies, by shortcut.
pub(super) async fn list(call: Call) -> Answer {
    show(&call, None).await
}

async fn show(call: &Call, not_kept: Option<NotKept>) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.dashboard.canned_replies.list(workspace).await });
    let mut rows: Vec<CannedRow> = listed.await?.into_iter().map(row).collect();
    if call.is_of_api() {
        return act::ok(&Rows { rows });
    }
    let frame = call.frame(Section::Inbox).await?;
    let (mut draft, mut refused) = Default::default();
    if let Some((of, Written { shortcut, text }, problem)) = not_kept {
        let words = frame.words();
        refused = Some(refusal::of_shared(&call.request, problem, ("shortcut", words.wrong.canned), words)?);
        let of = of.map(|of| of.to_string());
        match rows.iter_mut().find(|row| Some(&row.id) == of.as_ref()) {
            Some(row) => (row.shortcut, row.text, row.is_typed) = (shortcut, text, true),
            // To be added, or removed by somebody meanwhile: what was typed can be added anew.
            None => draft = (shortcut, text),
        }
    }
    page(refusal::status(refused.as_ref()), &CannedPage { frame: &frame, replies: rows, draft, refused })
}

/// Adds a canned reply.
pub(super) async fn add(call: Call, payload: Payload) -> Answer {
    let written: Written = call.input(payload).await?;
    let (workspace, author, Written { shortcut, text }) =
        (call.workspace(), call.by.session.member, written.clone());
    let added = call.run(move |app| async move {
        app.dashboard.canned_replies.add(workspace, author, &shortcut, &text).await
    });
    let added = added.await.and_then(|reply| act::created(&row(reply)));
    call.answer(added, PATH, |problem| show(&call, Some((None, written, problem)))).await
}

/// Replaces or removes a canned reply.
pub(super) async fn change(call: Call, payload: Payload) -> Answer {
    let written: Written = call.input(payload).await?;
    let id: CannedReplyId = call.id(unknown)?;
    let (removes, is_of_api) = (call.removes(), call.is_of_api());
    let (workspace, author, Written { shortcut, text }) =
        (call.workspace(), call.by.session.member, written.clone());
    let changed = call.app.run(move |app| async move {
        let replies = &app.dashboard.canned_replies;
        if removes {
            replies.remove(workspace, id).await.map(|()| None)
        } else {
            replies.replace(workspace, author, id, &shortcut, &text).await.map(Some)
        }
    });
    let changed = match changed.await? {
        // Already gone, as was wanted.
        Err(CannedReplyError::Unknown) if removes && !is_of_api => Ok(None),
        changed => changed,
    };
    let changed = changed.map(|reply| match reply {
        Some(reply) => HttpResponse::Ok().json(row(reply)),
        None => HttpResponse::NoContent().finish(),
    });
    let again = |problem| show(&call, Some((Some(id), written, problem)));
    call.answer(changed.map_err(Problem::from), PATH, again).await
}
