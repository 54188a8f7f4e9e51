//! The one list that a workspace imports at a time.

use actix_web::{
    HttpRequest,
    web::{Data, Payload},
};
use domain::ids::WorkspaceId;
use futures_util::future;

use crate::{
    app::App,
    body::{self, Piped},
    problem::{DashboardCode, Problem},
    session::slots::Slots,
};

/// Lists that this process is reading. A workspace has one at a time, since each holds a thread for as long
/// as its client takes to send it.
pub(crate) struct RunningImports(Slots<WorkspaceId>);

impl Default for RunningImports {
    fn default() -> Self {
        Self(Slots::of(1))
    }
}

/// Reads a list while it arrives. The workspace's slot is held until the list is read, even if the client
/// goes away.
pub(in crate::pages) async fn take_over<T: Send + 'static>(
    app: &Data<App>,
    running: &Data<RunningImports>,
    workspace: WorkspaceId,
    request: &HttpRequest,
    payload: Payload,
    take: impl FnOnce(&App, Piped) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let (into, list) = body::piped();
    let taking = in_slot(app, running, workspace, move |app| take(app, list))?;
    let feeding = body::feed(request, payload, app.dashboard.import_limit, into);
    let (arrived, taken) = future::join(feeding, taking).await;
    arrived?;
    taken?
}

/// Reads the rows of a form in the workspace's slot, like an uploaded list.
pub(in crate::pages) async fn take_written<T: Send + 'static>(
    app: &Data<App>,
    running: &Data<RunningImports>,
    workspace: WorkspaceId,
    take: impl FnOnce(&App) -> T + Send + 'static,
) -> Result<T, Problem> {
    in_slot(app, running, workspace, take)?.await
}

/// Runs `take` in the workspace's slot, which is held until it returns.
fn in_slot<T: Send + 'static>(
    app: &Data<App>,
    running: &Data<RunningImports>,
    workspace: WorkspaceId,
    take: impl FnOnce(&App) -> T + Send + 'static,
) -> Result<impl Future<Output = Result<T, Problem>>, Problem> {
    let slot = running.0.try_take(workspace).ok_or_else(running_already)?;
    Ok(app.run_blocking(move |app| {
        let taken = take(&app);
        drop(slot);
        taken
    }))
}

pub(super) fn running_already() -> Problem {
    let message = "another list of this workspace is being imported";
    Problem::dashboard(DashboardCode::ImportRunning, message)
}
