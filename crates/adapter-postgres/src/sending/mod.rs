//! The ledger of sends.

mod accepted;
mod batches;
mod begin;
mod catalogue;
mod conversation;
mod conversation_sends;
mod keys;
mod ledger;
mod plan_use;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod record;
mod reply;

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use domain::{
    channels::{AccountAccess, Connection},
    errors::StoreError,
    ids::{AccountId, ChannelId, ContactId, ConversationId, MessageId, WorkspaceId},
    messages::{NetworkError, NetworkMessageId, ReplyAuthor},
    phone::PhoneNumber,
    sending::{
        AcceptedSend, Catalogue, ConversationParts, KeyHolder, ReplyContext, SendAttempt,
        ports::{Recorded, ReserveOutcome, SendLedger, SendReservation},
    },
};
use futures_util::{TryFutureExt, future::try_join_all};
use secrecy::SecretString;
use time::OffsetDateTime;

pub(crate) use ledger::{LedgerRow, ledger_of};

use self::batches::SendBatches;
use crate::{
    Database,
    channels::read_standing,
    error::{failed, locked, unreadable},
    places,
    schema::{accounts, identities, sends, uploads},
    sql::{RunQueryDsl, first_and_last, insert},
};

/// The ledger of sends.
#[derive(Clone)]
pub struct PgSends {
    database: Database,
    batches: Arc<SendBatches>,
}

impl PgSends {
    pub(crate) fn over(database: Database) -> Self {
        let batches = Arc::new(SendBatches::on(&database.runtime));
        Self { database, batches }
    }
}

#[async_trait]
impl SendLedger for PgSends {
    async fn catalogue(&self, workspace: WorkspaceId, template: &str) -> Result<Catalogue, StoreError> {
        self.read_catalogue(workspace, template).await
    }

    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<KeyHolder>, StoreError> {
        self.find_holder(workspace, key_hash).await
    }

    async fn note_spelling(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        called: &PhoneNumber,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.insert(
            insert(identities::table, workspace, std::slice::from_ref(called))
                .column(identities::kind, |_| "phone")
                .column(identities::value, PhoneNumber::as_str)
                .column(identities::contact_id, |_| contact.uuid())
                .column(identities::recorded_at, |_| now)
                .on_conflict((identities::kind, identities::value))
                .set_excluded(identities::contact_id),
        );
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn begin(
        &self,
        workspace: WorkspaceId,
        reservation: &SendReservation,
    ) -> Result<ReserveOutcome, StoreError> {
        self.begin_send(workspace, reservation).await
    }

    async fn conversation(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        phone: &PhoneNumber,
    ) -> Result<ConversationParts, StoreError> {
        self.find_conversation(workspace, channel, phone).await
    }

    async fn reply_context(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        author: ReplyAuthor,
    ) -> Result<Option<ReplyContext>, StoreError> {
        self.find_reply_context(workspace, conversation, author).await
    }

    async fn conversation_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<ConversationParts, StoreError> {
        self.find_conversation_of(workspace, conversation, message).await
    }

    async fn refuse_reply(
        &self,
        workspace: WorkspaceId,
        id: MessageId,
        error: &NetworkError,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.write_refused(workspace, id, error, now).await
    }

    async fn record(&self, workspace: WorkspaceId, accepted: &AcceptedSend) -> Result<Recorded, StoreError> {
        self.record_send(workspace, accepted).await
    }

    async fn release(
        &self,
        workspace: WorkspaceId,
        attempts: &[SendAttempt],
    ) -> Result<Vec<SendAttempt>, StoreError> {
        // Grouped by time, since an id may have been begun again at another time.
        let mut times: BTreeMap<OffsetDateTime, Vec<uuid::Uuid>> = BTreeMap::new();
        for attempt in attempts {
            times.entry(attempt.at).or_default().push(attempt.id.uuid());
        }
        let transaction = self.database.transaction().await?;
        let deletions = times.iter().filter_map(|(at, ids)| {
            let (first, last) = first_and_last(ids.iter().copied())?;
            // Keys and reservations are deleted with their sends.
            let deletion = diesel::delete(sends::table)
                .filter(sends::workspace_id.eq(workspace.uuid()))
                .filter(sends::id.between(first, last))
                .filter(sends::id.eq_any(ids.clone()))
                .filter(sends::created_at.eq(*at))
                .filter(sends::state.eq("in_flight"))
                .returning(sends::id)
                .load::<uuid::Uuid>(&mut &*transaction);
            Some(deletion.map_ok(|ids| ids.into_iter().map(|id| (id, *at)).collect::<Vec<_>>()))
        });
        let released = transaction.begin_with(try_join_all(deletions)).await.map_err(failed)?.concat();
        let mut flight = transaction.flight();
        let ids: Vec<uuid::Uuid> = released.iter().map(|(id, _)| *id).collect();
        if let Some((first, last)) = first_and_last(ids.iter().copied()) {
            // The files become available to other sends.
            flight.add(
                diesel::update(uploads::table)
                    .filter(uploads::workspace_id.eq(workspace.uuid()))
                    .filter(uploads::message_id.between(first, last))
                    .filter(uploads::message_id.eq_any(ids))
                    .set(uploads::message_id.eq(None::<uuid::Uuid>)),
            );
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        let is_released = |attempt: &&SendAttempt| released.contains(&(attempt.id.uuid(), attempt.at));
        Ok(attempts.iter().filter(is_released).copied().collect())
    }

    async fn token(
        &self,
        workspace: WorkspaceId,
        connection: &Connection,
    ) -> Result<Option<AccountAccess>, StoreError> {
        let (store, account) = (self.clone(), connection.account);
        let load = move || {
            let store = store.clone();
            async move { store.read_token(workspace, account).await }
        };
        self.batches.token.share((workspace, account), load).await
    }
}

impl PgSends {
    async fn read_token(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
    ) -> Result<Option<AccountAccess>, StoreError> {
        let mut connection = self.database.connection().await?;
        let token: Option<(Vec<u8>, Option<serde_json::Value>)> = accounts::table
            .filter(accounts::workspace_id.eq(workspace.uuid()))
            .filter(accounts::id.eq(account.uuid()))
            .filter(accounts::disconnected_at.is_null())
            .select((accounts::token_sealed, accounts::standing))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((sealed, standing)) = token else { return Ok(None) };
        let opened = self.database.vault.open(&sealed, &places::token(workspace, account)).map_err(locked)?;
        let opened = String::from_utf8(opened).map_err(|_| unreadable("token"))?;
        let standing = read_standing(standing)?;
        Ok(Some(AccountAccess { token: SecretString::from(opened), standing }))
    }
}

impl Database {
    /// Returns the hash that a message is found by, since its network id is only stored sealed.
    pub(crate) fn network_id_hash(&self, network_id: &NetworkMessageId) -> [u8; 32] {
        self.vault.keyed_hash("network-message-id", network_id.reveal().as_bytes())
    }
}
