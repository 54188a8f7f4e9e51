//! `GET /broadcasts/{id}/people`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::broadcasts::{PeopleFilter, PeopleState};
use serde::Serialize;
use utoipa::ToSchema;

use super::{unknown, wire::PersonBody};
use crate::{
    app::App,
    paging::{PageQuery, id, read_page},
    problem::Problem,
    query::Parameters,
    schema::values,
    session::SignedIn,
};

/// Parses the filter of a broadcast's people.
pub(crate) fn parse_filter(parameters: &Parameters) -> Result<PeopleFilter, Problem> {
    let states = PeopleState::ALL.map(PeopleState::as_str);
    let state = parameters.word("state", PeopleState::read, &states)?;
    Ok(PeopleFilter { state, reason: parameters.get("reason")?.map(str::to_owned) })
}

/// A page of a broadcast's people.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BroadcastPeople)]
pub(crate) struct PeopleBody {
    rows: Vec<PersonBody>,
    /// What asks for the next page; null on the last.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// Whom a broadcast goes to, as far as they were collected, the last first, with what became of their
/// messages.
///
/// A page may hold less than it could, even nobody, and have a next one: of what no index knows, such as who
/// has read it, 5,000 people are looked at for each page.
#[utoipa::path(
    get, path = "/dashboard/api/broadcasts/{id}/people", tag = "Broadcasts",
    operation_id = "listBroadcastPeople",
    params(
        ("id" = values::Id, Path, description = "The broadcast's id."),
        (
            "state" = Option<String>, Query, example = "failed",
            description = "Only those in this state: `queued`, `sent`, `unconfirmed`, `failed` or `skipped`; or those of \
                whom this is known: `delivered`, `read`, `undelivered`, `answered` or `stopped`.",
        ),
        (
            "reason" = Option<String>, Query, example = "131026",
            description = "Only those who were left out or refused for this reason, or whose message could not be \
                delivered for it: `marketing_stopped`, `no_name`, `no_value`, `value`, or the network's code.",
        ),
        PageQuery
    ),
    responses((status = 200, description = "A page of them.", body = PeopleBody))
)]
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
