//! Lists that broadcasts go to, and what messages cost.

use std::{collections::BTreeMap, io::Cursor};

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};
use dashboard_pages::{BroadcastListRow, BroadcastListsPage, Section, TakenRows};
use domain::{
    broadcasts::{ListRemoval, Prices, TakenList, amount},
    errors::StoreError,
    ids::BroadcastListId,
};

use super::refused;
use crate::{
    App,
    dashboard::{SignedIn, broadcasts::lists::take},
    pages::{
        answer::{page, see_other},
        form::Form,
        frame,
    },
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
};

const PATH: &str = "/dashboard/broadcasts/lists";

pub(in crate::pages) async fn show(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    shown(&app, &by, &request, Default::default(), None, None).await
}

async fn shown(
    app: &Data<App>,
    by: &SignedIn,
    request: &HttpRequest,
    draft: (String, String),
    taken: Option<TakenRows>,
    problem: Option<Problem>,
) -> Result<HttpResponse, Problem> {
    let workspace = by.session.workspace;
    let known = app.run(move |app| async move {
        let lists = app.dashboard.broadcasts.lists.list(workspace).await?;
        Ok::<_, StoreError>((lists, app.dashboard.broadcasts.manage.prices(workspace).await?))
    });
    let (lists, prices) = known.await??;
    let frame = frame::of(app, request, by, Section::Broadcasts).await?;
    let (status, (refused, detail)) = refused(problem, &frame)?;
    let prices = prices.unwrap_or_default();
    let price = |category: &str| prices.by_category.get(category).map(|micros| amount(*micros));
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
            draft,
            taken,
            prices: (
                prices.currency.clone(),
                price("marketing").unwrap_or_default(),
                price("utility").unwrap_or_default(),
            ),
            refused,
            detail,
        },
    )
}

/// Takes the rows of a form. Which of them were not taken, and how many came twice, is told once: it is kept nowhere.
pub(in crate::pages) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let draft = (form.text("name")?, form.text("rows")?);
    let (name, rows) = draft.clone();
    let taking = app.run_blocking(move |app| {
        let taken = app.runtime.block_on(take(&app, &by, &name, Cursor::new(rows)));
        (by, taken)
    });
    let (by, taken) = taking.await?;
    match taken {
        Ok((taken, _)) if taken.refused == 0 && taken.repeated == 0 => Ok(see_other(PATH)),
        Ok((TakenList { list, repeated, refused }, rows)) => {
            let taken = TakenRows { name: list.name, repeated, refused, rows };
            shown(&app, &by, &request, Default::default(), Some(taken), None).await
        }
        Err(problem) => shown(&app, &by, &request, draft, None, Some(problem)).await,
    }
}

/// Removes a list.
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
            shown(&app, &by, &request, Default::default(), None, Some(problem)).await
        }
    }
}

/// Writes down what messages cost.
pub(in crate::pages) async fn set_prices(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let form = Form::of(&request, payload).await?;
    let mut amounts = BTreeMap::new();
    for category in ["marketing", "utility"] {
        if let Some(amount) = form.filled(category)? {
            amounts.insert(category.to_owned(), amount);
        }
    }
    let prices = match Prices::read(&form.text("currency")?, &amounts) {
        Ok(prices) => prices,
        Err(error) => {
            let problem = Problem::invalid(error.to_string());
            return shown(&app, &by, &request, Default::default(), None, Some(problem)).await;
        }
    };
    let acting = by.acting();
    let set =
        app.run(move |app| async move { app.dashboard.broadcasts.manage.set_prices(acting, &prices).await });
    set.await??;
    Ok(see_other(PATH))
}
