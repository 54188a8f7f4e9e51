//! `/canned-replies`: short texts that members reply with.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    canned_replies::{CannedReply, CannedReplyError},
    ids::{CannedReplyId, MemberId},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// What a canned reply is called and says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCannedReplyBody {
    /// Letters, digits, `-` and `_`, without its slash. Case and Arabic letter variants make no difference.
    shortcut: String,
    text: String,
}

/// A canned reply.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CannedReplyBody {
    id: CannedReplyId,
    shortcut: String,
    text: String,
    author_id: MemberId,
    #[serde(with = "domain::clock::timestamp")]
    changed_at: OffsetDateTime,
}

impl From<CannedReply> for CannedReplyBody {
    fn from(reply: CannedReply) -> Self {
        Self {
            id: reply.id,
            shortcut: reply.shortcut.as_str().to_owned(),
            text: reply.text,
            author_id: reply.author,
            changed_at: reply.changed_at,
        }
    }
}

/// The canned replies.
#[derive(Serialize)]
pub(crate) struct CannedRepliesBody {
    rows: Vec<CannedReplyBody>,
}

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

/// The canned replies, by shortcut.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<CannedRepliesBody>, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.canned_replies.list(workspace).await });
    Ok(Json(CannedRepliesBody { rows: listed.await??.into_iter().map(CannedReplyBody::from).collect() }))
}

/// Adds a canned reply.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let NewCannedReplyBody { shortcut, text } = body::json(&request, payload).await?.fields;
    let (workspace, author) = (by.session.workspace, by.session.member);
    let added = app.run(move |app| async move {
        app.dashboard.canned_replies.add(workspace, author, &shortcut, &text).await
    });
    Ok(HttpResponse::Created().json(CannedReplyBody::from(added.await??)))
}

/// Replaces a canned reply.
pub(crate) async fn replace(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<Json<CannedReplyBody>, Problem> {
    let NewCannedReplyBody { shortcut, text } = body::json(&request, payload).await?.fields;
    let id = id(&request).ok_or_else(unknown)?;
    let (workspace, author) = (by.session.workspace, by.session.member);
    let replaced = app.run(move |app| async move {
        app.dashboard.canned_replies.replace(workspace, author, id, &shortcut, &text).await
    });
    Ok(Json(replaced.await??.into()))
}

/// Removes a canned reply.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (workspace, id) = (by.session.workspace, id(&request).ok_or_else(unknown)?);
    let removed = app.run(move |app| async move { app.dashboard.canned_replies.remove(workspace, id).await });
    removed.await??;
    Ok(HttpResponse::NoContent().finish())
}
