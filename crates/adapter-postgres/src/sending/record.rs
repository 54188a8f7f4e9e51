//! What the network accepted, written down with all that follows from it.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use diesel::{
    QueryableByName,
    pg::Pg,
    query_builder::{Query, QueryFragment, QueryId},
    result::{DatabaseErrorKind, Error},
    sql_types::{Array, Binary, Bool, Date, Nullable, Text, Timestamptz, Untyped, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    messages::TemplateRef,
    phone::PhoneNumber,
    sending::{AcceptedSend, ConversationEffect, SendState, ports::Recorded},
    webhooks::Event,
    workspaces::Month,
};

use super::{LedgerRow, ledger};
use crate::{
    PgStore,
    contacts::{count_contacts, searchable},
    error::{failed, locked},
    live::live_change,
    places,
    sql::{Bind, Columns, sql},
    webhooks::{PendingDeliveries, enqueue_deliveries, owing},
};

/// One statement, and so one transaction, for all sends of a batch. Each part of a send takes place only when the
/// one before did: the send is still in flight, the person is who they were, the conversation is the one that was read.
/// Of two sends that make the same person or conversation, one is settled, and the other is decided again.
///
/// Rows that others may wait for are locked in one order everywhere: sends, contacts, conversations, each by its key.
pub(super) const SETTLE_NOTICES: &str = concat!(
    "WITH accepted AS MATERIALIZED (
        SELECT * FROM unnest($8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
                             $25, $26, $27, $28, $29, $30, $31, $32, $33)
            AS accepted (id, network_id_hash, network_id_sealed, settled_at, contact_id, contact_is_new, name,
                         phone, source, month, contact_created_at, searchable, conversation_id, conversation_is_new,
                         channel_id, channel, status, last_message_at, conversation_created_at, role, sender_id,
                         content, template_name, template_language, reference, created_at)
    ), send AS MATERIALIZED (
        SELECT accepted.* FROM accepted JOIN sends in_flight ON in_flight.id = accepted.id
        WHERE in_flight.workspace_id = $1 AND in_flight.state = 'in_flight'
        ORDER BY in_flight.id FOR UPDATE OF in_flight
    ), new_contact AS (
        INSERT INTO contacts
            (workspace_id, id, name, phone, source, active_month, created_at, searchable)
        SELECT $1, contact_id, name, phone, source, month, contact_created_at, searchable
        FROM send WHERE contact_is_new ORDER BY phone
        ON CONFLICT (workspace_id, phone) DO NOTHING
        RETURNING id, searchable
    ), ",
    count_contacts!(),
    ", with_contact AS (
        SELECT send.* FROM send JOIN new_contact ON new_contact.id = send.contact_id WHERE send.contact_is_new
        UNION ALL
        SELECT send.* FROM send JOIN contacts known ON known.id = send.contact_id
        WHERE NOT send.contact_is_new AND known.workspace_id = $1
    ), new_conversation AS (
        INSERT INTO conversations
            (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at, stamped_at)
        SELECT $1, conversation_id, contact_id, channel_id, channel, status, last_message_at, conversation_created_at, created_at
        FROM with_contact WHERE conversation_is_new ORDER BY contact_id, channel_id
        ON CONFLICT (workspace_id, contact_id, channel_id) DO NOTHING
        RETURNING id
    ), known_conversation AS MATERIALIZED (
        SELECT with_contact.id FROM with_contact JOIN conversations known ON known.id = with_contact.conversation_id
        WHERE NOT with_contact.conversation_is_new AND known.workspace_id = $1
          AND (known.stamped_at >= with_contact.created_at) IS NOT TRUE
        ORDER BY known.id FOR NO KEY UPDATE OF known
    ), with_conversation AS MATERIALIZED (
        SELECT with_contact.* FROM with_contact JOIN new_conversation ON new_conversation.id = with_contact.conversation_id
        WHERE with_contact.conversation_is_new
        UNION ALL
        (SELECT DISTINCT ON (with_contact.conversation_id, with_contact.created_at) with_contact.*
         FROM with_contact JOIN known_conversation ON known_conversation.id = with_contact.id)
    ), moved_contact AS (
        UPDATE contacts known SET active_month = moved.month
        FROM (SELECT contact_id, max(month) AS month FROM with_conversation WHERE NOT contact_is_new
              GROUP BY contact_id ORDER BY contact_id) moved
        WHERE known.workspace_id = $1 AND known.id = moved.contact_id
          AND (known.active_month IS NULL OR known.active_month < moved.month)
    ), moved_conversation AS (
        UPDATE conversations known
        SET last_message_at = greatest(known.last_message_at, moved.at),
            stamped_at = greatest(known.stamped_at, moved.at)
        FROM (SELECT conversation_id, max(last_message_at) AS at FROM with_conversation WHERE NOT conversation_is_new
              GROUP BY conversation_id ORDER BY conversation_id) moved
        WHERE known.workspace_id = $1 AND known.id = moved.conversation_id
    ), message AS (
        INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, template_name,
                              template_language, reference, created_at)
        SELECT $1, id, conversation_id, role, sender_id, content, template_name, template_language, reference,
               created_at
        FROM with_conversation
    ), place AS (
        DELETE FROM plan_reservations USING with_conversation WHERE workspace_id = $1 AND send_id = with_conversation.id
    ), owing AS (
        UPDATE sends
        SET state = 'sent', network_id_hash = with_conversation.network_id_hash,
            network_id_sealed = with_conversation.network_id_sealed, settled_at = with_conversation.settled_at,
            contact_id = with_conversation.contact_id, conversation_id = with_conversation.conversation_id,
            stamped_at = with_conversation.created_at, notice_to = NULL, notice_name = NULL, notice_content = NULL
        FROM with_conversation WHERE workspace_id = $1 AND sends.id = with_conversation.id
        RETURNING sends.id, sends.conversation_id
    ), ",
    live_change!("told", "message.recorded", "SELECT conversation_id, id AS message_id FROM owing ORDER BY id"),
    ", ",
    enqueue_deliveries!("$7"),
    " SELECT send.id, EXISTS (SELECT FROM owing WHERE owing.id = send.id) AS settled FROM send",
);

