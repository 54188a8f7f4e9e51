//! `GET /contacts/export`.

use std::{io, sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{
    access::audit::Acting,
    contacts::directory::{DirectoryFilter, EXPORT_HEAD, ExportError, exported},
};
use futures_util::stream;
use tokio::{sync::mpsc, time::timeout};

use super::directory::wanted;
use crate::{App, dashboard::SignedIn, openapi::conversations::Channel, problem::Problem, query::Parameters};

/// Parts that wait for a browser that takes them slowly.
pub(crate) const AHEAD: usize = 2;
/// How long a browser may take nothing before it is given up on.
const SLOW: Duration = Duration::from_mins(1);

pub(crate) type Part = Result<Bytes, io::Error>;

/// Everybody whom the filters name, newest first, as CSV in UTF-8 with its mark at the beginning.
///
/// A cell that a spreadsheet would take for a formula has an apostrophe before it, which importing takes off again. What
/// fails on the way breaks the connection off, so that no part of a list passes for the whole. The log of changes tells of it.
#[utoipa::path(
    get, path = "/dashboard/api/contacts/export", tag = "Contacts", operation_id = "exportContacts",
    params(
        (
            "search" = Option<String>, Query, example = "0770", max_length = 200,
            description = "As for the directory, like those that follow.",
        ),
        ("tag" = Option<String>, Query, example = "VIP", description = "Only those with this tag."),
        ("channel" = inline(Option<Channel>), Query, description = "Only those over this network."),
        ("activeSince" = Option<String>, Query, example = "2026-11-21", description = "Only those active since."),
        ("activeUntil" = Option<String>, Query, example = "2026-11-22", description = "Only those active last before."),
    ),
    responses((status = 200, description = "The people.", body = String, content_type = "text/csv"))
)]
pub(crate) async fn export(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let filter = wanted(&Parameters::of(&request)?)?.read(by.session.region);
    let filter = filter.map_err(|error| Problem::invalid(error.to_string()))?;
    let acting = by.acting();
    let begun = filter.clone();
    app.run(move |app| async move { app.dashboard.directory.export.begin(acting, &begun).await }).await??;
    let (out, parts) = mpsc::channel(AHEAD);
    app.later(move |app| write(app, acting, filter, out));
    let parts = stream::unfold(parts, |mut parts| async move { Some((parts.recv().await?, parts)) });
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"contacts.csv\""))
        .streaming(parts))
}

/// Writes until the end, or until the browser is gone or too slow.
async fn write(app: Arc<App>, acting: Acting, filter: DirectoryFilter, out: mpsc::Sender<Part>) {
    let mut part = EXPORT_HEAD.to_owned();
    let mut after = None;
    loop {
        let (rows, next) = match app.dashboard.directory.export.next(acting, &filter, after).await {
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
        part.extend(rows.iter().map(exported));
        if !part.is_empty() && !put(&out, Ok(Bytes::from(std::mem::take(&mut part)))).await {
            return;
        }
        let Some(next) = next else { return };
        after = Some(next);
    }
}

/// Whether the browser took it in time.
pub(crate) async fn put(out: &mpsc::Sender<Part>, part: Part) -> bool {
    matches!(timeout(SLOW, out.send(part)).await, Ok(Ok(())))
}
