//! The key claimed, the plan's place reserved and the intent written: all of it or nothing.

use std::{collections::HashSet, sync::Arc};

use diesel::{
    OptionalExtension, QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Date, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    attachments::UNUSED_FOR,
    errors::StoreError,
    ids::{MemberId, MessageId, WorkspaceId},
    phone::PhoneNumber,
    sending::{
        Intent, KeyClaim, KeyHolder, Reply, TemplateSend,
        ports::{ReserveOutcome, SendReservation},
    },
    workspaces::Month,
};
use time::OffsetDateTime;

use super::{LedgerRow, ledger};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, Columns, sql},
};

/// How often a key may change hands between our losing it and our looking who has it.
const TRIES: usize = 8;

/// A key is new, or is taken over from the send `$13`, whose hold on it has expired; otherwise nothing is written.
pub(super) const START: &str = "
    WITH key AS (
        INSERT INTO idempotency_keys AS held (workspace_id, key_hash, request_hash, send_id, claimed_at)
        SELECT $1, $11, $12, $2, $10 WHERE $11 IS NOT NULL
        ON CONFLICT (workspace_id, key_hash) DO UPDATE
        SET request_hash = excluded.request_hash, send_id = excluded.send_id,
            claimed_at = excluded.claimed_at
        WHERE held.send_id = $13
        RETURNING send_id
    ), send AS (
        INSERT INTO sends (workspace_id, id, channel_id, from_phone, template_name, template_language,
                           reference, state, notice_to, notice_name, notice_content, contact_id,
                           conversation_id, author_id, created_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, 'in_flight', $8, $9, $14, $16, $17, $18, $10
        WHERE $11 IS NULL OR EXISTS (SELECT FROM key)
        RETURNING id
    )
    SELECT EXISTS (SELECT FROM send) AS started,
           EXISTS (SELECT FROM contacts WHERE workspace_id = $1 AND phone = $8 AND active_month = $15)
        OR EXISTS (SELECT FROM contacts WHERE workspace_id = $1 AND id = $16 AND active_month = $15)
           AS active";

/// Many sends whose plans have no limit, with keys that are new. What it answers was begun; the keys of the others
/// are taken.
pub(super) const START_MANY: &str = "
    WITH asked AS MATERIALIZED (
        SELECT * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            AS asked (id, channel_id, from_phone, template_name, template_language, reference, notice_to,
                      notice_name, notice_content, contact_id, conversation_id, author_id, created_at,
                      key_hash, request_hash)
    ), key AS (
        INSERT INTO idempotency_keys (workspace_id, key_hash, request_hash, send_id, claimed_at)
        SELECT $1, key_hash, request_hash, id, created_at
        FROM asked WHERE key_hash IS NOT NULL ORDER BY key_hash
        ON CONFLICT DO NOTHING
        RETURNING send_id
    )
    INSERT INTO sends (workspace_id, id, channel_id, from_phone, template_name, template_language, reference,
                       state, notice_to, notice_name, notice_content, contact_id, conversation_id, author_id,
                       created_at)
    SELECT $1, id, channel_id, from_phone, template_name, template_language, reference, 'in_flight', notice_to,
           notice_name, notice_content, contact_id, conversation_id, author_id, created_at
    FROM asked WHERE key_hash IS NULL OR id IN (SELECT send_id FROM key)
    RETURNING id";

/// Without KEY: contacts, which refer to the workspace, are recorded meanwhile.
pub(super) const LOCK_PLAN: &str =
    "SELECT workspace_id FROM workspaces WHERE workspace_id = $1 FOR NO KEY UPDATE";

/// A statement of its own, after the lock, so that it sees what those before us have written. Whoever is active
/// already, or has a place already, takes none.
pub(super) const RESERVE: &str = "
    INSERT INTO plan_reservations (workspace_id, month, person, send_id)
    SELECT $1, $2, $3, $4
    WHERE EXISTS (SELECT FROM contacts WHERE workspace_id = $1 AND phone = $3 AND active_month = $2)
       OR EXISTS (SELECT FROM plan_reservations WHERE workspace_id = $1 AND month = $2 AND person = $3)
       OR (SELECT count(*) FROM contacts WHERE workspace_id = $1 AND active_month = $2)
        + (SELECT count(DISTINCT place.person) FROM plan_reservations place
           WHERE place.workspace_id = $1 AND place.month = $2 AND NOT EXISTS (
               SELECT FROM contacts contact
               WHERE contact.workspace_id = $1 AND contact.phone = place.person
                 AND contact.active_month = $2)) < $5";

/// The file of a send; a statement of its own after the send's, so that a key that was used before comes first.
pub(super) const TAKE_FILE: &str = "
    UPDATE uploads SET message_id = $3
    WHERE workspace_id = $1 AND id = $2 AND message_id IS NULL AND bytes IS NOT NULL AND created_at > $4";

/// A key is remembered from when its send was settled: counted from the claim, a key settled late would already
/// have expired, and a repeat would send again.
pub(super) const HOLDER: &str = concat!(
    "SELECT held.request_hash, greatest(held.claimed_at, entry.settled_at) AS claimed_at, entry.*
    FROM idempotency_keys held JOIN (",
    ledger!(", send.workspace_id, send.settled_at"),
    ") entry ON entry.workspace_id = held.workspace_id AND entry.id = held.send_id
    WHERE held.workspace_id = $1 AND held.key_hash = $2",
);

#[derive(QueryableByName)]
struct StartRow {
    #[diesel(sql_type = Bool)]
    started: bool,
    /// Whether the recipient counts as an active customer already. Nobody ceases to within the month.
    #[diesel(sql_type = Bool)]
    active: bool,
}

#[derive(QueryableByName)]
struct HolderRow {
    #[diesel(sql_type = Binary)]
    request_hash: Vec<u8>,
    #[diesel(sql_type = Timestamptz)]
    claimed_at: OffsetDateTime,
    #[diesel(embed)]
    entry: LedgerRow,
}

#[derive(QueryableByName)]
struct StartedRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

/// What a beginning writes.
struct Row<'a> {
    intent: &'a Intent,
    key: Option<&'a KeyClaim>,
    notice: Option<&'a TemplateSend>,
    reply: Option<&'a Reply>,
}

impl<'a> Row<'a> {
    fn of(SendReservation { intent, key, .. }: &'a SendReservation) -> Self {
        let (notice, reply) = (intent.conversation_entry.notice(), intent.conversation_entry.reply());
        Self { intent, key: key.as_ref(), notice, reply }
    }

    fn template_name(&self) -> Option<&'a str> {
        self.intent.template.as_ref().map(|template| template.name.as_str())
    }

    fn template_language(&self) -> Option<&'a str> {
        self.intent.template.as_ref().map(|template| template.language.as_str())
    }

    fn content(&self) -> Option<&'a str> {
        self.notice.map(|notice| notice.content.as_str()).or(self.reply.map(|reply| reply.text.as_str()))
    }
}

