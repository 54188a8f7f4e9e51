//! A batch of updates, recorded by one statement, and so in one transaction.

use diesel::{
    QueryableByName,
    result::{DatabaseErrorKind, Error},
    sql_types::{Array, BigInt, Bool, Integer, Jsonb, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    contacts::Identity,
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{Activity, InboxBatch},
    phone::PhoneNumber,
    workspaces::Month,
};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::settle::take_out;
use crate::{
    PgStore,
    attachments::attach,
    automations::trigger,
    contacts::{count_contacts, searchable},
    error::failed,
    live::live_change,
    sql::Bind,
    webhooks::{enqueue_deliveries, owing},
};

/// Rows that are changed are named by lists of ids besides: the planner takes a list for short, a set of rows for a
/// hundred, and reads a table from end to end for so many.
///
/// Whatever of it has moved on since it was read makes the whole statement fail: what is new by the keys of its rows,
/// what is known by its version, what leaves the journal by being in this process's hands.
pub(super) const RECORD: &str = concat!(
    "WITH new_contact AS (
        INSERT INTO contacts (workspace_id, id, name, phone, avatar_url, source, active_month, last_active_at,
                              created_at, channels, searchable)
        SELECT $1, id, name, phone, avatar_url, source, active_month, wrote_at, created_at, channels, searchable
        FROM jsonb_to_recordset($7) AS person (id uuid, name text, phone text, avatar_url text, source text,
             active_month date, wrote_at timestamptz, created_at timestamptz, channels text[], searchable text)
        RETURNING id, searchable
    ), ",
    count_contacts!(),
    ", new_identity AS (
        INSERT INTO identities (workspace_id, kind, value, contact_id, recorded_at, profile_due_at)
        SELECT $1, kind, value, contact, recorded_at,
               CASE WHEN kind IN ('messenger_user', 'instagram_user') THEN recorded_at END
        FROM jsonb_to_recordset($8) AS identity (kind text, value text, contact uuid, recorded_at timestamptz)
    ), active AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset($9)
            AS active (id uuid, active_month date, wrote_at timestamptz, channels text[])
    ), active_contact AS (
        UPDATE contacts known
        SET active_month = greatest(known.active_month, active.active_month),
            last_active_at = greatest(known.last_active_at, active.wrote_at),
            channels = CASE WHEN known.channels @> active.channels THEN known.channels
                            ELSE ARRAY(SELECT unnest(known.channels) UNION SELECT unnest(active.channels)) END
        FROM active
        WHERE known.workspace_id = $1 AND known.id = active.id AND known.id = ANY(ARRAY(SELECT id FROM active))
        RETURNING known.id
    ), conversation AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset($10)
            AS conversation (id uuid, before_version bigint, contact uuid, channel_id uuid, channel text, status text,
                       announced boolean, version bigint, last_message_at timestamptz, created_at timestamptz,
                       wrote_at timestamptz, first_stamp timestamptz, stamped_at timestamptz)
    ), new_conversation AS (
        INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, announced, version,
                                   last_message_at, created_at, customer_wrote_at, stamped_at)
        SELECT $1, id, contact, channel_id, channel, status, announced, version, last_message_at, created_at,
               wrote_at, stamped_at
        FROM conversation WHERE before_version IS NULL
    ), moved_conversation AS (
        UPDATE conversations known
        SET status = conversation.status, announced = conversation.announced, version = conversation.version,
            last_message_at = greatest(known.last_message_at, conversation.last_message_at),
            customer_wrote_at = greatest(known.customer_wrote_at, conversation.wrote_at),
            stamped_at = greatest(known.stamped_at, conversation.stamped_at)
        FROM conversation
        WHERE known.workspace_id = $1 AND known.id = conversation.id AND known.id = ANY(ARRAY(SELECT id FROM conversation))
          AND known.version = conversation.before_version
          AND (known.stamped_at >= conversation.first_stamp) IS NOT TRUE
        RETURNING known.id
    ), message AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset($11)
            AS message (id uuid, conversation uuid, role text, sender_id text, content text, context jsonb,
                        network_id_hash text, created_at timestamptz, began boolean)
    ), recorded AS (
        INSERT INTO messages
            (workspace_id, id, conversation_id, role, sender_id, content, context, network_id_hash, created_at)
        SELECT $1, id, conversation, role, sender_id, content, context, decode(network_id_hash, 'hex'),
               created_at
        FROM message
        RETURNING id, conversation_id, created_at
    ), ",
    attach!("$16"),
    ", set_off AS (
        SELECT id, began, created_at FROM message WHERE role = 'customer'
    ), ",
    trigger!(),
    ", mark AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset($12)
            AS mark (id uuid, reaction text, reacted_at timestamptz, content text, edited_at timestamptz,
                     deleted_at timestamptz)
    ), marked AS (
        UPDATE messages known
        SET reaction = CASE WHEN mark.reacted_at >= coalesce(known.reacted_at, '-infinity')
                            THEN mark.reaction ELSE known.reaction END,
            reacted_at = greatest(known.reacted_at, mark.reacted_at),
            content = CASE WHEN mark.edited_at >= coalesce(known.edited_at, '-infinity')
                           THEN mark.content ELSE known.content END,
            edited_at = greatest(known.edited_at, mark.edited_at),
            deleted_at = coalesce(known.deleted_at, mark.deleted_at)
        FROM mark
        WHERE known.workspace_id = $1 AND known.id = mark.id AND known.id = ANY(ARRAY(SELECT id FROM mark))
        RETURNING known.id, known.conversation_id
    ), ",
    live_change!("told", "message.recorded", "SELECT conversation_id, id AS message_id FROM recorded ORDER BY id"),
    ", ",
    live_change!("told_marks", "message.changed", "SELECT conversation_id, id AS message_id FROM marked"),
    ", finished AS (",
    take_out!("$13", "$17"),
    " RETURNING journal.id), owing AS (
        SELECT true
    ), ",
    enqueue_deliveries!(),
    " SELECT CASE WHEN (SELECT count(*) FROM active_contact) = $14
                   AND (SELECT count(*) FROM moved_conversation) = $15
                   AND (SELECT count(*) FROM finished) = cardinality($13)
                  THEN true ELSE stale() END AS recorded",
);

