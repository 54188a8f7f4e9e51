//! `/contact-imports` that run in the background.

use std::io;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::LOCATION,
    web::{Data, Payload},
};
use contact_file::ContactFile;
use dashboard_pages::{ImportPage, ImportRow, ImportsPage, Section};
use domain::{
    contacts::{ImportError, ImportJob, ImportJobError, RefusedRow},
    ids::{ImportJobId, MemberId},
};
use serde::Serialize;
use time::OffsetDateTime;

use super::{
    super::super::{
        act::{self, Answer, Call, Rows},
        answer::{ok, page},
        refusal::{self, WrongField},
    },
    file::GivenFile,
    slot::{RunningImports, running_already, take_over},
};
use crate::{app::App, paging::not_found, problem::Problem, session::SignedIn};

/// Preference that requests an import in the background (RFC 7240).
const IN_BACKGROUND: &str = "respond-async";

/// A list that is imported in the background.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobBody {
    id: ImportJobId,
    /// What its file is called; empty where nobody said.
    name: String,
    /// `arriving`, `running`, `finished` or `stopped`.
    state: &'static str,
    member_id: MemberId,
    /// Rows of people. All of them are written when `created` and `known` are as many together.
    people: u64,
    /// People who were not known.
    created: u64,
    /// People who were known, or came before in the same list.
    known: u64,
    /// Rows that are none of a person.
    refused: u64,
    /// Titles of the columns that hold neither names nor numbers, and of a workbook's sheets beside the
    /// first: they are not read. None as long as it arrives.
    not_read: Vec<String>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp")]
    changed_at: OffsetDateTime,
}

impl From<ImportJob> for JobBody {
    fn from(job: ImportJob) -> Self {
        let ImportJob { id, member, name, state, people, report, not_read, created_at, changed_at } = job;
        Self {
            id,
            name,
            state: state.as_str(),
            member_id: member,
            people,
            created: report.created,
            known: report.known,
            refused: report.refused,
            not_read,
            created_at,
            changed_at,
        }
    }
}

/// One, with the rows that were refused.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobWithRefusalsBody {
    job: JobBody,
    /// The first 1,000 of those.
    refused_rows: Vec<RefusalBody>,
}

/// A row that was not taken. Nothing of what stands there.
#[derive(Serialize)]
pub(in crate::pages) struct RefusalBody {
    /// The line it begins in, counted from 1.
    line: u64,
    /// `phone` or `name`; null where it is the row as a whole.
    column: Option<&'static str>,
    /// For programs: `not_text`, `row_too_long`, `open_quote`, `other_sheet`, `no_number`, `spoiled_number`,
    /// `not_a_number`, `no_such_number`, `ambiguous_number`, `name_length` or `name_unstorable`.
    code: &'static str,
    reason: String,
}

impl From<RefusedRow> for RefusalBody {
    fn from(RefusedRow { line, why }: RefusedRow) -> Self {
        let column = why.column().map(domain::contacts::ImportColumn::as_str);
        Self { line, column, code: why.as_str(), reason: why.to_string() }
    }
}

/// Returns whether the request prefers an import in the background.
pub(super) fn is_wanted(request: &HttpRequest) -> bool {
    let values = request.headers().get_all("prefer").filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(','));
    preferences.any(|preference| {
        let name = preference.split(';').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case(IN_BACKGROUND)
    })
}

/// Reads the whole list and answers with the job that imports it.
pub(super) async fn begin(
    call: &Call,
    running: &Data<RunningImports>,
    given: GivenFile,
    payload: Payload,
) -> Answer {
    let by = call.by.clone();
    let taking = take_over(&call.app, running, call.workspace(), &call.request, payload, move |app, list| {
        app.runtime.block_on(take(app, &by, &given, list))
    });
    let job = taking.await?;
    let at = format!("/dashboard/api/contact-imports/{}", job.id);
    Ok(HttpResponse::Accepted()
        .insert_header((LOCATION, at))
        .insert_header(("Preference-Applied", IN_BACKGROUND))
        .json(JobBody::from(job)))
}

