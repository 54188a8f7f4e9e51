//! A broadcast's people as they are listed, with what became of their messages.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    broadcasts::{
        BroadcastPerson, PeopleFilter, PeopleState, PersonState,
        ports::{Followed, FoundPeople, ListedPerson},
    },
    contacts::ContactName,
    errors::StoreError,
    ids::{BroadcastId, MessageId, WorkspaceId},
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::PgBroadcasts;
use crate::{
    error::{failed, unreadable},
    sql::statement,
};

/// People that are looked at for a page of what no index knows: who has read it, and why somebody was refused.
const LOOKED_AT: u32 = 5_000;

/// What became of each `person`, who was picked by one of several ways. Of whom nobody knew whether the network has their
/// message is sent once a status has told.
macro_rules! followed {
    ($picked:literal) => {
        concat!(
            "SELECT person.phone, person.contact_id, person.name, person.message_id, person.reason, person.changed_at,
        CASE WHEN person.state = 'unconfirmed' AND send.state = 'sent' THEN 'sent' ELSE person.state END AS state,
        coalesce(send.delivered_at, send.read_at) AS delivered_at, send.read_at,
        send.failed_at AS undelivered_at, send.error_code AS code,
        answered.marked_at AS answered_at, stopped.marked_at AS stopped_at
    FROM (",
            $picked,
            ") picked
    CROSS JOIN LATERAL (
        SELECT phone, contact_id, name, message_id, state, reason, changed_at FROM broadcast_people
        WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND message_id = picked.message_id OFFSET 0
    ) person
    LEFT JOIN LATERAL (
        SELECT state, delivered_at, read_at, failed_at, error_code FROM sends
        WHERE workspace_id = :workspace AND id = person.message_id OFFSET 0
    ) send ON true
    LEFT JOIN LATERAL (
        SELECT marked_at FROM broadcast_marks
        WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND kind = 'answered'
          AND message_id = person.message_id OFFSET 0
    ) answered ON true
    LEFT JOIN LATERAL (
        SELECT marked_at FROM broadcast_marks
        WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND kind = 'stopped'
          AND message_id = person.message_id OFFSET 0
    ) stopped ON true
    ORDER BY person.message_id DESC"
        )
    };
}

/// Of everybody.
pub(super) const OF_ALL: &str = followed!(
    "SELECT message_id FROM broadcast_people
     WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND message_id < :before
     ORDER BY message_id DESC LIMIT :looked"
);

/// Of those in a state.
pub(super) const OF_STATE: &str = followed!(
    "SELECT message_id FROM broadcast_people
     WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND state = :kind AND message_id < :before
     ORDER BY message_id DESC LIMIT :looked"
);

/// Of those whose messages few come to.
pub(super) const OF_MARK: &str = followed!(
    "SELECT message_id FROM broadcast_marks
     WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND kind = :kind AND message_id < :before
     ORDER BY message_id DESC LIMIT :looked"
);

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    phone: String,
    #[diesel(sql_type = Nullable<Uuid>)]
    contact_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Uuid)]
    message_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    changed_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    delivered_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    read_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    undelivered_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<BigInt>)]
    code: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    answered_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stopped_at: Option<OffsetDateTime>,
}

impl Row {
    fn read(self) -> Result<ListedPerson, StoreError> {
        Ok(ListedPerson {
            person: BroadcastPerson {
                contact: self.contact_id.map(Into::into),
                phone: PhoneNumber::from_e164(&self.phone).map_err(|_| unreadable("number"))?,
                name: self.name.and_then(|name| ContactName::read(&name).ok()),
                message: self.message_id.into(),
            },
            state: PersonState::read(&self.state).ok_or_else(|| unreadable("state of a person"))?,
            reason: self.reason,
            at: self.changed_at,
            followed: Followed {
                delivered_at: self.delivered_at,
                read_at: self.read_at,
                undelivered_at: self.undelivered_at,
                code: self.code,
                answered_at: self.answered_at,
                stopped_at: self.stopped_at,
            },
        })
    }
}

/// Where those are found who may pass, and whether all of them do.
fn way(filter: &PeopleFilter) -> (&'static str, Option<&'static str>, bool) {
    let any_reason = filter.reason.is_none();
    match filter.state {
        None => (OF_ALL, None, any_reason),
        // A status may have told that whoever was unconfirmed has their message.
        Some(PeopleState::Is(PersonState::Sent) | PeopleState::Delivered | PeopleState::Read) => {
            (OF_ALL, None, false)
        }
        Some(PeopleState::Is(PersonState::Unconfirmed)) => {
            (OF_STATE, Some(PersonState::Unconfirmed.as_str()), false)
        }
        Some(PeopleState::Is(state)) => (OF_STATE, Some(state.as_str()), any_reason),
        Some(state @ (PeopleState::Undelivered | PeopleState::Answered | PeopleState::Stopped)) => {
            (OF_MARK, Some(state.as_str()), any_reason)
        }
    }
}

fn passes(filter: &PeopleFilter, row: &ListedPerson) -> bool {
    let state = match filter.state {
        None => true,
        Some(PeopleState::Is(state)) => row.state == state,
        Some(PeopleState::Delivered) => row.followed.delivered_at.is_some(),
        Some(PeopleState::Read) => row.followed.read_at.is_some(),
        Some(PeopleState::Undelivered) => row.followed.undelivered_at.is_some(),
        Some(PeopleState::Answered) => row.followed.answered_at.is_some(),
        Some(PeopleState::Stopped) => row.followed.stopped_at.is_some(),
    };
    let code = || row.followed.code.map(|code| code.to_string());
    let reason = filter.reason.as_ref();
    state
        && reason.is_none_or(|reason| row.reason.as_ref() == Some(reason) || code().as_ref() == Some(reason))
}

impl PgBroadcasts {
    pub(super) async fn listed_people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        filter: &PeopleFilter,
        rows: u32,
        before: Option<MessageId>,
    ) -> Result<FoundPeople, StoreError> {
        let (text, kind, all_pass) = way(filter);
        let looked = if all_pass { rows + 1 } else { LOOKED_AT };
        let mut asked = statement(text)
            .of(workspace)
            .bind::<Uuid, _>("broadcast", id.uuid())
            .bind::<Uuid, _>("before", before.map_or(uuid::Uuid::max(), MessageId::uuid))
            .bind::<BigInt, _>("looked", i64::from(looked));
        if let Some(kind) = kind {
            asked = asked.bind::<Text, _>("kind", kind);
        }
        let mut connection = self.database.connection().await?;
        let found = asked.load::<Row>(&mut connection).await.map_err(failed)?;
        let looked_all = found.len() < usize::try_from(looked).unwrap_or(usize::MAX);
        let reached = found.last().map(|row| row.message_id.into()).filter(|_| !looked_all && !all_pass);
        let most = usize::try_from(rows).unwrap_or(usize::MAX).saturating_add(1);
        let read = found.into_iter().map(Row::read);
        let passing = read.filter(|row| row.as_ref().map_or(true, |row| passes(filter, row)));
        Ok(FoundPeople { rows: passing.take(most).collect::<Result<_, StoreError>>()?, reached })
    }
}
