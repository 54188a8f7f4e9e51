//! A list that is imported as it arrives.

use std::io;

use actix_web::web::{Data, Payload};
use contact_file::{ContactFile, Encoding, Unreadable};
use domain::contacts::{ImportError, ImportReport, RefusedRow};
use serde::Serialize;

use super::{
    super::super::act::{self, Answer, Call},
    slot::{RunningImports, take_over},
};
use crate::{
    app::App,
    body::Piped,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// Most refused rows listed one by one, which bounds the size of an answer.
pub(in crate::pages) const MOST_TOLD: usize = 1_000;

/// What became of a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportBody {
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

pub(super) async fn import(
    call: &Call,
    running: &Data<RunningImports>,
    encoding: Option<Encoding>,
    payload: Payload,
) -> Answer {
    let by = call.by.clone();
    let imported =
        take_over(&call.app, running, call.workspace(), &call.request, payload, move |app, list| {
            app.runtime.block_on(import_list(app, &by, encoding, list))
        });
    act::ok(&imported.await?)
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
