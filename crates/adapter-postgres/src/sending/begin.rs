//! The key claimed, the plan's place reserved and the intent written: all of it or nothing.

use diesel::{
    OptionalExtension, QueryResult, QueryableByName,
    sql_types::{BigInt, Binary, Bool, Date, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    phone::PhoneNumber,
    sending::{
        KeyHolder,
        ports::{Beginning, Begun},
    },
    workspaces::Month,
};
use time::OffsetDateTime;

use super::{LedgerRow, ledger};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
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

enum Attempt {
    Started,
    KeyTaken,
    PlanLimitReached,
}

impl PgStore {
    pub(super) async fn begin_send(&self, beginning: &Beginning) -> Result<Begun, StoreError> {
        let mut expired = None;
        for _ in 0..TRIES {
            match self.try_to_begin(beginning, expired).await? {
                Attempt::Started => return Ok(Begun::Started),
                Attempt::PlanLimitReached => return Ok(Begun::PlanLimitReached),
                Attempt::KeyTaken => {}
            }
            let Some(key) = beginning.key else { break };
            match self.find_holder(beginning.intent.workspace, key.key_hash).await? {
                Some(holder) if holder.has_expired(beginning.intent.created_at) => {
                    expired = Some(holder.entry.intent.id);
                }
                Some(holder) => return Ok(Begun::KeyTaken(Box::new(holder))),
                // Released meanwhile.
                None => expired = None,
            }
        }
        Err(StoreError::Unavailable("the key keeps changing hands".to_owned()))
    }

    async fn try_to_begin(
        &self,
        beginning: &Beginning,
        expired: Option<MessageId>,
    ) -> Result<Attempt, StoreError> {
        let Some(((month, limit), person)) = beginning.limit.zip(beginning.intent.leaves.person()) else {
            // One statement, and so a transaction of its own.
            let mut connection = self.connection().await?;
            let start = start(&mut connection, beginning, expired).await.map_err(failed)?;
            return Ok(if start.started { Attempt::Started } else { Attempt::KeyTaken });
        };
        let mut transaction = self.begin().await?;
        let start = start(&mut transaction, beginning, expired).await.map_err(failed)?;
        if !start.started {
            return Ok(Attempt::KeyTaken);
        }
        if !start.active {
            let (workspace, id) = (beginning.intent.workspace, beginning.intent.id);
            let reserved = reserve(&mut transaction, workspace, id, month, &person, limit);
            if !reserved.await.map_err(failed)? {
                return Ok(Attempt::PlanLimitReached);
            }
        }
        transaction.commit().await?;
        Ok(Attempt::Started)
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
    beginning: &Beginning,
    expired: Option<MessageId>,
) -> QueryResult<StartRow> {
    let Beginning { intent, key, limit } = beginning;
    let (notice, reply) = (intent.leaves.notice(), intent.leaves.reply());
    let template = intent.template.as_ref();
    let content = notice.map(|notice| &notice.content).or(reply.map(|reply| &reply.text));
    sql(START)
        .bind::<Uuid, _>(intent.workspace.uuid())
        .bind::<Uuid, _>(intent.id.uuid())
        .bind::<Uuid, _>(intent.channel.uuid())
        .bind::<Nullable<Text>, _>(intent.from.as_ref().map(PhoneNumber::as_str))
        .bind::<Nullable<Text>, _>(template.map(|template| template.name.as_str()))
        .bind::<Nullable<Text>, _>(template.map(|template| template.language.as_str()))
        .bind::<Nullable<Text>, _>(intent.reference.as_deref())
        .bind::<Nullable<Text>, _>(notice.map(|notice| notice.to.as_str()))
        .bind::<Nullable<Text>, _>(notice.and_then(|notice| notice.name.as_deref()))
        .bind::<Timestamptz, _>(intent.created_at)
        .bind::<Nullable<Binary>, _>(key.map(|key| key.key_hash.to_vec()))
        .bind::<Nullable<Binary>, _>(key.map(|key| key.request_hash.to_vec()))
        .bind::<Nullable<Uuid>, _>(expired.map(MessageId::uuid))
        .bind::<Nullable<Text>, _>(content)
        .bind::<Nullable<Date>, _>(limit.map(|(month, _)| month.first_day()))
        .bind::<Nullable<Uuid>, _>(reply.map(|reply| reply.contact.uuid()))
        .bind::<Nullable<Uuid>, _>(reply.map(|reply| reply.conversation.uuid()))
        .bind::<Nullable<Uuid>, _>(reply.map(|reply| reply.author.uuid()))
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
