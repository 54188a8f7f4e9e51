//! The ledger of sends.

mod begin;
mod catalogue;
mod conversation;
mod ledger;
mod notices;
mod plan_use;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod record;
mod reply;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, Binary, Jsonb, Nullable, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::{AccountAccess, Connection},
    errors::StoreError,
    ids::{AccountId, ChannelId, ConversationId, MemberId, MessageId, WorkspaceId},
    messages::{NetworkError, NetworkMessageId},
    phone::PhoneNumber,
    sending::{
        AcceptedSend, Catalogue, ConversationParts, KeyHolder, ReplyContext,
        ports::{Recorded, ReserveOutcome, SendLedger, SendReservation},
    },
};
use secrecy::SecretString;
use time::OffsetDateTime;

pub(crate) use ledger::{LedgerRow, ledger, read_phone};
pub(crate) use record::{Accepted, SettleOutcome};

use crate::{
    PgStore,
    batches::same_for_all,
    channels::read_standing,
    error::{failed, locked, unreadable},
    places,
    sql::{Bind, sql},
};

/// Keys and reservations go with them; their files may be sent by others.
const RELEASE: &str = "
    WITH released AS (
        DELETE FROM sends WHERE workspace_id = $1 AND id = ANY($2) AND state = 'in_flight' RETURNING id
    ), let_go AS (
        UPDATE uploads SET message_id = NULL FROM released
        WHERE workspace_id = $1 AND message_id = released.id
    )
    SELECT id FROM released";

const TOKEN: &str = "SELECT token_sealed, standing FROM accounts WHERE workspace_id = $1 AND id = $2 AND disconnected_at IS NULL";

#[derive(QueryableByName)]
struct Token {
    #[diesel(sql_type = Binary)]
    token_sealed: Vec<u8>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    standing: Option<serde_json::Value>,
}

#[derive(QueryableByName)]
struct Released {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[async_trait]
impl SendLedger for PgStore {
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

    async fn begin(
        &self,
        workspace: WorkspaceId,
        beginning: &SendReservation,
    ) -> Result<ReserveOutcome, StoreError> {
        self.begin_send(workspace, beginning).await
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
        author: MemberId,
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
        sends: &[MessageId],
    ) -> Result<Vec<MessageId>, StoreError> {
        let mut connection = self.connection().await?;
        let released: Vec<Released> = sql(RELEASE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(sends.iter().map(|id| id.uuid()).collect::<Vec<_>>())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(released.into_iter().map(|row| row.id.into()).collect())
    }

    async fn token(
        &self,
        workspace: WorkspaceId,
        connection: &Connection,
    ) -> Result<Option<AccountAccess>, StoreError> {
        let (store, account) = (self.clone(), connection.account);
        let run = move |calls: Vec<()>| {
            let store = store.clone();
            async move {
                let token = store.read_token(workspace, account).await?;
                Ok(same_for_all(&calls, &token))
            }
        };
        self.batches.token.call((workspace, account), (), run).await
    }
}

impl PgStore {
    async fn read_token(
        &self,
        workspace: WorkspaceId,
        account: AccountId,
    ) -> Result<Option<AccountAccess>, StoreError> {
        let mut connection = self.connection().await?;
        let token: Option<Token> = sql(TOKEN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(account.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(token) = token else { return Ok(None) };
        let place = places::token(workspace, account);
        let opened = self.vault.open(&token.token_sealed, &place).map_err(locked)?;
        let opened = String::from_utf8(opened).map_err(|_| unreadable("token"))?;
        let standing = read_standing(token.standing)?;
        Ok(Some(AccountAccess { token: SecretString::from(opened), standing }))
    }

    /// What a message is found by, since the network's id itself is kept only sealed.
    pub(crate) fn network_id_hash(&self, network_id: &NetworkMessageId) -> [u8; 32] {
        self.vault.keyed_hash("network-message-id", network_id.reveal().as_bytes())
    }
}
