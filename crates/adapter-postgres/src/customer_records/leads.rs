//! Leads, and those of them that systems are still to be told of.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, dsl::exists};
use diesel_async::AsyncPgConnection;
use domain::{
    clock::stamp_after,
    customer_records::{
        AfterTry, DueLead, LeadState,
        ports::{LeadHolder, LeadStore, NewLead},
    },
    errors::StoreError,
    events::Event,
    ids::{ConversationId, LeadId, WorkspaceId},
    phone::PhoneNumber,
    systems::LeadPush,
    text::PlainText,
};
use futures_util::future::try_join4;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::PgCustomerRecords;
use crate::{
    assistant::holds,
    audit::audit,
    conversations::{lock_conversation, stamp},
    error::{failed, locked, unreadable},
    places,
    schema::{leads, workspaces},
    sql::{RunQueryDsl, insert},
    webhooks::{enqueue, subscribers},
};

#[derive(Serialize, Deserialize)]
struct StoredPush {
    name: Option<String>,
    phone: String,
    note: Option<String>,
    conversation: ConversationId,
}

impl StoredPush {
    fn of(push: &LeadPush) -> Self {
        let text = |text: &Option<PlainText>| text.as_ref().map(|text| text.as_str().to_owned());
        Self {
            name: text(&push.name),
            phone: push.phone.as_str().to_owned(),
            note: text(&push.note),
            conversation: push.conversation,
        }
    }

    fn read(self) -> Option<LeadPush> {
        let text = |text: Option<String>| text.and_then(|text| PlainText::read(&text, usize::MAX));
        Some(LeadPush {
            name: text(self.name),
            phone: PhoneNumber::from_e164(&self.phone).ok()?,
            note: text(self.note),
            conversation: self.conversation,
        })
    }
}

impl PgCustomerRecords {
    fn seal(&self, workspace: WorkspaceId, lead: &NewLead) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(push) = &lead.push else { return Ok(None) };
        let written = serde_json::to_vec(&StoredPush::of(push)).map_err(|_| unreadable("lead"))?;
        self.database.vault.seal(&written, &places::lead_push(workspace, lead.id)).map(Some).map_err(locked)
    }

    fn open(&self, workspace: WorkspaceId, id: LeadId, sealed: &[u8]) -> Result<LeadPush, StoreError> {
        let written = self.database.vault.open(sealed, &places::lead_push(workspace, id)).map_err(locked)?;
        let stored: Option<StoredPush> = serde_json::from_slice(&written).ok();
        stored.and_then(StoredPush::read).ok_or_else(|| unreadable("lead"))
    }

    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: &[u8],
    ) -> Result<Option<LeadHolder>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(uuid::Uuid, Option<Vec<u8>>, String)> = leads::table
            .filter(leads::workspace_id.eq(workspace.uuid()))
            .filter(leads::key_hash.eq(key_hash))
            .select((leads::id, leads::request_hash, leads::state))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, request_hash, state)) = row else { return Ok(None) };
        let request_hash = request_hash.and_then(|hash| <[u8; 32]>::try_from(hash).ok());
        Ok(Some(LeadHolder {
            request_hash: request_hash.ok_or_else(|| unreadable("hash of a request"))?,
            id: id.into(),
            state: LeadState::read(&state).ok_or_else(|| unreadable("state of a lead"))?,
        }))
    }
}