/// The same for what is kept nowhere.
pub(super) const SETTLE: &str = concat!(
    "WITH accepted AS MATERIALIZED (
        SELECT * FROM unnest($8, $9, $10, $11)
            AS accepted (id, network_id_hash, network_id_sealed, settled_at)
    ), send AS MATERIALIZED (
        SELECT accepted.* FROM accepted JOIN sends in_flight ON in_flight.id = accepted.id
        WHERE in_flight.workspace_id = $1 AND in_flight.state = 'in_flight'
        ORDER BY in_flight.id FOR UPDATE OF in_flight
    ), owing AS (
        UPDATE sends
        SET state = 'sent', network_id_hash = send.network_id_hash, network_id_sealed = send.network_id_sealed,
            settled_at = send.settled_at, stamped_at = send.settled_at
        FROM send WHERE workspace_id = $1 AND sends.id = send.id
        RETURNING sends.id
    ), ",
    enqueue_deliveries!("$7"),
    " SELECT id, true AS settled FROM owing",
);

pub(super) const ENTRY: &str = concat!(ledger!(), " WHERE send.workspace_id = $1 AND send.id = $2");

/// An acceptance that is about to be written.
pub(crate) struct Accepted {
    send: AcceptedSend,
    network_id_hash: [u8; 32],
    network_id_sealed: Vec<u8>,
}

/// What became of one.
#[derive(Clone, Copy)]
pub(crate) enum SettleOutcome {
    Now,
    /// The contact or the conversation is not what it was when this was decided.
    Stale,
    /// It is not in flight.
    NotInFlight,
}

#[derive(QueryableByName)]
struct SettledRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    settled: bool,
}