#[derive(QueryableByName)]
struct Recorded {
    #[diesel(sql_type = Bool)]
    #[expect(dead_code, reason = "it is true, or the statement fails")]
    recorded: bool,
}

impl PgStore {
    pub(super) async fn record_batch(
        &self,
        workspace: WorkspaceId,
        batch: &InboxBatch,
    ) -> Result<(), StoreError> {
        let events: Vec<_> = batch.events.iter().collect();
        let known_conversations =
            batch.conversations.iter().filter(|conversation| conversation.before_version.is_some()).count();
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let files = batch.messages.iter().map(|new| (new.message.id, new.media.as_slice()));
        let mut connection = self.connection().await?;
        let owed = self.owed(&mut connection, workspace, &events).await?;
        let _: Recorded = owing(RECORD, workspace, &owed)
            .bind::<Jsonb, _>(new_contacts(batch)?)
            .bind::<Jsonb, _>(identities(batch)?)
            .bind::<Jsonb, _>(active(batch)?)
            .bind::<Jsonb, _>(conversations(batch)?)
            .bind::<Jsonb, _>(self.messages(batch)?)
            .bind::<Jsonb, _>(marks(batch)?)
            .bind::<Array<Uuid>, _>(batch.done.iter().map(|id| id.uuid()).collect::<Vec<_>>())
            .bind::<BigInt, _>(count(batch.active.len()))
            .bind::<BigInt, _>(count(known_conversations))
            .bind::<Jsonb, _>(self.awaited_files(workspace, files)?)
            .bind::<Integer, _>(self.holder())
            .get_result(&mut connection)
            .await
            .map_err(raced)?;
        Ok(())
    }

    fn messages(&self, batch: &InboxBatch) -> Result<Value, StoreError> {
        let row = |new: &domain::inbound::NewMessage| {
            let message = &new.message;
            Ok(json!({
                "id": message.id,
                "conversation": message.conversation,
                "role": message.role.as_str(),
                "sender_id": message.sender_id,
                "content": storable(&message.content),
                "context": (!message.context.is_empty()).then_some(&message.context),
                "network_id_hash": hex::encode(self.network_id_hash(&new.network_id)),
                "created_at": stamp(message.created_at)?,
                "began": new.began,
            }))
        };
        batch.messages.iter().map(row).collect()
    }
}

