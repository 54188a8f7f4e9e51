//! Rows of broadcasts and their people.

use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable};
use domain::{
    broadcasts::{Broadcast, BroadcastPerson, BroadcastState},
    contacts::ContactName,
    errors::StoreError,
    ids::{BroadcastId, WorkspaceId},
    paging::Position,
    pause_reason::PauseReason,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use crate::{
    error::unreadable,
    schema::{broadcast_people, broadcasts},
};

#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn running(workspace: WorkspaceId, id: BroadcastId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let id: uuid::Uuid = id.uuid();
    let state: &'static str = BroadcastState::Running.as_str();
    broadcasts::table
        .filter(broadcasts::workspace_id.eq(workspace))
        .filter(broadcasts::id.eq(id))
        .filter(broadcasts::state.eq(state))
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = broadcasts)]
pub(super) struct BroadcastRow {
    id: uuid::Uuid,
    name: String,
    state: String,
    content: serde_json::Value,
    audience: serde_json::Value,
    author_id: uuid::Uuid,
    reason: Option<String>,
    created_at: OffsetDateTime,
    starts_at: Option<OffsetDateTime>,
    ended_at: Option<OffsetDateTime>,
    collected: bool,
    collected_at: Option<OffsetDateTime>,
    collected_id: Option<uuid::Uuid>,
    limited_until: Option<OffsetDateTime>,
}

impl BroadcastRow {
    pub(super) fn read(self) -> Result<Broadcast, StoreError> {
        let reason = self
            .reason
            .map(|name| PauseReason::read(&name).ok_or_else(|| unreadable("reason of a broadcast")));
        Ok(Broadcast {
            id: self.id.into(),
            name: self.name,
            state: BroadcastState::read(&self.state).ok_or_else(|| unreadable("state of a broadcast"))?,
            content: serde_json::from_value(self.content)
                .map_err(|_| unreadable("content of a broadcast"))?,
            audience: serde_json::from_value(self.audience).map_err(|_| unreadable("audience"))?,
            author: self.author_id.into(),
            reason: reason.transpose()?,
            created_at: self.created_at,
            starts_at: self.starts_at,
            ended_at: self.ended_at,
            collected: self.collected,
            collected_to: self.collected_at.zip(self.collected_id).map(|(at, id)| Position { at, id }),
            limited_until: self.limited_until,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = broadcast_people)]
pub(super) struct PersonRow {
    phone: String,
    contact_id: Option<uuid::Uuid>,
    name: Option<String>,
    message_id: uuid::Uuid,
}

impl PersonRow {
    pub(super) fn read(self) -> Result<BroadcastPerson, StoreError> {
        Ok(BroadcastPerson {
            contact: self.contact_id.map(Into::into),
            phone: PhoneNumber::from_e164(&self.phone).map_err(|_| unreadable("number"))?,
            name: self.name.and_then(|name| ContactName::read(&name).ok()),
            message: self.message_id.into(),
        })
    }
}
