//! `/contact-imports`: `jobs` are those in the background.

pub(crate) mod jobs;

use std::io;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use contact_file::ContactFile;
use domain::{
    contacts::{ImportError, ImportReport, RefusedRow},
    ids::WorkspaceId,
};
use futures_util::future;
use serde::Serialize;
use utoipa::ToSchema;

use super::{SignedIn, slots::Slots};
use crate::{
    App,
    body::{self, Piped},
    problem::{DashboardCode, Problem},
    query::Parameters,
};

/// Refused rows that are told one by one, so that an answer has an end.
pub(crate) const MOST_TOLD: usize = 1_000;

/// What became of a list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ContactImport)]
pub(crate) struct ImportBody {
    /// People who were not known.
    created: u64,
    /// Those who were, or came before in the same list.
    known: u64,
    /// Rows that are none of a person.
    refused: u64,
    /// The first 1,000 of those.
    refused_rows: Vec<RefusedRowBody>,
}

/// A row that was not taken.
#[derive(Serialize, ToSchema)]
#[schema(as = RefusedRow)]
struct RefusedRowBody {
    /// The line it begins in, counted from 1.
    line: u64,
    /// Why; nothing of what stands there.
    reason: String,
}

/// The lists that this process is taking over: each workspace has one at a time, since each has a conversation.
pub(crate) struct RunningImports(Slots<WorkspaceId>);

impl Default for RunningImports {
    fn default() -> Self {
        Self(Slots::of(1))
    }
}

/// Imports a list of people: CSV in UTF-8 with commas, semicolons or tabs. Its columns are found by a header in
/// English or Arabic, else the number comes first and the name second. A list that breaks off is imported as far as
/// it came; sending it again adds nobody twice. It breaks off, too, when whoever gave it is removed or is no owner any
/// more, and when, after half a minute, it comes at less than 32 KiB a second, all in all.
///
/// With `Prefer: respond-async` the list is taken whole first and then imported in the background, whatever becomes of
/// the connection or the process. A list that breaks off is forgotten then, and one whose owner is removed is left as
/// far as it came.
#[utoipa::path(
    post, path = "/dashboard/api/contact-imports", tag = "Contacts", operation_id = "importContacts",
    params(
        ("name" = Option<String>, Query, description = "What the file is called, up to 255 characters; only with `Prefer: respond-async`."),
        ("Prefer" = Option<String>, Header, description = "`respond-async`: import it in the background.")
    ),
    request_body(content = String, content_type = "text/csv"),
    responses(
        (status = 200, description = "What became of the rows.", body = ImportBody),
        (status = 202, description = "The list is there, and is imported in the background. `Location` says where it is followed.", body = jobs::JobBody),
        (status = 409, description = "`import_running`: one list at a time."),
        (status = 413, description = "The list is longer than the service takes here."),
        (status = 415, description = "`content_encoding`: send it unpacked.")
    )
)]
pub(crate) async fn import(
    app: Data<App>,
    running: Data<RunningImports>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let name = Parameters::of(&request)?.get("name")?.map(str::to_owned);
    if jobs::is_wanted(&request) {
        return jobs::begin(app, running, by, name.unwrap_or_default(), request, payload).await;
    }
    if name.is_some() {
        return Err(Problem::invalid("`name` goes with `Prefer: respond-async`"));
    }
    let imported = take_over(&app, &running, by.session.workspace, &request, payload, move |app, list| {
        app.runtime.block_on(import_list(app, &by, list))
    });
    imported.await.map(|imported| HttpResponse::Ok().json(imported))
}

/// Takes a list over as it comes, in its workspace's slot, which it has until the list is taken, even if the client goes
/// away meanwhile.
pub(crate) async fn take_over<T: Send + 'static>(
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

/// Takes the rows of a form in their workspace's slot, as a list that comes is.
pub(crate) async fn take_written<T: Send + 'static>(
    app: &Data<App>,
    running: &Data<RunningImports>,
    workspace: WorkspaceId,
    take: impl FnOnce(&App) -> T + Send + 'static,
) -> Result<T, Problem> {
    in_slot(app, running, workspace, take)?.await
}

/// Takes a workspace's slot, which is kept until all is taken.
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

fn running_already() -> Problem {
    let message = "another list of this workspace is being imported";
    Problem::dashboard(DashboardCode::ImportRunning, message)
}

async fn import_list(app: &App, by: &SignedIn, list: Piped) -> Result<ImportBody, Problem> {
    let workspace = app.dashboard.workspaces.find(by.session.workspace).await?;
    let workspace = workspace.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    let rows = ContactFile::open(list).map_err(ImportError::List)?;
    let mut refused_rows = Vec::new();
    let refuse = |RefusedRow { line, why }| {
        if refused_rows.len() < MOST_TOLD {
            refused_rows.push(RefusedRowBody { line, reason: why.to_string() });
        }
        Ok(())
    };
    let report = app.dashboard.import_contacts.run(by.acting(), workspace.region, rows, refuse).await?;
    let ImportReport { created, known, refused } = report;
    Ok(ImportBody { created, known, refused, refused_rows })
}

impl From<ImportError<io::Error>> for Problem {
    fn from(error: ImportError<io::Error>) -> Self {
        match error {
            ImportError::List(error) => Self::invalid(format!("the list could not be read: {error}")),
            ImportError::NotAllowed => Self::dashboard(DashboardCode::NotSignedIn, error.to_string()),
            ImportError::Store(error) => error.into(),
        }
    }
}
