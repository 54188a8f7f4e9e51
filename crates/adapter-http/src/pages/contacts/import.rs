//! `/dashboard/contacts/import`: importing lists of people.

use std::io::Cursor;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{ImportPage, ImportRow, ImportsPage, Section};
use domain::contacts::ImportJob;

use super::super::{
    answer::{ok, page, see_other},
    form::Form,
    frame,
    refusal::{self, WrongField},
};
use crate::{
    app::App,
    dashboard::imports::{
        GivenFile, RunningImports,
        jobs::{load, take},
        take_written,
    },
    problem::Problem,
    session::SignedIn,
};

const PATH: &str = "/dashboard/contacts/import";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    with(&app, &by, &request, String::new(), None).await
}

async fn with(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    draft: String,
    problem: Option<Problem>,
) -> Result<HttpResponse, Problem> {
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move { app.dashboard.import_jobs.list(workspace).await });
    let imports = listed.await??.into_iter().map(row).collect();
    let frame = frame::of(app, request, by, Section::Contacts).await?;
    let words = frame.words();
    let refused = problem.map(|problem| {
        // For pasted rows, a problem without a code can only be about the list as a whole.
        let is_about_list = problem.code().is_none();
        let refused = refusal::of_form(request, problem, words)?;
        let of_list = || WrongField::new("rows", words.faults.no_rows).refused(request);
        Ok::<_, Problem>(if is_about_list { of_list() } else { refused })
    });
    let refused = refused.transpose()?;
    let status = refusal::status(refused.as_ref());
    let most = app.dashboard.import_limit;
    page(status, &ImportsPage { frame: &frame, imports, most, draft, refused })
}

fn row(job: ImportJob) -> ImportRow {
    let ImportJob { id, name, state, people, report, not_read, created_at, .. } = job;
    ImportRow { id: id.to_string(), name, state, people, report, not_read, began_at: created_at.into() }
}

pub(in crate::pages) async fn begin(
    app: Data<App>,
    running: Data<RunningImports>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let rows = Form::of(&request, payload).await?.text("rows")?;
    let (draft, taker) = (rows.clone(), by.clone());
    let taking = take_written(&app, &running, by.session.workspace, move |app| {
        let given = GivenFile { name: String::new(), encoding: None };
        app.runtime.block_on(take(app, &taker, &given, Cursor::new(rows)))
    });
    match taking.await.flatten() {
        Ok(job) => Ok(see_other(&format!("{PATH}/{}", job.id))),
        Err(problem) => with(&app, &by, &request, draft, Some(problem)).await,
    }
}

pub(in crate::pages) async fn follow(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (job, refusals) = load(&app, &by, &request).await?;
    let frame = frame::of(&app, &request, &by, Section::Contacts).await?;
    ok(&ImportPage { frame: &frame, import: row(job), refusals })
}