enum Attempt {
    Started,
    KeyTaken,
    PlanLimitReached,
    FileTaken,
}

impl PgStore {
    pub(super) async fn begin_send(&self, beginning: &SendReservation) -> Result<ReserveOutcome, StoreError> {
        let mut expired = None;
        for _ in 0..TRIES {
            match self.try_to_begin(beginning, expired).await? {
                Attempt::Started => return Ok(ReserveOutcome::Started),
                Attempt::PlanLimitReached => return Ok(ReserveOutcome::PlanLimitReached),
                Attempt::FileTaken => return Ok(ReserveOutcome::FileTaken),
                Attempt::KeyTaken => {}
            }
            let Some(key) = beginning.key else { break };
            match self.find_holder(beginning.intent.workspace, key.key_hash).await? {
                Some(holder) if holder.has_expired(beginning.intent.created_at) => {
                    expired = Some(holder.entry.intent.id);
                }
                Some(holder) => return Ok(ReserveOutcome::KeyTaken(Box::new(holder))),
                // Released meanwhile.
                None => expired = None,
            }
        }
        Err(StoreError::Unavailable("the key keeps changing hands".to_owned()))
    }

    async fn try_to_begin(
        &self,
        beginning: &SendReservation,
        expired: Option<MessageId>,
    ) -> Result<Attempt, StoreError> {
        let place = beginning.limit.zip(beginning.intent.conversation_entry.person());
        let upload = beginning.intent.conversation_entry.reply().and_then(|reply| reply.upload);
        if place.is_none() && upload.is_none() {
            let started = if expired.is_some() {
                let mut connection = self.connection().await?;
                start(&mut connection, beginning, expired).await.map_err(failed)?.started
            } else {
                self.start_with_others(beginning).await?
            };
            return Ok(if started { Attempt::Started } else { Attempt::KeyTaken });
        }
        let mut transaction = self.begin().await?;
        let start = start(&mut transaction, beginning, expired).await.map_err(failed)?;
        if !start.started {
            return Ok(Attempt::KeyTaken);
        }
        let (workspace, id) = (beginning.intent.workspace, beginning.intent.id);
        if let Some(((month, limit), person)) = place
            && !start.active
        {
            let reserved = reserve(&mut transaction, workspace, id, month, &person, limit);
            if !reserved.await.map_err(failed)? {
                return Ok(Attempt::PlanLimitReached);
            }
        }
        if let Some(upload) = upload {
            let taken = sql(TAKE_FILE)
                .bind::<Uuid, _>(workspace.uuid())
                .bind::<Uuid, _>(upload.uuid())
                .bind::<Uuid, _>(id.uuid())
                .bind::<Timestamptz, _>(beginning.intent.created_at - UNUSED_FOR)
                .execute(&mut transaction)
                .await
                .map_err(failed)?;
            if taken == 0 {
                return Ok(Attempt::FileTaken);
            }
        }
        transaction.commit().await?;
        Ok(Attempt::Started)
    }

    async fn start_with_others(&self, beginning: &SendReservation) -> Result<bool, StoreError> {
        let (store, workspace) = (self.clone(), beginning.intent.workspace);
        let run = move |batch: Vec<Arc<SendReservation>>| {
            let store = store.clone();
            async move { store.start_many(workspace, &batch).await }
        };
        self.batches.begin.call(workspace, Arc::new(beginning.clone()), run).await
    }

