//! Sends that the network accepted, and the statement that settles them.

use std::collections::HashMap;

use diesel::{
    QueryResult,
    result::{DatabaseErrorKind, Error},
};
use domain::{
    conversation::ConversationStatus,
    errors::StoreError,
    events::Event,
    ids::{MessageId, WorkspaceId},
    messages::Role,
    sending::{AcceptedSend, ConversationEffect},
    workspaces::Month,
};
use time::Date;

use crate::{
    contacts::searchable,
    error::failed,
    schema::sends,
    sql::{Update, update},
    transaction::Transaction,
    webhooks::{Subscriber, subscribers},
};

pub(super) struct Accepted {
    pub(super) send: AcceptedSend,
    pub(super) network_id_hash: [u8; 32],
    pub(super) network_id_sealed: Vec<u8>,
    /// Trace of the request, since a batch is written by a task of its own.
    pub(super) trace_parent: Option<String>,
}

#[derive(Clone, Copy)]
pub(super) enum SettleOutcome {
    Now,
    /// The contact or the conversation has changed since this was decided.
    Stale,
    NotInFlight,
}

/// Outcomes of a batch by the ids of its sends. Missing ones are not in flight.
pub(super) type SettleOutcomes = HashMap<MessageId, SettleOutcome>;

#[derive(Clone, Copy)]
pub(super) struct ConversationSend<'a> {
    pub(super) accepted: &'a Accepted,
    pub(super) effect: &'a ConversationEffect,
}

impl<'a> ConversationSend<'a> {
    pub(super) fn of(accepted: &'a Accepted) -> Option<Self> {
        Some(Self { accepted, effect: accepted.send.effect.as_ref()? })
    }

    pub(super) fn id(&self) -> uuid::Uuid {
        self.accepted.send.result.id.uuid()
    }

    pub(super) fn month(&self) -> Date {
        Month::of(self.accepted.send.accepted_at).first_day()
    }

    /// Whether the customer no longer waits after this message. While the team has their conversation, the
    /// assistant only tells them so, or the outcome of what they confirmed.
    pub(super) fn answers(&self) -> bool {
        self.effect.message.role != Role::Assistant
            || self.effect.conversation.status != ConversationStatus::Open
    }

    pub(super) fn searchable(&self) -> String {
        searchable(self.effect.contact.name.as_deref(), self.effect.contact.phone.as_ref())
    }
}

pub(super) async fn hearing(
    transaction: &Transaction,
    workspace: WorkspaceId,
    batch: &[&Accepted],
) -> QueryResult<Vec<Subscriber>> {
    let events: Vec<&Event> = batch.iter().flat_map(|accepted| &accepted.send.events).collect();
    if events.is_empty() {
        return Ok(Vec::new());
    }
    subscribers(transaction, workspace, events).await
}

pub(super) fn settle<'a>(
    workspace: WorkspaceId,
    batch: &'a [&'a Accepted],
    of: impl Fn(&'a Accepted) -> Option<ConversationSend<'a>>,
) -> Update<'a, sends::table, &'a Accepted> {
    update(sends::table, workspace, batch)
        .key(sends::id, |accepted| accepted.send.result.id.uuid())
        .guard(sends::state, |_| "in_flight")
        .set(sends::state, |_| "sent")
        .set(sends::network_id_hash, |accepted| Some(accepted.network_id_hash))
        .set(sends::network_id_sealed, |accepted| Some(accepted.network_id_sealed.as_slice()))
        .set(sends::settled_at, |accepted| Some(accepted.send.accepted_at))
        .set(sends::stamped_at, |accepted| {
            Some(of(accepted).map_or(accepted.send.accepted_at, |send| send.effect.message.created_at))
        })
        .set_to(
            sends::contact_id,
            |accepted| of(accepted).map(|send| send.effect.contact.id.uuid()),
            "coalesce(new.contact_id, sends.contact_id)",
        )
        .set_to(
            sends::conversation_id,
            |accepted| of(accepted).map(|send| send.effect.conversation.id.uuid()),
            "coalesce(new.conversation_id, sends.conversation_id)",
        )
        .set(sends::notice_to, |_| None::<&str>)
        .set(sends::notice_name, |_| None::<&str>)
        .set(sends::notice_content, |_| None::<&str>)
}

/// Another send with this network id was recorded meanwhile, or a contact or a conversation made or merged.
pub(super) fn raced(error: Error) -> StoreError {
    match &error {
        Error::DatabaseError(
            DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
            _,
        ) => StoreError::Stale,
        _ => failed(error),
    }
}
