//! A broadcast's people as listed, with the outcomes of their messages.

use std::collections::HashMap;

use diesel::{ExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    broadcasts::{
        BroadcastPerson, PeopleFilter, PeopleState, PersonState,
        ports::{Followed, FoundPeople, ListedPerson},
    },
    contacts::ContactName,
    errors::StoreError,
    ids::{BroadcastId, MessageId, WorkspaceId},
    messages::DeliveryStatus,
    phone::PhoneNumber,
};
use futures_util::future::try_join3;
use time::OffsetDateTime;

use crate::{
    Database,
    error::{failed, unreadable},
    schema::{broadcast_marks, broadcast_people, sends},
    sql::{RunQueryDsl, first_and_last},
};

/// People read for one page of a filter without an index: who has read the message, and reasons for refusals.
const LOOKED_AT: u32 = 5_000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = broadcast_people)]
struct ListedRow {
    phone: String,
    contact_id: Option<uuid::Uuid>,
    name: Option<String>,
    message_id: uuid::Uuid,
    state: String,
    reason: Option<String>,
    changed_at: OffsetDateTime,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
struct SendRow {
    id: uuid::Uuid,
    state: String,
    status: String,
    delivered_at: Option<OffsetDateTime>,
    read_at: Option<OffsetDateTime>,
    failed_at: Option<OffsetDateTime>,
    error_code: Option<i64>,
}

#[derive(Default)]
struct Beside {
    sends: HashMap<uuid::Uuid, SendRow>,
    answered: HashMap<uuid::Uuid, OffsetDateTime>,
    stopped: HashMap<uuid::Uuid, OffsetDateTime>,
}

impl ListedRow {
    fn read(self, beside: &Beside) -> Result<ListedPerson, StoreError> {
        let send = beside.sends.get(&self.message_id);
        let state = PersonState::read(&self.state).ok_or_else(|| unreadable("state of a person"))?;
        // A message that arrived on another device has not failed.
        let failed = send.filter(|send| send.status == DeliveryStatus::Failed.as_str());
        let is_sent = send.is_some_and(|send| send.state == "sent");
        Ok(ListedPerson {
            person: BroadcastPerson {
                contact: self.contact_id.map(Into::into),
                phone: PhoneNumber::from_e164(&self.phone).map_err(|_| unreadable("number"))?,
                name: self.name.and_then(|name| ContactName::read(&name).ok()),
                message: self.message_id.into(),
            },
            // An unconfirmed message counts as sent once a status has reported it.
            state: if state == PersonState::Unconfirmed && is_sent { PersonState::Sent } else { state },
            reason: self.reason,
            at: self.changed_at,
            followed: Followed {
                delivered_at: send.and_then(|send| send.delivered_at.or(send.read_at)),
                read_at: send.and_then(|send| send.read_at),
                undelivered_at: failed.and_then(|send| send.failed_at),
                code: failed.and_then(|send| send.error_code),
                answered_at: beside.answered.get(&self.message_id).copied(),
                stopped_at: beside.stopped.get(&self.message_id).copied(),
            },
        })
    }
}

enum Way {
    All,
    State(PersonState),
    /// Messages with a rare outcome, by their marks.
    Mark(PeopleState),
}

/// Returns where to look for people who pass, and whether all of them do.
fn way(filter: &PeopleFilter) -> (Way, bool) {
    let any_reason = filter.reason.is_none();
    match filter.state {
        None => (Way::All, any_reason),
        // An unconfirmed person's message may have been reported by a status.
        Some(PeopleState::Is(PersonState::Sent) | PeopleState::Delivered | PeopleState::Read) => {
            (Way::All, false)
        }
        Some(PeopleState::Is(PersonState::Unconfirmed)) => (Way::State(PersonState::Unconfirmed), false),
        Some(PeopleState::Is(state)) => (Way::State(state), any_reason),
        Some(mark @ (PeopleState::Undelivered | PeopleState::Answered | PeopleState::Stopped)) => {
            (Way::Mark(mark), any_reason)
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

pub(super) async fn people(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
    filter: &PeopleFilter,
    rows: u32,
    before: Option<MessageId>,
) -> Result<FoundPeople, StoreError> {
    let (way, all_pass) = way(filter);
    let looked = if all_pass { rows + 1 } else { LOOKED_AT };
    let connection = database.connection().await?;
    let found = looked_at(&connection, workspace, id, &way, looked, before).await.map_err(failed)?;
    let messages: Vec<uuid::Uuid> = found.iter().map(|row| row.message_id).collect();
    let beside = beside(&connection, workspace, id, &messages).await.map_err(failed)?;
    let looked_all = found.len() < usize::try_from(looked).unwrap_or(usize::MAX);
    let last = found.last().map(|row| row.message_id.into()).filter(|_| !looked_all);
    those_who_pass(found.into_iter().map(|row| row.read(&beside)), last, filter, rows)
}

/// Filters the people that were read; `last` is the last of them if there may be more. A person picked by
/// state may have left it before their row was read: then fewer pass than were picked, even if all should.
fn those_who_pass(
    listed: impl Iterator<Item = Result<ListedPerson, StoreError>>,
    last: Option<MessageId>,
    filter: &PeopleFilter,
    rows: u32,
) -> Result<FoundPeople, StoreError> {
    let most = usize::try_from(rows).unwrap_or(usize::MAX).saturating_add(1);
    let passing = listed.filter(|row| row.as_ref().map_or(true, |row| passes(filter, row)));
    let rows: Vec<ListedPerson> = passing.take(most).collect::<Result<_, StoreError>>()?;
    let reached = last.filter(|_| rows.len() < most);
    Ok(FoundPeople { rows, reached })
}

async fn looked_at(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    id: BroadcastId,
    way: &Way,
    most: u32,
    before: Option<MessageId>,
) -> QueryResult<Vec<ListedRow>> {
    let before = before.map_or(uuid::Uuid::max(), MessageId::uuid);
    let of = || {
        broadcast_people::table
            .filter(broadcast_people::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_people::broadcast_id.eq(id.uuid()))
            .order(broadcast_people::message_id.desc())
    };
    let most = i64::from(most);
    let picked: Vec<uuid::Uuid> = match way {
        Way::All => {
            let next = of().filter(broadcast_people::message_id.lt(before)).limit(most);
            return next.select(ListedRow::as_select()).load(&mut { connection }).await;
        }
        // An index-only scan finds their ids.
        Way::State(state) => {
            let of_state = of().filter(broadcast_people::state.eq(state.as_str()));
            let next = of_state.filter(broadcast_people::message_id.lt(before)).limit(most);
            next.select(broadcast_people::message_id).load(&mut { connection }).await?
        }
        Way::Mark(mark) => {
            broadcast_marks::table
                .filter(broadcast_marks::workspace_id.eq(workspace.uuid()))
                .filter(broadcast_marks::broadcast_id.eq(id.uuid()))
                .filter(broadcast_marks::kind.eq(mark.as_str()))
                .filter(broadcast_marks::message_id.lt(before))
                .order(broadcast_marks::message_id.desc())
                .limit(most)
                .select(broadcast_marks::message_id)
                .load(&mut { connection })
                .await?
        }
    };
    let Some((first, last)) = first_and_last(picked.iter().copied()) else { return Ok(Vec::new()) };
    of().filter(broadcast_people::message_id.between(first, last))
        .filter(broadcast_people::message_id.eq_any(picked))
        .select(ListedRow::as_select())
        .load(&mut { connection })
        .await
}

async fn beside(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    id: BroadcastId,
    messages: &[uuid::Uuid],
) -> QueryResult<Beside> {
    let Some((first, last)) = first_and_last(messages.iter().copied()) else { return Ok(Beside::default()) };
    let sends = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.between(first, last))
        .filter(sends::id.eq_any(messages))
        .select(SendRow::as_select())
        .load::<SendRow>(&mut { connection });
    let marks = |kind: PeopleState| async move {
        let marked = broadcast_marks::table
            .filter(broadcast_marks::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_marks::broadcast_id.eq(id.uuid()))
            .filter(broadcast_marks::kind.eq(kind.as_str()))
            .filter(broadcast_marks::message_id.between(first, last))
            .filter(broadcast_marks::message_id.eq_any(messages))
            .select((broadcast_marks::message_id, broadcast_marks::marked_at));
        marked.load::<(uuid::Uuid, OffsetDateTime)>(&mut { connection }).await
    };
    let (sends, answered, stopped) =
        try_join3(sends, marks(PeopleState::Answered), marks(PeopleState::Stopped)).await?;
    Ok(Beside {
        sends: sends.into_iter().map(|send| (send.id, send)).collect(),
        answered: answered.into_iter().collect(),
        stopped: stopped.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use domain::{
        broadcasts::{
            BroadcastPerson, PeopleFilter, PeopleState, PersonState,
            ports::{Followed, ListedPerson},
        },
        ids::MessageId,
        phone::PhoneNumber,
    };
    use time::macros::datetime;

    use super::those_who_pass;

    fn message(number: u128) -> MessageId {
        uuid::Uuid::from_u128(number).into()
    }

    fn listed(number: u128, state: PersonState) -> ListedPerson {
        ListedPerson {
            person: BroadcastPerson {
                contact: None,
                phone: PhoneNumber::from_e164("+9647701234567").unwrap(),
                name: None,
                message: message(number),
            },
            state,
            reason: None,
            at: datetime!(2026-11-22 10:00 UTC),
            followed: Followed::default(),
        }
    }

    #[test]
    fn a_list_goes_on_behind_whoever_left_the_state_that_they_were_picked_by() {
        let (queued, sent) = (PersonState::Queued, PersonState::Sent);
        let filter = PeopleFilter { state: Some(PeopleState::Is(queued)), reason: None };
        let more = Some(message(3));
        for (states, last, wanted) in [
            ([queued, queued, queued], more, (3, None)),
            ([queued, sent, queued], more, (2, more)),
            ([sent, sent, sent], more, (0, more)),
            ([queued, sent, queued], None, (2, None)),
        ] {
            let picked = (1..).zip(states).map(|(number, state)| Ok(listed(number, state)));
            let found = those_who_pass(picked, last, &filter, 2).unwrap();
            assert_eq!((found.rows.len(), found.reached), wanted, "{states:?}");
        }
    }
}
