//! `GET /broadcasts/{id}/people`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::broadcasts::{PeopleFilter, PeopleState};
use serde::Serialize;

use super::{unknown, wire::PersonBody};
use crate::{
    app::App,
    paging::{id, read_page},
    problem::Problem,
    query::Parameters,
    session::SignedIn,
};

/// Parses the filter of a broadcast's people.
pub(crate) fn parse_filter(parameters: &Parameters) -> Result<PeopleFilter, Problem> {
    let states = PeopleState::ALL.map(PeopleState::as_str);
    let state = parameters.word("state", PeopleState::read, &states)?;
    Ok(PeopleFilter { state, reason: parameters.get("reason")?.map(str::to_owned) })
}

/// A page of a broadcast's people.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PeopleBody {
    rows: Vec<PersonBody>,
    /// What asks for the next page; null on the last.
    next_cursor: Option<String>,
}

/// Whom a broadcast goes to, as far as they were collected, the last first, with what became of their
/// messages.
///
/// A page may hold less than it could, even nobody, and have a next one: of what no index knows, such as who
/// has read it, 5,000 people are looked at for each page.
pub(crate) async fn list(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<Json<PeopleBody>, Problem> {
    let parameters = Parameters::of(&request)?;
    let filter = parse_filter(&parameters)?;
    let (page, id) = (read_page(&parameters)?, id(&request).ok_or_else(unknown)?);
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move {
        app.dashboard.broadcasts.manage.people(workspace, id, &filter, &page).await
    });
    let page = listed.await??.ok_or_else(unknown)?;
    Ok(Json(PeopleBody {
        rows: page.rows.into_iter().map(PersonBody::from).collect(),
        next_cursor: page.next,
    }))
}
