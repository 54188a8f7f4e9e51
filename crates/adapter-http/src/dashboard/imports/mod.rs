//! `/contact-imports`; `jobs` holds those that run in the background.

mod file;
pub(crate) mod jobs;
mod slot;

pub(crate) use file::{GivenFile, encoding};
pub(crate) use slot::{RunningImports, take_over, take_written};

use std::io;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use contact_file::{ContactFile, Encoding, Unreadable};
use domain::contacts::{ImportError, ImportReport, RefusedRow};
use serde::Serialize;

use crate::{
    app::App,
    body::Piped,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// Most refused rows listed one by one, which bounds the size of an answer.
pub(crate) const MOST_TOLD: usize = 1_000;

/// What became of a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportBody {
    /// People who were not known.
    created: u64,
    /// People who were known, or came before in the same list.
    known: u64,
    /// Rows that are none of a person.
    refused: u64,
    /// The first 1,000 of those.
    refused_rows: Vec<RefusedRowBody>,
    /// Titles of the columns that hold neither names nor numbers, and of a workbook's sheets beside the
    /// first: they were not read.
    not_read: Vec<String>,
}

/// A row that was not taken.
#[derive(Serialize)]
struct RefusedRowBody {
    /// The line it begins in, counted from 1.
    line: u64,
    /// Why; nothing of what stands there.
    reason: String,
}

/// Imports a list of people: separated values with commas, semicolons, tabs or bars, in UTF-8, in UTF-16 with
/// its mark, or in Windows-1256; a workbook (`.xlsx`), whose first sheet is read; or vCards. Its columns are
/// found by a header in English or Arabic, else the number comes first and the name second; first, middle and
/// last names in columns of their own are joined. `created`, `known` and `refused` are all its rows together:
/// a row whose quotation mark is never closed is refused, and the next line is read as the next row. A list
/// that breaks off is imported as far as it came; sending it again adds nobody twice. It breaks off, too,
/// when whoever gave it is removed or is no owner any more, and when, after half a minute, it comes at less
/// than 32 KiB a second, all in all.
///
/// With `Prefer: respond-async` the list is taken whole first and then imported in the background, whatever
/// becomes of the connection or the process. A list that breaks off is forgotten then, and one whose owner is
/// removed is left as far as it came.
pub(crate) async fn import(
    app: Data<App>,
    running: Data<RunningImports>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let (name, encoding) = (parameters.get("name")?.map(str::to_owned), encoding(&parameters)?);
    if jobs::is_wanted(&request) {
        let given = GivenFile { name: name.unwrap_or_default(), encoding };
        return jobs::begin(app, running, by, given, request, payload).await;
    }
    if name.is_some() {
        return Err(Problem::invalid("`name` goes with `Prefer: respond-async`"));
    }
    let imported = take_over(&app, &running, by.session.workspace, &request, payload, move |app, list| {
        app.runtime.block_on(import_list(app, &by, encoding, list))
    });
    imported.await.map(|imported| HttpResponse::Ok().json(imported))
}

async fn import_list(
    app: &App,
    by: &SignedIn,
    encoding: Option<Encoding>,
    list: Piped,
) -> Result<ImportBody, Problem> {
    let workspace = app.dashboard.workspaces.find(by.session.workspace).await?;
    let workspace = workspace.ok_or_else(|| Problem::internal("a session without its workspace"))?;
    let mut file = ContactFile::open_as(list, encoding).map_err(ImportError::List)?;
    let mut refused_rows = Vec::new();
    let refuse = |RefusedRow { line, why }| {
        if refused_rows.len() < MOST_TOLD {
            refused_rows.push(RefusedRowBody { line, reason: why.to_string() });
        }
        Ok(())
    };
    let report = app.dashboard.import_contacts.run(by.acting(), workspace.region, &mut file, refuse).await?;
    let ImportReport { created, known, refused } = report;
    Ok(ImportBody { created, known, refused, refused_rows, not_read: file.unread().to_vec() })
}

impl From<ImportError<io::Error>> for Problem {
    fn from(error: ImportError<io::Error>) -> Self {
        match error {
            ImportError::List(error) => match Unreadable::of(&error) {
                Some(why @ Unreadable::Encoding) => {
                    Self::dashboard(DashboardCode::ListEncoding, why.to_string())
                }
                Some(why @ (Unreadable::Workbook | Unreadable::TooLarge)) => {
                    Self::dashboard(DashboardCode::ListUnreadable, why.to_string())
                }
                None => Self::invalid(format!("the list could not be read: {error}")),
            },
            ImportError::NotAllowed => Self::dashboard(DashboardCode::NotSignedIn, error.to_string()),
            ImportError::Store(error) => error.into(),
        }
    }
}
