//! Lists as files of CSV, written while they are read.

use std::{future::Future, io, sync::Arc, time::Duration};

use actix_web::{HttpResponse, http::header::CONTENT_DISPOSITION, web::Bytes};
use domain::{contacts::directory::ExportError, ids::WorkspaceId};
use futures_util::stream;
use tokio::{sync::mpsc, time::timeout};

use super::act::Call;
use crate::{
    app::App,
    problem::{DashboardCode, Problem},
    session::slots::{Slot, Slots},
};

/// Parts buffered for a browser that reads slowly.
const AHEAD: usize = 2;
/// Time after which an export ends if the browser reads nothing.
const SLOW: Duration = Duration::from_mins(1);

/// Exports of a workspace running at once on each node: each reads from its beginning to its end without a
/// pause.
const MOST_AT_ONCE: usize = 3;

type Part = Result<Bytes, io::Error>;

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
    pub(super) fn begin(&self, workspace: WorkspaceId) -> Result<Slot<WorkspaceId>, Problem> {
        self.0.try_take(workspace).ok_or_else(|| {
            let message = format!("{MOST_AT_ONCE} exports of this workspace are being written; wait for one");
            Problem::dashboard(DashboardCode::TooManyExports, message)
        })
    }
}

/// Answers a file of this name with its first row and what `next` reads, from the beginning to the end, in
/// UTF-8 with its mark at the beginning. What fails on the way breaks the connection off, so that no part of
/// a list passes for the whole.
pub(super) fn csv<P, N, F>(
    call: &Call,
    slot: Slot<WorkspaceId>,
    (name, head): (&str, &'static str),
    next: N,
) -> HttpResponse
where
    P: Send + 'static,
    N: Fn(Arc<App>, Option<P>) -> F + Send + 'static,
    F: Future<Output = Result<(String, Option<P>), ExportError>> + Send,
{
    let (out, parts) = mpsc::channel(AHEAD);
    let workspace = call.workspace();
    call.app.later(move |app| async move {
        write(app, workspace, head, next, out).await;
        drop(slot);
    });
    let parts = stream::unfold(parts, |mut parts| async move { Some((parts.recv().await?, parts)) });
    HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.csv\"")))
        .streaming(parts)
}

/// Writes the export until it is complete, the browser is gone, or the browser is too slow.
async fn write<P, N, F>(
    app: Arc<App>,
    workspace: WorkspaceId,
    head: &'static str,
    next: N,
    out: mpsc::Sender<Part>,
) where
    N: Fn(Arc<App>, Option<P>) -> F,
    F: Future<Output = Result<(String, Option<P>), ExportError>>,
{
    let (mut part, mut after) = (head.to_owned(), None);
    loop {
        let (rows, further) = match next(Arc::clone(&app), after).await {
            Ok(found) => found,
            Err(error) => {
                match &error {
                    ExportError::NotAllowed => tracing::info!(%workspace, "an export was broken off"),
                    ExportError::Store(error) => tracing::error!(%error, %workspace, "an export failed"),
                }
                put(&out, Err(io::Error::other("the export was broken off"))).await;
                return;
            }
        };
        part.push_str(&rows);
        if !part.is_empty() && !put(&out, Ok(Bytes::from(std::mem::take(&mut part)))).await {
            return;
        }
        let Some(further) = further else { return };
        after = Some(further);
    }
}

/// Sends a part; `false` if the browser did not read it in time.
async fn put(out: &mpsc::Sender<Part>, part: Part) -> bool {
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
