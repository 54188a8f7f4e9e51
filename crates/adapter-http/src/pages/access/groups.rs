//! `/groups` and their members; in the browser, a part of the team's page.

use actix_web::{HttpResponse, web::Payload};
use dashboard_pages::TypedTeam;
use domain::{
    groups::{GroupError, TeamGroup},
    ids::{GroupId, MemberId},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::{
    super::act::{self, Answer, Call, Rows},
    team::{self, PATH},
};
use crate::{
    paging::not_found,
    problem::{DashboardCode, Problem},
};

/// A group of members.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupBody {
    id: GroupId,
    name: String,
    member_ids: Vec<MemberId>,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

impl From<TeamGroup> for GroupBody {
    fn from(TeamGroup { id, name, members, created_at }: TeamGroup) -> Self {
        Self { id, name, member_ids: members, created_at }
    }
}

/// What a new group is called.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NewGroup {
    name: String,
}

/// What a group is called, or who is to be put in or taken out.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    name: String,
    r#in: Option<String>,
    out: Option<String>,
}

/// The groups, by name.
pub(in crate::pages) async fn list(call: Call) -> Answer {
    let workspace = call.workspace();
    let listed = call.run(move |app| async move { app.dashboard.groups.list(workspace).await });
    act::ok(&Rows { rows: listed.await?.into_iter().map(GroupBody::from).collect() })
}

/// Makes a group with nobody in it.
pub(in crate::pages) async fn add(call: Call, payload: Payload) -> Answer {
    let NewGroup { name } = call.input(payload).await?;
    let (acting, typed) = (call.acting(), TypedTeam { group: name.clone(), ..TypedTeam::default() });
    let added = call.run(move |app| async move { app.dashboard.groups.add(acting, &name).await });
    let added = added.await.and_then(|group| act::created(&GroupBody::from(group)));
    call.answer(added, PATH, |problem| team::render(&call, Err(problem), typed)).await
}

/// Renames or deletes a group, puts a member into it, or takes one out.
pub(in crate::pages) async fn change(call: Call, payload: Payload) -> Answer {
    let named = call.request.match_info().get("memberId").map(str::to_owned);
    let written = if named.is_some() { Written::default() } else { call.input(payload).await? };
    let (group, removes): (GroupId, _) = (call.id(|| GroupError::Unknown.into())?, call.removes());
    let (put, taken) = if removes { (None, named) } else { (named, None) };
    let (put, taken, name) = (put.or(written.r#in), taken.or(written.out), written.name);
    let renamed = Some((group.to_string(), name.clone())).filter(|(_, name)| !name.trim().is_empty());
    let (acting, member) =
        (call.acting(), |id: &str| id.parse::<MemberId>().map_err(|_| GroupError::Unknown));
    let changed = call.run(move |app| async move {
        let groups = &app.dashboard.groups;
        match (put, taken) {
            (Some(id), _) => groups.put(acting, group, member(&id)?).await,
            (_, Some(id)) => groups.take(acting, group, member(&id)?).await,
            _ if removes => groups.delete(acting, group).await,
            _ => groups.rename(acting, group, &name).await,
        }
    });
    let changed = changed.await.map(|()| HttpResponse::NoContent().finish());
    let typed = TypedTeam { renamed, ..TypedTeam::default() };
    call.answer(changed, PATH, |problem| team::render(&call, Err(problem), typed)).await
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
