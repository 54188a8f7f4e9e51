//! `/dashboard/canned-replies`: short texts that members reply with.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{CannedPage, CannedRow, Section};
use domain::{
    canned_replies::{CannedReply, CannedReplyError},
    ids::CannedReplyId,
};

use super::super::{
    answer::{page, see_other},
    form::Form,
    frame, refusal,
};
use crate::{
    app::App,
    paging::{id, not_found},
    problem::Problem,
    session::SignedIn,
};

const PATH: &str = "/dashboard/canned-replies";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, None, Written::default()).await
}

/// Content of the form; `of` is the reply to replace, `None` to add one.
#[derive(Default)]
struct Written {
    of: Option<CannedReplyId>,
    shortcut: String,
    text: String,
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    refused: Option<Problem>,
    written: Written,
) -> Result<HttpResponse, Problem> {
    let frame = frame::of(app, request, by, Section::Inbox).await?;
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.canned_replies.list(workspace).await });
    let row = |reply: CannedReply| CannedRow {
        id: reply.id.to_string(),
        shortcut: reply.shortcut.as_str().to_owned(),
        text: reply.text,
        is_typed: false,
    };
    let mut replies: Vec<CannedRow> = listed.await??.into_iter().map(row).collect();
    let Written { of, shortcut, text } = written;
    let draft = match of.map(|of| of.to_string()) {
        None => (shortcut, text),
        Some(of) => match replies.iter_mut().find(|row| row.id == of) {
            Some(row) => {
                (row.shortcut, row.text, row.is_typed) = (shortcut, text, true);
                Default::default()
            }
            // Removed by somebody meanwhile: what was typed can be added anew.
            None => (shortcut, text),
        },
    };
    let words = frame.words();
    let wrong = ("shortcut", words.wrong.canned);
    let refused = refused.map(|problem| refusal::of_shared(request, problem, wrong, words)).transpose()?;
    let status = refusal::status(refused.as_ref());
    page(status, &CannedPage { frame: &frame, replies, draft, refused })
}

fn written(form: &Form) -> Result<(String, String), Problem> {
    // Browsers end lines with CRLF, phones with LF.
    Ok((form.text("shortcut")?, form.text("text")?.replace("\r\n", "\n")))
}

pub(in crate::pages) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let (shortcut, text) = written(&Form::of(&request, payload).await?)?;
    let (workspace, author) = (by.session.workspace, by.session.member);
    let wanted = (shortcut.clone(), text.clone());
    let added = app.run(move |app| async move {
        app.dashboard.canned_replies.add(workspace, author, &wanted.0, &wanted.1).await
    });
    match added.await?.map_err(Problem::from) {
        Ok(_) => Ok(see_other(PATH)),
        Err(problem) => {
            render(&app, &by, &request, Some(problem), Written { of: None, shortcut, text }).await
        }
    }
}

pub(in crate::pages) async fn change(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let id: CannedReplyId = id(&request).ok_or_else(|| not_found("canned reply"))?;
    let form = Form::of(&request, payload).await?;
    let (what, (shortcut, text)) = (form.text("do")?, written(&form)?);
    let (workspace, author) = (by.session.workspace, by.session.member);
    let written = Written { of: Some(id), shortcut: shortcut.clone(), text: text.clone() };
    let is_removal = what == "remove";
    let changed = app.run(move |app| async move {
        let replies = &app.dashboard.canned_replies;
        if is_removal {
            replies.remove(workspace, id).await
        } else {
            replies.replace(workspace, author, id, &shortcut, &text).await.map(drop)
        }
    });
    match changed.await? {
        Ok(()) => Ok(see_other(PATH)),
        // Already gone, as was wanted.
        Err(CannedReplyError::Unknown) if is_removal => Ok(see_other(PATH)),
        Err(error) => render(&app, &by, &request, Some(error.into()), written).await,
    }
}
