//! Registered addresses.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{WebhookAddressId, WorkspaceId},
    webhooks::{
        AddressChange, AddressHealth, AddressState, Event, EventType, WebhookAddress, WebhookSecret,
        ports::{Added, AddressStore, NewAddress},
    },
};
use time::OffsetDateTime;

use super::{Count, enqueue_deliveries, owing, queue::read_event};
use crate::{
    PgStore,
    access::write_audit,
    error::{failed, locked},
    places,
    sql::{Bind, sql},
};

// Without KEY: what refers to the workspace need not wait.
pub(crate) const LOCK_WORKSPACE: &str =
    "SELECT workspace_id FROM workspaces WHERE workspace_id = $1 FOR NO KEY UPDATE";

pub(super) const ADD: &str = "
    INSERT INTO webhook_addresses (workspace_id, id, url, events, secret_sealed, created_at)
    SELECT $1, $2, $3, $4, $5, $6
    WHERE (SELECT count(*) FROM webhook_addresses WHERE workspace_id = $1 AND state <> 'deleted') < $7";

/// Those that $2 names, or all where it is null.
pub(super) const READ: &str = "
    SELECT id, url, events, state, consecutive_failures, disabled_reason, standard_headers,
           previous_secret_until, created_at
    FROM webhook_addresses
    WHERE workspace_id = $1 AND ($2 IS NULL OR id = $2) AND state <> 'deleted'
    ORDER BY created_at, id";

pub(super) const OWE: &str =
    concat!("WITH owing AS (SELECT), ", enqueue_deliveries!(), " SELECT count(*) FROM delivery",);

pub(super) const SET: &str = "
    UPDATE webhook_addresses
    SET events = coalesce($3, events), standard_headers = coalesce($4, standard_headers)
    WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted'";

/// One that is disabled already keeps its reason.
pub(super) const PAUSE: &str = "
    UPDATE webhook_addresses
    SET state = 'disabled', disabled_reason = CASE state WHEN 'enabled' THEN $3 ELSE disabled_reason END
    WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted'";

pub(super) const RESUME: &str = "
    UPDATE webhook_addresses SET state = 'enabled', consecutive_failures = 0, disabled_reason = NULL
    WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted'";

/// Held until it is replaced.
pub(super) const SECRET: &str = "
    SELECT secret_sealed FROM webhook_addresses
    WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted' FOR NO KEY UPDATE";

pub(super) const ROTATE: &str = "
    UPDATE webhook_addresses
    SET secret_sealed = $3, previous_secret_until = $4, previous_secret_sealed = $5
    WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted'";

pub(super) const DELETE: &str = "
    UPDATE webhook_addresses
    SET state = 'deleted', deleted_at = $3, url = '', events = '{}', secret_sealed = '',
        previous_secret_sealed = NULL, previous_secret_until = NULL
    WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted'";

#[derive(QueryableByName)]
struct AddressRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Array<Text>)]
    events: Vec<String>,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Integer)]
    consecutive_failures: i32,
    #[diesel(sql_type = Nullable<Text>)]
    disabled_reason: Option<String>,
    #[diesel(sql_type = Bool)]
    standard_headers: bool,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    previous_secret_until: Option<OffsetDateTime>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

#[derive(QueryableByName)]
struct SecretRow {
    #[diesel(sql_type = Binary)]
    secret_sealed: Vec<u8>,
}