/// Somebody else has recorded the same person, conversation or message, or has merged them, meanwhile.
pub(crate) fn raced(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(
            DatabaseErrorKind::UniqueViolation | DatabaseErrorKind::ForeignKeyViolation,
            _,
        ) => StoreError::Stale,
        error => failed(error),
    }
}

fn new_contacts(batch: &InboxBatch) -> Result<Value, StoreError> {
    let row = |new: &domain::inbound::NewContact| {
        let contact = &new.contact;
        Ok(json!({
            "id": contact.id,
            "name": contact.name,
            "phone": contact.phone.as_ref().map(PhoneNumber::as_str),
            "avatar_url": new.avatar_url.as_deref().map(storable),
            "source": contact.source.as_str(),
            "active_month": month(contact.created_at),
            "wrote_at": new.activity.wrote_at.map(stamp).transpose()?,
            "created_at": stamp(contact.created_at)?,
            "channels": new.activity.wrote_from,
            "searchable": searchable(contact.name.as_deref(), contact.phone.as_ref()),
        }))
    };
    batch.new_contacts.iter().map(row).collect()
}

fn identities(batch: &InboxBatch) -> Result<Value, StoreError> {
    let rows = batch.new_contacts.iter().flat_map(|new| {
        new.identities.iter().map(|identity: &Identity| {
            Ok(json!({
                "kind": identity.kind(),
                "value": identity.value(),
                "contact": new.contact.id,
                "recorded_at": stamp(new.contact.created_at)?,
            }))
        })
    });
    rows.collect()
}

fn active(batch: &InboxBatch) -> Result<Value, StoreError> {
    let row = |active: &domain::inbound::Active| {
        let Activity { wrote_from, wrote_at } = &active.activity;
        Ok(json!({
            "id": active.contact,
            "active_month": month(batch.at),
            "wrote_at": wrote_at.map(stamp).transpose()?,
            "channels": wrote_from,
        }))
    };
    batch.active.iter().map(row).collect()
}

fn conversations(batch: &InboxBatch) -> Result<Value, StoreError> {
    let row = |change: &domain::inbound::ConversationChange| {
        let conversation = &change.conversation;
        Ok(json!({
            "id": conversation.id,
            "before_version": change.before_version,
            "contact": conversation.contact,
            "channel_id": conversation.channel,
            "channel": conversation.channel_kind.as_str(),
            "status": conversation.status.as_str(),
            "announced": conversation.announced,
            "version": conversation.version,
            "last_message_at": stamp(conversation.last_message_at)?,
            "created_at": stamp(conversation.created_at)?,
            "wrote_at": change.customer_wrote_at.map(stamp).transpose()?,
            "first_stamp": change.first_stamp.map(stamp).transpose()?,
            "stamped_at": conversation.stamped_at.map(stamp).transpose()?,
        }))
    };
    batch.conversations.iter().map(row).collect()
}

fn marks(batch: &InboxBatch) -> Result<Value, StoreError> {
    let row = |mark: &domain::inbound::Mark| {
        let (reaction, reacted_at) = mark.reaction.clone().unzip();
        let (content, edited_at) = mark.edited.clone().unzip();
        Ok(json!({
            "id": mark.message,
            "reaction": reaction.flatten().as_deref().map(storable),
            "reacted_at": reacted_at.map(stamp).transpose()?,
            "content": content.as_deref().map(storable),
            "edited_at": edited_at.map(stamp).transpose()?,
            "deleted_at": mark.deleted_at.map(stamp).transpose()?,
        }))
    };
    batch.marks.iter().map(row).collect()
}

/// A time as the database reads it.
fn stamp(at: OffsetDateTime) -> Result<String, StoreError> {
    at.format(&Rfc3339).map_err(|error| StoreError::Internal(error.to_string()))
}

fn month(at: OffsetDateTime) -> String {
    Month::of(at).first_day().to_string()
}

/// A text without the one character that no text of the database may hold.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}
