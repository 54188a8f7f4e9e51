//! Lists for broadcasts, and prices of messages.

use std::{collections::BTreeMap, io::Cursor};

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{BroadcastListRow, BroadcastListsPage, Section, TakenRows};
use domain::{
    broadcasts::{ListError, ListRemoval, Prices, TakenList, amount},
    errors::StoreError,
    ids::BroadcastListId,
    text::latin_digits,
};

use super::{
    super::{
        answer::{page, see_other},
        form::Form,
        frame,
        not_taken::NotTaken,
    },
    refused,
};
use crate::{
    app::App,
    dashboard::{
        broadcasts::lists::{TakenFile, take},
        imports::{GivenFile, RunningImports, take_written},
    },
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

const PATH: &str = "/dashboard/broadcasts/lists";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    render(&app, &by, &request, Draft::default(), None, None).await
}

/// Rejected input, to show again.
#[derive(Default)]
struct Draft {
    /// Name and rows of a list.
    list: (String, String),
    /// Currency, price of marketing messages, price of utility messages.
    prices: Option<(String, String, String)>,
}

async fn render(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    draft: Draft,
    taken: Option<TakenRows>,
    not_taken: Option<NotTaken>,
) -> Result<HttpResponse, Problem> {
    let workspace = by.session.workspace;
    let known = app.run(move |app| async move {
        let lists = app.dashboard.broadcasts.lists.list(workspace).await?;
        Ok::<_, StoreError>((lists, app.dashboard.broadcasts.manage.prices(workspace).await?))
    });
    let (lists, prices) = known.await??;
    let frame = frame::of(app, request, by, Section::Broadcasts).await?;
    let (status, refused) = refused(request, not_taken, &frame)?;
    let prices = prices.unwrap_or_default();
    let price = |category: &str| prices.by_category.get(category).map(|micros| amount(*micros));
    let kept = (
        prices.currency.clone(),
        price("marketing").unwrap_or_default(),
        price("utility").unwrap_or_default(),
    );
    let row = |list: domain::broadcasts::BroadcastList| BroadcastListRow {
        id: list.id.to_string(),
        name: list.name,
        columns: list.columns,
        people: list.people,
        complete: list.complete,
    };
    page(
        status,
        &BroadcastListsPage {
            frame: &frame,
            lists: lists.into_iter().map(row).collect(),
            most: app.dashboard.import_limit,
            draft: draft.list,
            taken,
            prices: draft.prices.unwrap_or(kept),
            refused,
        },
    )
}

/// Stores the rows of a form as a list. Rejected rows and the number of duplicates are shown once and stored
/// nowhere.
pub(in crate::pages) async fn add(
    app: Data<App>,
    running: Data<RunningImports>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let draft = (form.text("name")?, form.text("rows")?);
    let ((name, rows), member) = (draft.clone(), by.clone());
    let taking = take_written(&app, &running, by.session.workspace, move |app| {
        let given = GivenFile { name, encoding: None };
        app.runtime.block_on(take(app, &member, &given, Cursor::new(rows)))
    });
    let taken = match taking.await {
        Ok(taken) => taken,
        Err(problem) => {
            let draft = Draft { list: draft, ..Draft::default() };
            return render(&app, &by, &request, draft, None, Some(problem.into())).await;
        }
    };
    match taken {
        Ok(TakenFile { taken, .. }) if taken.refused == 0 && taken.repeated == 0 => Ok(see_other(PATH)),
        Ok(TakenFile { taken: TakenList { list, repeated, refused }, refused_rows: rows, .. }) => {
            let taken = TakenRows { name: list.name, repeated, refused, rows };
            render(&app, &by, &request, Draft::default(), Some(taken), None).await
        }
        Err(error) => {
            let detail = frame::bare(&request).words().of_list(&error);
            let is_of_rows = matches!(error, ListError::Header | ListError::Columns | ListError::TooLong);
            let field = is_of_rows.then(|| "rows".to_owned());
            let not_taken = NotTaken { problem: error.into(), detail, field };
            let draft = Draft { list: draft, ..Draft::default() };
            render(&app, &by, &request, draft, None, Some(not_taken)).await
        }
    }
}

pub(in crate::pages) async fn remove(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let id: BroadcastListId = id(&request).ok_or_else(|| not_found("list"))?;
    let acting = by.acting();
    let removed = app.run(move |app| async move { app.dashboard.broadcasts.lists.remove(acting, id).await });
    match removed.await?? {
        ListRemoval::Removed => Ok(see_other(PATH)),
        ListRemoval::Unknown => Err(not_found("list")),
        ListRemoval::Needed => {
            let message = "a broadcast that is not over goes to this list";
            let problem = Problem::dashboard(DashboardCode::BroadcastListNeeded, message);
            render(&app, &by, &request, Draft::default(), None, Some(problem.into())).await
        }
    }
}

pub(in crate::pages) async fn set_prices(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let typed = (form.text("currency")?, form.text("marketing")?, form.text("utility")?);
    let mut amounts = BTreeMap::new();
    for (category, amount) in [("marketing", &typed.1), ("utility", &typed.2)] {
        if !amount.trim().is_empty() {
            amounts.insert(category.to_owned(), latin_digits(amount));
        }
    }
    let prices = match Prices::read(&typed.0, &amounts) {
        Ok(prices) => prices,
        Err(error) => {
            let detail = frame::bare(&request).words().of_prices(&error).to_owned();
            let not_taken = NotTaken { detail: Some(detail), ..Problem::invalid(error.to_string()).into() };
            let draft = Draft { prices: Some(typed), ..Draft::default() };
            return render(&app, &by, &request, draft, None, Some(not_taken)).await;
        }
    };
    let acting = by.acting();
    let set =
        app.run(move |app| async move { app.dashboard.broadcasts.manage.set_prices(acting, &prices).await });
    set.await??;
    Ok(see_other(PATH))
}
