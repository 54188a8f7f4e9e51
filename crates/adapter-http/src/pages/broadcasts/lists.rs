//! `/broadcast-lists` and `/broadcast-prices`, in the browser `/dashboard/broadcasts/lists`.

use std::{
    collections::BTreeMap,
    io::{self, Cursor},
};

use actix_web::web::{Data, Payload};
use contact_file::ContactFile;
use dashboard_pages::{BroadcastListRow, BroadcastListsPage, Section, TakenRows};
use domain::{
    broadcasts::{BroadcastList, ListError, ListRemoval, Prices, TakenList, amount},
    contacts::{ImportError, RefusedRow},
    ids::BroadcastListId,
    text::latin_digits,
};
use serde::{Deserialize, Serialize};

use super::super::{
    act::{self, Answer, Call, Given, Rows},
    answer::{page, see_other},
    contacts::imports::{
        GivenFile, MOST_TOLD, RunningImports, encoding, jobs::RefusalBody, take_over, take_written,
    },
    form::Form,
    not_taken::NotTaken,
};
use crate::{
    app::App,
    paging::not_found,
    problem::{DashboardCode, Problem},
    query::Parameters,
    session::SignedIn,
};

const PATH: &str = "/dashboard/broadcasts/lists";

/// What became of a list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TakenBody {
    list: BroadcastListRow,
    /// Rows whose number came before in the same list.
    repeated: u64,
    /// Rows that are none of a person.
    refused: u64,
    /// The first 1,000 of those.
    refused_rows: Vec<RefusalBody>,
    /// Names of a workbook's sheets beside the first: they were not read.
    not_read: Vec<String>,
}

/// What messages cost.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PricesBody {
    /// Three letters; empty where nothing is written down.
    currency: String,
    /// By category, `marketing` and `utility`, in digits.
    prices: BTreeMap<String, String>,
}

impl From<Prices> for PricesBody {
    fn from(prices: Prices) -> Self {
        let written = |(category, micros)| (category, amount(micros));
        Self { currency: prices.currency, prices: prices.by_category.into_iter().map(written).collect() }
    }
}

/// Outcome of uploading a list.
struct TakenFile {
    taken: TakenList,
    /// The first rows without a person, `MOST_TOLD` at most.
    refused_rows: Vec<RefusedRow>,
    /// Titles of the sheets that were not read.
    not_read: Vec<String>,
}

fn unknown() -> Problem {
    not_found("list")
}

fn row(list: BroadcastList) -> BroadcastListRow {
    let BroadcastList { id, name, columns, people, complete, created_at } = list;
    BroadcastListRow { id, name, columns, people, complete, created_at: created_at.into() }
}

/// The lists, newest first.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    if call.is_of_api() {
        return act::ok(&Rows { rows: lists(&call).await? });
    }
    render(&call, Draft::default(), None, None).await
}

async fn lists(call: &Call) -> Result<Vec<BroadcastListRow>, Problem> {
    let workspace = call.workspace();
    let lists = call.run(move |app| async move { app.dashboard.broadcasts.lists.list(workspace).await });
    Ok(lists.await?.into_iter().map(row).collect())
}

/// What messages cost by category, as it was written down.
pub(in crate::pages) async fn prices(call: Call) -> Answer {
    act::ok(&known_prices(&call).await?)
}

async fn known_prices(call: &Call) -> Result<PricesBody, Problem> {
    let workspace = call.workspace();
    let found = call.run(move |app| async move { app.dashboard.broadcasts.manage.prices(workspace).await });
    Ok(found.await?.map(PricesBody::from).unwrap_or_default())
}

/// Rejected input, to show again.
#[derive(Default)]
struct Draft {
    /// Name and rows of a list.
    list: (String, String),
    /// Currency, price of marketing messages, price of utility messages.
    prices: Option<(String, String, String)>,
}

async fn render(call: &Call, draft: Draft, taken: Option<TakenRows>, not_taken: Option<NotTaken>) -> Answer {
    let (lists, prices) = (lists(call).await?, known_prices(call).await?);
    let frame = call.frame(Section::Broadcasts).await?;
    let (status, refused) = call.refused(not_taken, &frame)?;
    let price = |category: &str| prices.prices.get(category).cloned().unwrap_or_default();
    let kept = (prices.currency.clone(), price("marketing"), price("utility"));
    page(
        status,
        &BroadcastListsPage {
            frame: &frame,
            lists,
            most: call.app.dashboard.import_limit,
            draft: draft.list,
            taken,
            prices: draft.prices.unwrap_or(kept),
            refused,
        },
    )
}

/// Takes a list of numbers, 1,000,000 rows at most, in any kind of file that imports of contacts are read
/// from, or as the rows of a form. Its first row names the columns; one of them is the number's, the others
/// are what templates may be filled from. Each number is taken once. Nobody becomes a contact by it before
/// they are written to. A list that breaks off is none.
pub(in crate::pages) async fn add(call: Call, running: Data<RunningImports>, payload: Payload) -> Answer {
    match call.given(payload).await? {
        Given::Json(file) => add_file(&call, &running, file).await,
        Given::Form(form) => add_rows(&call, &running, &form).await,
    }
}