impl PgStore {
    pub(super) async fn record_send(
        &self,
        workspace: WorkspaceId,
        accepted: &AcceptedSend,
    ) -> Result<Recorded, StoreError> {
        let id = accepted.result.id;
        let revealed = accepted.network_id.reveal().as_bytes();
        let sealed = self.vault.seal(revealed, &places::network_id(workspace, id)).map_err(locked)?;
        let prepared = Arc::new(Accepted {
            send: accepted.clone(),
            network_id_hash: self.network_id_hash(&accepted.network_id),
            network_id_sealed: sealed,
        });
        let store = self.clone();
        let settled = if accepted.notice.is_some() {
            let run = move |batch: Vec<Arc<Accepted>>| {
                let store = store.clone();
                async move { Ok(answers(&batch, store.settle_notices(workspace, &once_each(&batch)).await?)) }
            };
            self.batches.settle_notice.call(workspace, prepared, run).await?
        } else {
            let run = move |batch: Vec<Arc<Accepted>>| {
                let store = store.clone();
                async move { Ok(answers(&batch, store.settle_others(workspace, &once_each(&batch)).await?)) }
            };
            self.batches.settle.call(workspace, prepared, run).await?
        };
        match settled {
            SettleOutcome::Now => Ok(Recorded::Now),
            SettleOutcome::Stale => Err(StoreError::Stale),
            SettleOutcome::NotInFlight => self.recorded_before(workspace, id.uuid()).await,
        }
    }

    async fn recorded_before(&self, workspace: WorkspaceId, id: uuid::Uuid) -> Result<Recorded, StoreError> {
        let mut connection = self.connection().await?;
        let entry: Vec<LedgerRow> = sql(ENTRY)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let Some(entry) = entry.into_iter().next() else { return Ok(Recorded::Released) };
        match entry.entry(workspace)?.state {
            SendState::Sent(result) => Ok(Recorded::Before(result)),
            SendState::InFlight => Err(StoreError::Stale),
            SendState::Refused => Ok(Recorded::Released),
        }
    }

    async fn settle_others(
        &self,
        workspace: WorkspaceId,
        batch: &[&Accepted],
    ) -> Result<Vec<SettledRow>, StoreError> {
        let mut connection = self.connection().await?;
        let (owed, owing_sends) = self.owed_each(&mut connection, workspace, &events(batch)).await?;
        let all = Columns(batch);
        owing(SETTLE, workspace, &owed)
            .bind::<Array<Uuid>, _>(owing_sends)
            .bind::<Array<Uuid>, _>(all.of(|accepted| accepted.send.result.id.uuid()))
            .bind::<Array<Binary>, _>(all.of(|accepted| accepted.network_id_hash))
            .bind::<Array<Binary>, _>(all.of(|accepted| accepted.network_id_sealed.as_slice()))
            .bind::<Array<Timestamptz>, _>(all.of(|accepted| accepted.send.accepted_at))
            .load(&mut connection)
            .await
            .map_err(failed)
    }

    async fn settle_notices(
        &self,
        workspace: WorkspaceId,
        batch: &[&Accepted],
    ) -> Result<Vec<SettledRow>, StoreError> {
        let mut connection = self.connection().await?;
        let owed = self.owed_each(&mut connection, workspace, &events(batch)).await?;
        let kept: Vec<AcceptedEntry<'_>> =
            batch.iter().filter_map(|accepted| AcceptedEntry::of(accepted)).collect();
        let statement = settle_notices(workspace, &owed, &Columns(&kept));
        statement.load(&mut connection).await.map_err(named_before)
    }
}

/// Another send was recorded by this name of the network's meanwhile.
fn named_before(error: Error) -> StoreError {
    match &error {
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, info)
            if info.constraint_name() == Some("sends_by_network_id") =>
        {
            StoreError::Stale
        }
        _ => failed(error),
    }
}

/// An acceptance with what it leaves in the inbox.
struct AcceptedEntry<'a> {
    accepted: &'a Accepted,
    notice: &'a ConversationEffect,
}

impl<'a> AcceptedEntry<'a> {
    fn of(accepted: &'a Accepted) -> Option<Self> {
        Some(Self { accepted, notice: accepted.send.notice.as_ref()? })
    }

    fn template(&self) -> Option<&'a TemplateRef> {
        self.notice.message.meta.as_ref().map(|meta| &meta.template)
    }
}

