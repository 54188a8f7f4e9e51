//! People whose names the networks tell when they are asked.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Binary, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    contacts::{
        Contact, ContactSource, Identity,
        ports::{Stranger, UnnamedContacts},
    },
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
    phone::PhoneNumber,
};
use secrecy::SecretString;
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, locked, unreadable},
    places,
    sql::{Bind, at_places, sql},
};

/// One look at the index for each workspace, however many are due.
pub(super) const WITH_STRANGERS: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM identities person
        WHERE person.workspace_id = workspace.workspace_id AND person.profile_due_at <= $1)";

/// The account is that of the connection they wrote over last.
pub(super) const CLAIM: &str = concat!(
    "WITH due AS MATERIALIZED (
        SELECT ctid AS place FROM identities
        WHERE workspace_id = $1 AND profile_due_at <= $2
        ORDER BY profile_due_at, kind, value LIMIT $4
        FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE identities person SET profile_due_at = $3, profile_attempts = profile_attempts + 1 WHERE ",
    at_places!("person", "SELECT place FROM due"),
    " RETURNING person.kind, person.value, person.contact_id, person.profile_attempts
    )
    SELECT taken.kind, taken.value, taken.profile_attempts, contact.id AS contact_id, contact.name, contact.phone,
           contact.avatar_url, contact.source, contact.created_at, connection.account_id, connection.token_sealed
    FROM taken
    JOIN contacts contact ON contact.workspace_id = $1 AND contact.id = taken.contact_id
    CROSS JOIN LATERAL (
        SELECT account.id AS account_id, account.token_sealed
        FROM conversations conversation
        JOIN channels channel ON channel.workspace_id = $1 AND channel.id = conversation.channel_id
        JOIN accounts account ON account.workspace_id = $1 AND account.id = channel.account_id
        WHERE conversation.workspace_id = $1 AND conversation.contact_id = taken.contact_id
          AND conversation.channel || '_user' = taken.kind
        ORDER BY conversation.last_message_at DESC LIMIT 1
    ) connection"
);

pub(super) const ASKED: &str = "
    UPDATE identities SET profile_due_at = $4 WHERE workspace_id = $1 AND kind = $2 AND value = $3";

#[derive(QueryableByName)]
struct StrangerRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    value: String,
    #[diesel(sql_type = Integer)]
    profile_attempts: i32,
    #[diesel(sql_type = Uuid)]
    contact_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    avatar_url: Option<String>,
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Uuid)]
    account_id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    token_sealed: Vec<u8>,
}

#[async_trait]
impl UnnamedContacts for PgStore {
    async fn workspaces_with_unnamed(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.workspaces(WITH_STRANGERS, now).await
    }

    async fn claim_unnamed(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<Stranger>, StoreError> {
        let rows: Vec<StrangerRow> = self.claimed(CLAIM, workspace, (now, lease_until), limit).await?;
        let read = |row: StrangerRow| {
            let contact = row.contact_id;
            // They stay, and are due again after the lease; the others go on.
            self.stranger(workspace, row)
                .inspect_err(|error| tracing::error!(%workspace, %contact, %error, "not readable"))
                .ok()
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    async fn asked(
        &self,
        workspace: WorkspaceId,
        person: &Identity,
        again_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        sql(ASKED)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(person.kind())
            .bind::<Text, _>(person.value())
            .bind::<Nullable<Timestamptz>, _>(again_at)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}

impl PgStore {
    fn stranger(&self, workspace: WorkspaceId, row: StrangerRow) -> Result<Stranger, StoreError> {
        let account = AccountId::from(row.account_id);
        let token = self.vault.open(&row.token_sealed, &places::token(workspace, account)).map_err(locked)?;
        let phone = row.phone.as_deref().map(PhoneNumber::from_e164).transpose();
        Ok(Stranger {
            contact: Contact {
                id: row.contact_id.into(),
                name: row.name,
                phone: phone.map_err(|_| unreadable("phone number"))?,
                source: ContactSource::read(&row.source).ok_or_else(|| unreadable("source"))?,
                created_at: row.created_at,
            },
            avatar_url: row.avatar_url,
            identity: Identity::read(&row.kind, &row.value).ok_or_else(|| unreadable("identity"))?,
            token: SecretString::from(String::from_utf8(token).map_err(|_| unreadable("token"))?),
            attempt: u32::try_from(row.profile_attempts).unwrap_or_default(),
        })
    }
}
