//! `GET /broadcasts/{id}/people`.

use actix_web::{
    HttpRequest,
    web::{Data, Json},
};
use domain::broadcasts::PersonState;
use serde::Serialize;
use utoipa::ToSchema;

use super::{unknown, wire::PersonBody};
use crate::{
    App,
    dashboard::SignedIn,
    openapi::values,
    paging::{PageQuery, asked, id},
    problem::Problem,
    query::Parameters,
};

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

/// Whom a broadcast goes to, as far as they were collected, the last first. What became of a message later is at
/// `GET /messages/{id}`.
#[utoipa::path(
    get, path = "/dashboard/api/broadcasts/{id}/people", tag = "Broadcasts",
    operation_id = "listBroadcastPeople",
    params(
        ("id" = values::Id, Path, description = "The broadcast's id."),
        (
            "state" = Option<String>, Query, example = "failed",
            description = "Only those in this state: `queued`, `sent`, `unconfirmed`, `failed` or `skipped`.",
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
    let states = PersonState::ALL.map(PersonState::as_str);
    let state = parameters.word("state", PersonState::read, &states)?;
    let (page, id) = (asked(&parameters)?, id(&request).ok_or_else(unknown)?);
    let workspace = by.session.workspace;
    let listed = app.run(move |app| async move {
        app.dashboard.broadcasts.manage.people(workspace, id, state, &page).await
    });
    let page = listed.await??.ok_or_else(unknown)?;
    Ok(Json(PeopleBody {
        rows: page.rows.into_iter().map(PersonBody::from).collect(),
        next_cursor: page.next,
    }))
}