/// Reads the whole list and stores the job that imports it.
pub(super) async fn take(
    app: &App,
    by: &SignedIn,
    given: &GivenFile,
    list: impl io::BufRead,
) -> Result<ImportJob, Problem> {
    let rows = ContactFile::open_as(list, given.encoding).map_err(ImportError::List)?;
    let not_read = |rows: &ContactFile<'_>| rows.unread().to_vec();
    Ok(app.dashboard.import_jobs.take(by.acting(), by.session.region, &given.name, rows, not_read).await?)
}

/// The newest 50 lists that were imported in the background, newest first.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    if !call.is_of_api() {
        return show_with(&call, String::new(), None).await;
    }
    act::ok(&Rows { rows: newest(&call).await?.into_iter().map(JobBody::from).collect() })
}

async fn newest(call: &Call) -> Result<Vec<ImportJob>, Problem> {
    let workspace = call.workspace();
    call.run(move |app| async move { app.dashboard.import_jobs.list(workspace).await }).await
}

/// Shows the page of imports, with rows that were pasted and why they were not taken.
pub(super) async fn show_with(call: &Call, draft: String, problem: Option<Problem>) -> Answer {
    let imports = newest(call).await?.into_iter().map(row).collect();
    let (request, frame) = (&call.request, call.frame(Section::Contacts).await?);
    let words = frame.words();
    let refused = problem.map(|problem| {
        // For pasted rows, a problem without a code can only be about the list as a whole.
        let is_about_list = problem.code().is_none();
        let refused = refusal::of_form(request, problem, words)?;
        let of_list = || WrongField::new("rows", words.faults.no_rows).refused(request);
        Ok::<_, Problem>(if is_about_list { of_list() } else { refused })
    });
    let refused = refused.transpose()?;
    let most = call.app.dashboard.import_limit;
    page(refusal::status(refused.as_ref()), &ImportsPage { frame: &frame, imports, most, draft, refused })
}

fn row(job: ImportJob) -> ImportRow {
    let ImportJob { id, name, state, people, report, not_read, created_at, .. } = job;
    ImportRow { id: id.to_string(), name, state, people, report, not_read, began_at: created_at.into() }
}

/// How far one is, and which of its rows were refused.
pub(in crate::pages) async fn get(call: Call) -> Answer {
    let unknown = || not_found("import");
    let (workspace, id): (_, ImportJobId) = (call.workspace(), call.id(unknown)?);
    let found = call.run(move |app| async move { app.dashboard.import_jobs.get(workspace, id).await });
    let (job, refusals) = found.await?.ok_or_else(unknown)?;
    if call.is_of_api() {
        let refused_rows = refusals.into_iter().map(RefusalBody::from).collect();
        return act::ok(&JobWithRefusalsBody { job: job.into(), refused_rows });
    }
    let frame = call.frame(Section::Contacts).await?;
    ok(&ImportPage { frame: &frame, import: row(job), refusals })
}

impl From<ImportJobError<io::Error>> for Problem {
    fn from(error: ImportJobError<io::Error>) -> Self {
        match error {
            ImportJobError::Running => running_already(),
            ImportJobError::Import(error) => error.into(),
            ImportJobError::Name | ImportJobError::Empty | ImportJobError::Forgotten => {
                Self::invalid(error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::is_wanted;

    #[test]
    fn it_is_asked_for_by_a_preference_among_others() {
        for (values, wanted) in [
            (&["respond-async"][..], true),
            (&["wait=10, Respond-Async"], true),
            (&["return=minimal", "respond-async; wait=3"], true),
            (&["respond-asynchronously", "wait=respond-async"], false),
            (&[], false),
        ] {
            let request = values
                .iter()
                .fold(TestRequest::default(), |request, value| request.append_header(("prefer", *value)));
            assert_eq!(is_wanted(&request.to_http_request()), wanted, "{values:?}");
        }
    }
}