    async fn start_many(
        &self,
        workspace: WorkspaceId,
        batch: &[Arc<SendReservation>],
    ) -> Result<Vec<bool>, StoreError> {
        let intents: Vec<Row<'_>> = batch.iter().map(|beginning| Row::of(beginning)).collect();
        let all = Columns(&intents);
        let mut connection = self.connection().await?;
        let rows: Vec<StartedRow> = sql(START_MANY)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(all.of(|row| row.intent.id.uuid()))
            .bind::<Array<Uuid>, _>(all.of(|row| row.intent.channel.uuid()))
            .bind::<Array<Nullable<Text>>, _>(all.of(|row| row.intent.from.as_ref().map(PhoneNumber::as_str)))
            .bind::<Array<Nullable<Text>>, _>(all.of(Row::template_name))
            .bind::<Array<Nullable<Text>>, _>(all.of(Row::template_language))
            .bind::<Array<Nullable<Text>>, _>(all.of(|row| row.intent.reference.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(all.of(|row| row.notice.map(|notice| notice.to.as_str())))
            .bind::<Array<Nullable<Text>>, _>(all.of(|row| row.notice?.name.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(all.of(Row::content))
            .bind::<Array<Nullable<Uuid>>, _>(all.of(|row| row.reply.map(|reply| reply.contact.uuid())))
            .bind::<Array<Nullable<Uuid>>, _>(all.of(|row| row.reply.map(|reply| reply.conversation.uuid())))
            .bind::<Array<Nullable<Uuid>>, _>(
                all.of(|row| row.intent.conversation_entry.author().map(MemberId::uuid)),
            )
            .bind::<Array<Timestamptz>, _>(all.of(|row| row.intent.created_at))
            .bind::<Array<Nullable<Binary>>, _>(all.of(|row| row.key.map(|key| key.key_hash)))
            .bind::<Array<Nullable<Binary>>, _>(all.of(|row| row.key.map(|key| key.request_hash)))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let started: HashSet<uuid::Uuid> = rows.into_iter().map(|row| row.id).collect();
        Ok(batch.iter().map(|beginning| started.contains(&beginning.intent.id.uuid())).collect())
    }

    pub(super) async fn find_holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<KeyHolder>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<HolderRow> = sql(HOLDER)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Binary, _>(key_hash)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(KeyHolder {
            request_hash: row.request_hash.try_into().map_err(|_| unreadable("hash"))?,
            claimed_at: row.claimed_at,
            entry: row.entry.entry(workspace)?,
        }))
    }
}

async fn start(
    connection: &mut AsyncPgConnection,
    beginning: &SendReservation,
    expired: Option<MessageId>,
) -> QueryResult<StartRow> {
    let row = Row::of(beginning);
    let (intent, limit) = (row.intent, beginning.limit);
    sql(START)
        .bind::<Uuid, _>(intent.workspace.uuid())
        .bind::<Uuid, _>(intent.id.uuid())
        .bind::<Uuid, _>(intent.channel.uuid())
        .bind::<Nullable<Text>, _>(intent.from.as_ref().map(PhoneNumber::as_str))
        .bind::<Nullable<Text>, _>(row.template_name())
        .bind::<Nullable<Text>, _>(row.template_language())
        .bind::<Nullable<Text>, _>(intent.reference.as_deref())
        .bind::<Nullable<Text>, _>(row.notice.map(|notice| notice.to.as_str()))
        .bind::<Nullable<Text>, _>(row.notice.and_then(|notice| notice.name.as_deref()))
        .bind::<Timestamptz, _>(intent.created_at)
        .bind::<Nullable<Binary>, _>(row.key.map(|key| key.key_hash))
        .bind::<Nullable<Binary>, _>(row.key.map(|key| key.request_hash))
        .bind::<Nullable<Uuid>, _>(expired.map(MessageId::uuid))
        .bind::<Nullable<Text>, _>(row.content())
        .bind::<Nullable<Date>, _>(limit.map(|(month, _)| month.first_day()))
        .bind::<Nullable<Uuid>, _>(row.reply.map(|reply| reply.contact.uuid()))
        .bind::<Nullable<Uuid>, _>(row.reply.map(|reply| reply.conversation.uuid()))
        .bind::<Nullable<Uuid>, _>(row.intent.conversation_entry.author().map(MemberId::uuid))
        .get_result(connection)
        .await
}

/// `false` when the plan has no place left. Its lock lasts as long as the transaction.
async fn reserve(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    id: MessageId,
    month: Month,
    person: &str,
    limit: u32,
) -> QueryResult<bool> {
    sql(LOCK_PLAN).bind::<Uuid, _>(workspace.uuid()).execute(connection).await?;
    let reserved = sql(RESERVE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Date, _>(month.first_day())
        .bind::<Text, _>(person)
        .bind::<Uuid, _>(id.uuid())
        .bind::<BigInt, _>(i64::from(limit))
        .execute(connection)
        .await?;
    Ok(reserved > 0)
}