#[async_trait]
impl AddressStore for PgStore {
    async fn add(
        &self,
        workspace: WorkspaceId,
        address: &NewAddress,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<Added, StoreError> {
        let sealed = self.seal_secret(workspace, address.id, &address.secret)?;
        let mut transaction = self.begin().await?;
        let locked = sql(LOCK_WORKSPACE).bind::<Uuid, _>(workspace.uuid()).execute(&mut *transaction).await;
        if locked.map_err(failed)? == 0 {
            return Ok(Added::NoWorkspace);
        }
        let added = sql(ADD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(address.id.uuid())
            .bind::<Text, _>(&address.url)
            .bind::<Array<Text>, _>(names(&address.events))
            .bind::<Binary, _>(&sealed)
            .bind::<Timestamptz, _>(entry.at)
            .bind::<BigInt, _>(i64::from(most))
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
        if added == 0 {
            return Ok(Added::TooMany);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(Added::Yes)
    }

    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<WebhookAddress>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<AddressRow> = sql(READ)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Uuid>, _>(None::<uuid::Uuid>)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(read).collect()
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Option<WebhookAddress>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<AddressRow> = sql(READ)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Uuid>, _>(Some(address.uuid()))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(read).transpose()
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        change: &AddressChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let of = |statement| sql(statement).bind::<Uuid, _>(workspace.uuid()).bind::<Uuid, _>(address.uuid());
        let mut transaction = self.begin().await?;
        let on = &mut *transaction;
        let changed = match change {
            AddressChange::Settings(wanted) => {
                let events = wanted.events.as_deref().map(names);
                let set = of(SET).bind::<Nullable<Array<Text>>, _>(events);
                set.bind::<Nullable<Bool>, _>(wanted.standard_headers).execute(on).await
            }
            AddressChange::Pause { reason } => of(PAUSE).bind::<Text, _>(reason).execute(on).await,
            AddressChange::Resume => of(RESUME).execute(on).await,
            AddressChange::Rotate { secret, previous_until } => {
                let held = of(SECRET).get_result::<SecretRow>(&mut *on).await.optional();
                let Some(held) = held.map_err(failed)? else { return Ok(false) };
                let previous = previous_until.and_then(|_| self.as_previous(workspace, address, &held));
                of(ROTATE)
                    .bind::<Binary, _>(self.seal_secret(workspace, address, secret)?)
                    .bind::<Nullable<Timestamptz>, _>(previous_until.filter(|_| previous.is_some()))
                    .bind::<Nullable<Binary>, _>(previous)
                    .execute(on)
                    .await
            }
            AddressChange::Delete => of(DELETE).bind::<Timestamptz, _>(entry.at).execute(on).await,
        };
        if changed.map_err(failed)? == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn owe(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let owed = self.owed_to(workspace, address, event)?;
        let mut transaction = self.begin().await?;
        let owed: Count = owing(OWE, workspace, &owed).get_result(&mut *transaction).await.map_err(failed)?;
        if owed.count == 0 {
            return Ok(false);
        }
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

impl PgStore {
    fn seal_secret(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        secret: &WebhookSecret,
    ) -> Result<Vec<u8>, StoreError> {
        self.vault.seal(secret.reveal().as_bytes(), &places::secret(workspace, address)).map_err(locked)
    }

    /// A secret that is about to be replaced, sealed for where it goes. None that does not open any more: it can sign
    /// nothing, and a new one is what it takes.
    fn as_previous(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        held: &SecretRow,
    ) -> Option<Vec<u8>> {
        let secret = self.vault.open(&held.secret_sealed, &places::secret(workspace, address)).ok()?;
        self.vault.seal(&secret, &places::previous_secret(workspace, address)).ok()
    }
}

fn names(events: &[EventType]) -> Vec<&'static str> {
    events.iter().map(|event| event.as_str()).collect()
}

fn read(row: AddressRow) -> Result<WebhookAddress, StoreError> {
    let enabled = row.state == AddressState::Enabled.as_str();
    Ok(WebhookAddress {
        id: row.id.into(),
        url: row.url,
        events: row.events.iter().map(|name| read_event(name)).collect::<Result<_, _>>()?,
        health: AddressHealth {
            state: if enabled { AddressState::Enabled } else { AddressState::Disabled },
            consecutive_failures: u32::try_from(row.consecutive_failures).unwrap_or_default(),
            disabled_reason: row.disabled_reason,
        },
        standard_headers: row.standard_headers,
        previous_secret_until: row.previous_secret_until,
        created_at: row.created_at,
    })
}