#[async_trait]
impl LeadStore for PgCustomerRecords {
    async fn capture(
        &self,
        workspace: WorkspaceId,
        lead: &NewLead,
    ) -> Result<Option<LeadHolder>, StoreError> {
        let sealed = self.seal(workspace, lead)?;
        let state = if sealed.is_some() { LeadState::Waiting } else { LeadState::NotTold };
        let now = lead.event.created_at;
        let rows = [lead];
        let transaction = self.database.transaction().await?;
        let written = insert(leads::table, workspace, &rows)
            .column(leads::id, |lead| lead.id.uuid())
            .column(leads::key_hash, |lead| lead.key.map(|key| key.key_hash.to_vec()))
            .column(leads::request_hash, |lead| lead.key.map(|key| key.request_hash.to_vec()))
            .column(leads::state, |_| state.as_str())
            .column(leads::push_sealed, |_| sealed.clone())
            .column(leads::attempts, |_| 0)
            .column(leads::due_at, |_| sealed.is_some().then_some(now))
            .column(leads::created_at, |_| now)
            .on_conflict_do_nothing()
            .returning(leads::id);
        let mut connection: &AsyncPgConnection = &transaction;
        let unpassed = async {
            let Some(fence) = lead.fence else { return Ok(true) };
            holds(&transaction, workspace, fence).await
        };
        let first = try_join4(
            written.load::<uuid::Uuid>(&mut connection),
            lock_conversation(&transaction, workspace, lead.conversation),
            unpassed,
            subscribers(&transaction, workspace, [&lead.event]),
        );
        let (written, conversation, unpassed, subscribers) =
            transaction.begin_with(first).await.map_err(failed)?;
        if written.is_empty() {
            drop(transaction);
            let Some(key) = lead.key else { return Err(StoreError::Stale) };
            return self.holder(workspace, &key.key_hash).await?.ok_or(StoreError::Stale).map(Some);
        }
        let stamped_at = conversation.filter(|_| unpassed).ok_or(StoreError::Stale)?;
        let event = Event { created_at: stamp_after(stamped_at, now), ..lead.event.clone() };
        let pending = self.database.deliveries(workspace, &subscribers, [&event])?;
        let mut flight = transaction.flight();
        stamp(&mut flight, workspace, lead.conversation, event.created_at);
        enqueue(&mut flight, workspace, &pending);
        audit(&mut flight, workspace, &lead.entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(None)
    }

    async fn workspaces_with_leads(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = leads::table
            .filter(leads::workspace_id.eq(workspaces::workspace_id))
            .filter(leads::due_at.le(now))
            .select(leads::id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueLead>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found: Option<(uuid::Uuid, i32, Option<Vec<u8>>, OffsetDateTime)> = leads::table
            .filter(leads::workspace_id.eq(workspace.uuid()))
            .filter(leads::due_at.le(now))
            .order(leads::due_at)
            .limit(1)
            .select((leads::id, leads::attempts, leads::push_sealed, leads::created_at))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, attempts, sealed, captured_at)) = found else { return Ok(None) };
        let claimed = diesel::update(leads::table)
            .filter(leads::workspace_id.eq(workspace.uuid()))
            .filter(leads::id.eq(id))
            .filter(leads::attempts.eq(attempts))
            .filter(leads::due_at.le(now))
            .set((leads::attempts.eq(attempts + 1), leads::due_at.eq(lease_until)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        if claimed == 0 {
            return Ok(None);
        }
        let push = self.open(workspace, id.into(), &sealed.ok_or_else(|| unreadable("lead"))?)?;
        let attempt = u32::try_from(attempts + 1).map_err(|_| unreadable("tries of a lead"))?;
        Ok(Some(DueLead { id: id.into(), push, attempt, captured_at }))
    }

    async fn settle(
        &self,
        workspace: WorkspaceId,
        lead: LeadId,
        attempt: u32,
        then: AfterTry,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let attempt = i32::try_from(attempt).unwrap_or(i32::MAX);
        let of_try = leads::table
            .filter(leads::workspace_id.eq(workspace.uuid()))
            .filter(leads::id.eq(lead.uuid()))
            .filter(leads::attempts.eq(attempt));
        let settled = match then {
            AfterTry::Again(at) => {
                diesel::update(of_try).set(leads::due_at.eq(at)).execute(&mut connection).await
            }
            AfterTry::Ended(state) => {
                diesel::update(of_try)
                    .set((
                        leads::state.eq(state.as_str()),
                        leads::due_at.eq(None::<OffsetDateTime>),
                        leads::push_sealed.eq(None::<Vec<u8>>),
                    ))
                    .execute(&mut connection)
                    .await
            }
        };
        settled.map(drop).map_err(failed)
    }
}
