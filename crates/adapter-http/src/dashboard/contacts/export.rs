//! `GET /contacts/export`.

use std::{io, sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{
    audit::Acting,
    contacts::directory::{DirectoryFilter, EXPORT_HEAD, ExportError, exported},
    ids::WorkspaceId,
};
use futures_util::stream;
use tokio::{sync::mpsc, time::timeout};

use super::directory::parse_filters;
use crate::{
    app::App,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::{
        SignedIn,
        slots::{Slot, Slots},
    },
};

/// Parts buffered for a browser that reads slowly.
pub(crate) const AHEAD: usize = 2;
/// Time after which an export ends if the browser reads nothing.
const SLOW: Duration = Duration::from_mins(1);

/// Exports of a workspace running at once on each node: each reads from its beginning to its end without a
/// pause.
const MOST_AT_ONCE: usize = 3;

pub(crate) type Part = Result<Bytes, io::Error>;

/// Exports of contacts and of broadcasts' people that this process is writing, by workspace.
pub(crate) struct RunningExports(Slots<WorkspaceId>);

impl Default for RunningExports {
    fn default() -> Self {
        Self(Slots::of(MOST_AT_ONCE))
    }
}

impl RunningExports {
    /// Takes a slot of the workspace.
    ///
    /// # Errors
    /// `too_many_exports` if all slots are taken.
    pub(crate) fn begin(&self, workspace: WorkspaceId) -> Result<Slot<WorkspaceId>, Problem> {
        self.0.try_take(workspace).ok_or_else(|| {
            let message = format!("{MOST_AT_ONCE} exports of this workspace are being written; wait for one");
            Problem::dashboard(DashboardCode::TooManyExports, message)
        })
    }
}

/// Everybody whom the filters name, newest first, as CSV in UTF-8 with its mark at the beginning.
///
/// A cell that a spreadsheet would take for a formula has an apostrophe before it, which importing takes off
/// again. What fails on the way breaks the connection off, so that no part of a list passes for the whole.
/// The log of changes tells of it.
pub(crate) async fn export(
    app: Data<App>,
    running: Data<RunningExports>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let filter = parse_filters(&Parameters::of(&request)?)?.read(by.session.region);
    let filter = filter.map_err(|error| Problem::invalid(error.to_string()))?;
    let acting = by.acting();
    let slot = running.begin(acting.workspace)?;
    let begun = filter.clone();
    app.run(move |app| async move { app.dashboard.directory.export.begin(acting, &begun).await }).await??;
    let (out, parts) = mpsc::channel(AHEAD);
    app.later(move |app| async move {
        write(app, acting, filter, out).await;
        drop(slot);
    });
    let parts = stream::unfold(parts, |mut parts| async move { Some((parts.recv().await?, parts)) });
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"contacts.csv\""))
        .streaming(parts))
}

/// Writes the export until it is complete, the browser is gone, or the browser is too slow.
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

/// Sends a part; `false` if the browser did not read it in time.
pub(crate) async fn put(out: &mpsc::Sender<Part>, part: Part) -> bool {
    matches!(timeout(SLOW, out.send(part)).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{MOST_AT_ONCE, RunningExports};

    #[test]
    fn a_workspace_has_so_many_exports_at_once_and_one_that_ends_makes_room() {
        let running = RunningExports::default();
        let (one, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let mut slots: Vec<_> = (0..MOST_AT_ONCE).map(|_| running.begin(one).unwrap()).collect();
        let refused = running.begin(one).map(drop).unwrap_err();
        assert!(refused.to_string().contains("wait for one"), "{refused}");
        assert!(running.begin(other).is_ok(), "of another workspace");
        slots.pop();
        slots.push(running.begin(one).unwrap());
        assert!(running.begin(one).is_err());
        slots.clear();
        assert!(running.0.are_free(), "nothing is remembered of who is done");
    }
}
