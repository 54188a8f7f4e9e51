//! `/groups` and their members.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Json, Payload},
};
use domain::{
    groups::{GroupError, TeamGroup},
    ids::{GroupId, MemberId},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    app::App,
    body,
    paging::{id, not_found},
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// A group of members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupBody {
    id: GroupId,
    name: String,
    member_ids: Vec<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

impl From<TeamGroup> for GroupBody {
    fn from(group: TeamGroup) -> Self {
        let TeamGroup { id, name, members, created_at } = group;
        Self { id, name, member_ids: members, created_at }
    }
}

/// The groups.
#[derive(Serialize)]
pub(crate) struct GroupsBody {
    rows: Vec<GroupBody>,
}

/// What a group is called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupNameBody {
    name: String,
}

/// The groups, by name.
pub(crate) async fn list(app: Data<App>, by: SignedIn) -> Result<Json<GroupsBody>, Problem> {
    let listed = app.run(move |app| async move { app.dashboard.groups.list(by.session.workspace).await });
    Ok(Json(GroupsBody { rows: listed.await??.into_iter().map(GroupBody::from).collect() }))
}

/// Makes a group with nobody in it.
pub(crate) async fn add(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let GroupNameBody { name } = body::json(&request, payload).await?.fields;
    let added = app.run(move |app| async move { app.dashboard.groups.add(by.acting(), &name).await });
    Ok(HttpResponse::Created().json(GroupBody::from(added.await??)))
}

/// Gives a group another name.
pub(crate) async fn rename(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    let GroupNameBody { name } = body::json(&request, payload).await?.fields;
    let group = id(&request).ok_or(GroupError::Unknown)?;
    let renamed =
        app.run(move |app| async move { app.dashboard.groups.rename(by.acting(), group, &name).await });
    done(renamed.await?)
}

/// Deletes a group; its conversations belong to none.
pub(crate) async fn delete(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let group = id(&request).ok_or(GroupError::Unknown)?;
    let deleted = app.run(move |app| async move { app.dashboard.groups.delete(by.acting(), group).await });
    done(deleted.await?)
}

/// Puts a member into a group.
pub(crate) async fn put(app: Data<App>, by: SignedIn, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let (group, member) = both(&request)?;
    let put = app.run(move |app| async move { app.dashboard.groups.put(by.acting(), group, member).await });
    done(put.await?)
}

/// Takes a member out of a group.
pub(crate) async fn take(
    app: Data<App>,
    by: SignedIn,
    request: HttpRequest,
) -> Result<HttpResponse, Problem> {
    let (group, member) = both(&request)?;
    let taken =
        app.run(move |app| async move { app.dashboard.groups.take(by.acting(), group, member).await });
    done(taken.await?)
}

fn both(request: &HttpRequest) -> Result<(GroupId, MemberId), GroupError> {
    let member = request.match_info().query("memberId").parse().ok();
    id(request).zip(member).ok_or(GroupError::Unknown)
}

fn done(result: Result<(), GroupError>) -> Result<HttpResponse, Problem> {
    result?;
    Ok(HttpResponse::NoContent().finish())
}

impl From<GroupError> for Problem {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Name(error) => Self::invalid(error.to_string()),
            GroupError::Unknown => not_found("group or member"),
            GroupError::Needed => Self::dashboard(DashboardCode::BroadcastGroupNeeded, error.to_string()),
            GroupError::NameTaken => Self::dashboard(DashboardCode::GroupNameTaken, error.to_string()),
            GroupError::TooMany => Self::dashboard(DashboardCode::TooManyGroups, error.to_string()),
            GroupError::Store(error) => error.into(),
        }
    }
}