async fn add_file(call: &Call, running: &Data<RunningImports>, file: Payload) -> Answer {
    let parameters = Parameters::of(&call.request)?;
    let name = parameters.get("name")?.map(str::to_owned).unwrap_or_default();
    let (given, by) = (GivenFile { name, encoding: encoding(&parameters)? }, call.by.clone());
    let taken = take_over(&call.app, running, call.workspace(), &call.request, file, move |app, list| {
        app.runtime.block_on(take(app, &by, &given, list)).map_err(Problem::from)
    });
    let TakenFile { taken: TakenList { list, repeated, refused }, refused_rows, not_read } = taken.await?;
    let refused_rows = refused_rows.into_iter().map(RefusalBody::from).collect();
    act::created(&TakenBody { list: row(list), repeated, refused, refused_rows, not_read })
}

/// Reads the rows of a list and stores it.
async fn take(
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

/// Stores the rows of a form as a list. Rejected rows and the number of duplicates are shown once and stored
/// nowhere.
async fn add_rows(call: &Call, running: &Data<RunningImports>, form: &Form) -> Answer {
    let draft = (form.text("name")?, form.text("rows")?);
    let ((name, rows), member) = (draft.clone(), call.by.clone());
    let taking = take_written(&call.app, running, call.workspace(), move |app| {
        let given = GivenFile { name, encoding: None };
        app.runtime.block_on(take(app, &member, &given, Cursor::new(rows)))
    });
    let not_taken = match taking.await {
        Err(problem) => problem.into(),
        Ok(Ok(TakenFile { taken, .. })) if taken.refused == 0 && taken.repeated == 0 => {
            return Ok(see_other(PATH));
        }
        Ok(Ok(TakenFile { taken: TakenList { list, repeated, refused }, refused_rows: rows, .. })) => {
            let taken = TakenRows { name: list.name, repeated, refused, rows };
            return render(call, Draft::default(), Some(taken), None).await;
        }
        Ok(Err(error)) => {
            let detail = call.words().of_list(&error);
            let is_of_rows = matches!(error, ListError::Header | ListError::Columns | ListError::TooLong);
            let field = is_of_rows.then(|| "rows".to_owned());
            NotTaken { problem: error.into(), detail, field }
        }
    };
    render(call, Draft { list: draft, ..Draft::default() }, None, Some(not_taken)).await
}

/// Removes a list. What broadcasts have collected of it stays.
pub(in crate::pages) async fn remove(call: Call) -> Answer {
    let (acting, id): (_, BroadcastListId) = (call.acting(), call.id(unknown)?);
    let removed = call.run(move |app| async move { app.dashboard.broadcasts.lists.remove(acting, id).await });
    let done = match removed.await? {
        ListRemoval::Removed => Ok(call.done(PATH)),
        ListRemoval::Unknown => return Err(unknown()),
        ListRemoval::Needed => {
            let message = "a broadcast that is not over goes to this list";
            Err(Problem::dashboard(DashboardCode::BroadcastListNeeded, message))
        }
    };
    let again = |problem: Problem| render(&call, Draft::default(), None, Some(problem.into()));
    call.answer(done, PATH, again).await
}

/// Writes down what messages cost. Previews reckon with it; nobody is charged by it.
pub(in crate::pages) async fn set_prices(call: Call, payload: Payload) -> Answer {
    let (PricesBody { currency, prices }, typed) = match call.given(payload).await? {
        Given::Json(payload) => (call.json(payload).await?, None),
        Given::Form(form) => {
            let typed = (form.text("currency")?, form.text("marketing")?, form.text("utility")?);
            let amounts = [("marketing", &typed.1), ("utility", &typed.2)].into_iter();
            let filled = amounts.filter(|(_, amount)| !amount.trim().is_empty());
            let prices = filled.map(|(category, amount)| (category.to_owned(), latin_digits(amount)));
            (PricesBody { currency: typed.0.clone(), prices: prices.collect() }, Some(typed))
        }
    };
    let prices = match Prices::read(&currency, &prices) {
        Ok(prices) => prices,
        Err(error) if call.is_of_api() => return Err(Problem::invalid(error.to_string())),
        Err(error) => {
            let detail = call.words().of_prices(&error).to_owned();
            let not_taken = NotTaken { detail: Some(detail), ..Problem::invalid(error.to_string()).into() };
            let draft = Draft { prices: typed, ..Draft::default() };
            return render(&call, draft, None, Some(not_taken)).await;
        }
    };
    let acting = call.acting();
    let set =
        call.run(move |app| async move { app.dashboard.broadcasts.manage.set_prices(acting, &prices).await });
    set.await?;
    Ok(call.done(PATH))
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
