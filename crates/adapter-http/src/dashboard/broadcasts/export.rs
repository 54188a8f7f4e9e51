//! `GET /broadcasts/{id}/people/export`.

use std::{io, sync::Arc};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{
    audit::Acting,
    broadcasts::{PEOPLE_HEAD, PeopleFilter, person_row},
    contacts::directory::ExportError,
    ids::BroadcastId,
};
use futures_util::stream;
use tokio::sync::mpsc;

use super::{
    super::contacts::export::{AHEAD, Part, RunningExports, put},
    people::parse_filter,
    unknown,
};
use crate::{app::App, paging::id, problem::Problem, query::Parameters, session::SignedIn};

/// A broadcast's people whom the filters name, with what became of their messages, as CSV in UTF-8 with its
/// mark at the beginning.
///
/// A cell that a spreadsheet would take for a formula has an apostrophe before it. What fails on the way
/// breaks the connection off, so that no part of a list passes for the whole. The log of changes tells of it.
pub(crate) async fn export(
    app: Data<App>,
    running: Data<RunningExports>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let filter = parse_filter(&Parameters::of(&request)?)?;
    let id = id(&request).ok_or_else(unknown)?;
    let (acting, begun) = (by.acting(), filter.clone());
    let slot = running.begin(acting.workspace)?;
    let known =
        app.run(move |app| async move { app.dashboard.broadcasts.export.begin(acting, id, &begun).await });
    if !known.await?? {
        return Err(unknown());
    }
    let (out, parts) = mpsc::channel(AHEAD);
    app.later(move |app| async move {
        write(app, acting, id, filter, out).await;
        drop(slot);
    });
    let parts = stream::unfold(parts, |mut parts| async move { Some((parts.recv().await?, parts)) });
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"broadcast.csv\""))
        .streaming(parts))
}

/// Writes the export until it is complete, the browser is gone, or the browser is too slow.
async fn write(
    app: Arc<App>,
    acting: Acting,
    id: BroadcastId,
    filter: PeopleFilter,
    out: mpsc::Sender<Part>,
) {
    let mut part = PEOPLE_HEAD.to_owned();
    let mut before = None;
    loop {
        let (rows, next) = match app.dashboard.broadcasts.export.next(acting, id, &filter, before).await {
            Ok(found) => found,
            Err(error) => {
                let workspace = acting.workspace;
                match &error {
                    ExportError::NotAllowed => tracing::info!(%workspace, "an export was broken off"),
                    ExportError::Store(error) => tracing::error!(%error, %workspace, "an export failed"),
                }
                put(&out, Err(io::Error::other("the export was broken off"))).await;
                return;
            }
        };
        part.extend(rows.iter().map(person_row));
        if !part.is_empty() && !put(&out, Ok(Bytes::from(std::mem::take(&mut part)))).await {
            return;
        }
        let Some(next) = next else { return };
        before = Some(next);
    }
}
