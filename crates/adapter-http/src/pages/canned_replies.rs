//! `/canned-replies`: short texts that members reply with.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{CannedPage, CannedRow, Section};
use domain::{
    canned_replies::{CannedReply, CannedReplyError},
    ids::CannedReplyId,
};
use serde::Deserialize;

use super::{
    act::{self, Rows},
    answer::page,
    frame, refusal,
};
use crate::{
    app::App,
    dashboard::is_of_api,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
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
pub(super) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    show(&app, &by, &request, None).await
}

async fn show(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    not_kept: Option<NotKept>,
) -> Result<HttpResponse, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.canned_replies.list(workspace).await });
    let mut rows: Vec<CannedRow> = listed.await??.into_iter().map(row).collect();
    if is_of_api(request) {
        return Ok(HttpResponse::Ok().json(Rows { rows }));
    }
    let frame = frame::of(app, request, by, Section::Inbox).await?;
    let (mut draft, mut refused) = Default::default();
    if let Some((of, Written { shortcut, text }, problem)) = not_kept {
        let words = frame.words();
        refused = Some(refusal::of_shared(request, problem, ("shortcut", words.wrong.canned), words)?);
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
pub(super) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written: Written = act::input(&request, payload).await?;
    let (workspace, author, Written { shortcut, text }) =
        (by.session.workspace, by.session.member, written.clone());
    let added = app.run(move |app| async move {
        app.dashboard.canned_replies.add(workspace, author, &shortcut, &text).await
    });
    let added = added.await?.map(|reply| HttpResponse::Created().json(row(reply)));
    let again = |problem| show(&app, &by, &request, Some((None, written, problem)));
    act::answer(&request, added.map_err(Problem::from), PATH, again).await
}

/// Replaces or removes a canned reply.
pub(super) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let written: Written = act::input(&request, payload).await?;
    let id: CannedReplyId = id(&request).ok_or_else(unknown)?;
    let (removes, is_of_api) = (act::removes(&request), is_of_api(&request));
    let (workspace, author, Written { shortcut, text }) =
        (by.session.workspace, by.session.member, written.clone());
    let changed = app.run(move |app| async move {
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
    let again = |problem| show(&app, &by, &request, Some((Some(id), written, problem)));
    act::answer(&request, changed.map_err(Problem::from), PATH, again).await
}
