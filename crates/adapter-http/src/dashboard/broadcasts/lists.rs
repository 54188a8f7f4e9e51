//! `/broadcast-lists`: uploaded lists of numbers.

use std::io;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use contact_file::ContactFile;
use domain::{
    broadcasts::{BroadcastList, ListError, ListRemoval, TakenList},
    contacts::{ImportError, RefusedRow},
    ids::BroadcastListId,
};
use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    app::App,
    dashboard::imports::{GivenFile, MOST_TOLD, RunningImports, encoding, jobs::RefusalBody, take_over},
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

/// A list of numbers.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListBody {
    id: BroadcastListId,
    name: String,
    /// The titles of its columns, the number's apart.
    columns: Vec<String>,
    people: u64,
    /// Whether all of it has arrived. One that broke off goes to nobody.
    complete: bool,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

impl From<BroadcastList> for ListBody {
    fn from(list: BroadcastList) -> Self {
        let BroadcastList { id, name, columns, people, complete, created_at } = list;
        Self { id, name, columns, people, complete, created_at }
    }
}

/// The lists of a workspace.
#[derive(Serialize)]
pub(crate) struct ListsBody {
    rows: Vec<ListBody>,
}

/// What became of a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakenBody {
    list: ListBody,
    /// Rows whose number came before in the same list.
    repeated: u64,
    /// Rows that are none of a person.
    refused: u64,
    /// The first 1,000 of those.
    refused_rows: Vec<RefusalBody>,
    /// Names of a workbook's sheets beside the first: they were not read.
    not_read: Vec<String>,
}

fn unknown() -> Problem {
    not_found("list")
}

/// The lists, newest first.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<ListsBody>, Problem> {
    let workspace = by.session.workspace;
    let found = app.run(move |app| async move { app.dashboard.broadcasts.lists.list(workspace).await });
    Ok(Json(ListsBody { rows: found.await??.into_iter().map(ListBody::from).collect() }))
}

/// Takes a list of numbers, 1,000,000 rows at most, in any kind of file that imports of contacts are read
/// from. Its first row names the columns; one of them is the number's, the others are what templates may be
/// filled from. Each number is taken once. Nobody becomes a contact by it before they are written to. A list
/// that breaks off is none.
pub(crate) async fn add(
    app: Data<App>,
    running: Data<RunningImports>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let parameters = Parameters::of(&request)?;
    let name = parameters.get("name")?.map(str::to_owned).unwrap_or_default();
    let given = GivenFile { name, encoding: encoding(&parameters)? };
    let taken = take_over(&app, &running, by.session.workspace, &request, payload, move |app, list| {
        app.runtime.block_on(take(app, &by, &given, list)).map_err(Problem::from)
    });
    taken.await.map(|TakenFile { taken, refused_rows, not_read }| {
        let refused_rows = refused_rows.into_iter().map(RefusalBody::from);
        HttpResponse::Created().json(TakenBody {
            list: taken.list.into(),
            repeated: taken.repeated,
            refused: taken.refused,
            refused_rows: refused_rows.collect(),
            not_read,
        })
    })
}

/// Outcome of uploading a list.
pub(crate) struct TakenFile {
    pub(crate) taken: TakenList,
    /// The first rows without a person, `MOST_TOLD` at most.
    pub(crate) refused_rows: Vec<RefusedRow>,
    /// Titles of the sheets that were not read.
    not_read: Vec<String>,
}

/// Reads the rows of a list and stores it.
pub(crate) async fn take(
    app: &App,
    by: &SignedIn,
    given: &GivenFile,
    list: impl io::BufRead,
) -> Result<TakenFile, ListError<io::Error>> {
    let mut rows = ContactFile::open_as(list, given.encoding).map_err(ImportError::List)?.rows();
    let mut refused_rows = Vec::new();
    let refuse = |row: RefusedRow| {
        if refused_rows.len() < MOST_TOLD {
            refused_rows.push(row);
        }
        Ok(())
    };
    let lists = &app.dashboard.broadcasts.lists;
    let taken = lists.take(by.acting(), by.session.region, &given.name, &mut rows, refuse).await?;
    Ok(TakenFile { taken, refused_rows, not_read: rows.unread().to_vec() })
}

/// Removes a list. What broadcasts have collected of it stays.
pub(crate) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (acting, id) = (by.acting(), id(&request).ok_or_else(unknown)?);
    let removed = app.run(move |app| async move { app.dashboard.broadcasts.lists.remove(acting, id).await });
    match removed.await?? {
        ListRemoval::Removed => Ok(HttpResponse::NoContent().finish()),
        ListRemoval::Unknown => Err(unknown()),
        ListRemoval::Needed => {
            let message = "a broadcast that is not over goes to this list";
            Err(Problem::dashboard(DashboardCode::BroadcastListNeeded, message))
        }
    }
}

impl From<ListError<io::Error>> for Problem {
    fn from(error: ListError<io::Error>) -> Self {
        let message = error.to_string();
        match error {
            ListError::Name | ListError::Header | ListError::Columns | ListError::TooLong => {
                Self::invalid(message)
            }
            ListError::TooMany => Self::dashboard(DashboardCode::TooManyBroadcastLists, message),
            ListError::Import(error) => error.into(),
        }
    }
}