fn settle_notices<'a>(
    workspace: WorkspaceId,
    (owed, owing_sends): &'a (PendingDeliveries, Vec<uuid::Uuid>),
    all: &Columns<'_, AcceptedEntry<'a>>,
) -> impl Bind + Query<SqlType = Untyped> + QueryFragment<Pg> + QueryId + use<'a> {
    owing(SETTLE_NOTICES, workspace, owed)
        .bind::<Array<Uuid>, _>(owing_sends)
        .bind::<Array<Uuid>, _>(all.of(|kept| kept.accepted.send.result.id.uuid()))
        .bind::<Array<Binary>, _>(all.of(|kept| kept.accepted.network_id_hash))
        .bind::<Array<Binary>, _>(all.of(|kept| kept.accepted.network_id_sealed.as_slice()))
        .bind::<Array<Timestamptz>, _>(all.of(|kept| kept.accepted.send.accepted_at))
        .bind::<Array<Uuid>, _>(all.of(|kept| kept.notice.contact.id.uuid()))
        .bind::<Array<Bool>, _>(all.of(|kept| kept.notice.contact_is_new))
        .bind::<Array<Nullable<Text>>, _>(all.of(|kept| kept.notice.contact.name.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(
            all.of(|kept| kept.notice.contact.phone.as_ref().map(PhoneNumber::as_str)),
        )
        .bind::<Array<Text>, _>(all.of(|kept| kept.notice.contact.source.as_str()))
        .bind::<Array<Date>, _>(all.of(|kept| Month::of(kept.accepted.send.accepted_at).first_day()))
        .bind::<Array<Timestamptz>, _>(all.of(|kept| kept.notice.contact.created_at))
        .bind::<Array<Text>, _>(
            all.of(|kept| {
                searchable(kept.notice.contact.name.as_deref(), kept.notice.contact.phone.as_ref())
            }),
        )
        .bind::<Array<Uuid>, _>(all.of(|kept| kept.notice.conversation.id.uuid()))
        .bind::<Array<Bool>, _>(all.of(|kept| kept.notice.conversation_is_new))
        .bind::<Array<Uuid>, _>(all.of(|kept| kept.notice.conversation.channel.uuid()))
        .bind::<Array<Text>, _>(all.of(|kept| kept.notice.conversation.channel_kind.as_str()))
        .bind::<Array<Text>, _>(all.of(|kept| kept.notice.conversation.status.as_str()))
        .bind::<Array<Timestamptz>, _>(all.of(|kept| kept.notice.conversation.last_message_at))
        .bind::<Array<Timestamptz>, _>(all.of(|kept| kept.notice.conversation.created_at))
        .bind::<Array<Text>, _>(all.of(|kept| kept.notice.message.role.as_str()))
        .bind::<Array<Nullable<Text>>, _>(all.of(|kept| kept.notice.message.sender_id.as_deref()))
        .bind::<Array<Text>, _>(all.of(|kept| kept.notice.message.content.as_str()))
        .bind::<Array<Nullable<Text>>, _>(
            all.of(|kept| kept.template().map(|template| template.name.as_str())),
        )
        .bind::<Array<Nullable<Text>>, _>(
            all.of(|kept| kept.template().map(|template| template.language.as_str())),
        )
        .bind::<Array<Nullable<Text>>, _>(
            all.of(|kept| kept.notice.message.meta.as_ref().and_then(|meta| meta.reference.as_deref())),
        )
        .bind::<Array<Timestamptz>, _>(all.of(|kept| kept.notice.message.created_at))
}

/// An answer and a status may tell of one send at the same time: the first is written.
fn once_each(batch: &[Arc<Accepted>]) -> Vec<&Accepted> {
    let mut seen = HashSet::new();
    batch.iter().map(|accepted| &**accepted).filter(|accepted| seen.insert(accepted.send.result.id)).collect()
}

fn events<'a>(batch: &[&'a Accepted]) -> Vec<(uuid::Uuid, &'a Event)> {
    let mut events = Vec::new();
    for accepted in batch {
        events.extend(accepted.send.events.iter().map(|event| (accepted.send.result.id.uuid(), event)));
    }
    events
}

/// For each its row, or for the first of those with one id.
fn answers(batch: &[Arc<Accepted>], rows: Vec<SettledRow>) -> Vec<SettleOutcome> {
    let mut settled: HashMap<uuid::Uuid, bool> = rows.into_iter().map(|row| (row.id, row.settled)).collect();
    let answer = |accepted: &Arc<Accepted>| match settled.remove(&accepted.send.result.id.uuid()) {
        Some(true) => SettleOutcome::Now,
        Some(false) => SettleOutcome::Stale,
        None => SettleOutcome::NotInFlight,
    };
    batch.iter().map(answer).collect()
}
