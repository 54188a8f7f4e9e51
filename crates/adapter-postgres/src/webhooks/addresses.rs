//! Registered webhook addresses.

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, IntoSql, OptionalExtension, QueryDsl, QueryResult, Queryable, Selectable,
    SelectableHelper,
    dsl::{auto_type, case_when},
    sql_types::{Nullable, Text},
};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    errors::StoreError,
    events::{Event, EventType},
    ids::{DeliveryId, MemberId, WebhookAddressId, WorkspaceId},
    webhooks::{
        AddressChange, AddressHealth, AddressState, RegisterError, WebhookAddress, WebhookSecret,
        is_same_place,
        ports::{AddressStore, NewAddress},
    },
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{Subscriber, enqueue, queue::read_event};
use crate::{
    audit::{audit, commit_audited, still_owner},
    bounds,
    error::{failed, locked},
    places,
    schema::webhook_addresses,
    sql::RunQueryDsl,
    webhooks::PgWebhooks,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_addresses)]
struct AddressRow {
    id: uuid::Uuid,
    url: String,
    events: Vec<String>,
    state: String,
    consecutive_failures: i32,
    disabled_reason: Option<String>,
    standard_headers: bool,
    previous_secret_until: Option<OffsetDateTime>,
    creator_id: Option<uuid::Uuid>,
    created_at: OffsetDateTime,
}

#[auto_type]
fn addresses(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    webhook_addresses::table
        .filter(webhook_addresses::workspace_id.eq(workspace))
        .filter(webhook_addresses::state.ne("deleted"))
}

macro_rules! deleted {
    ($at:expr) => {
        (
            webhook_addresses::state.eq("deleted"),
            webhook_addresses::deleted_at.eq($at),
            webhook_addresses::url.eq(""),
            webhook_addresses::events.eq(Vec::<String>::new()),
            webhook_addresses::secret_sealed.eq(Vec::<u8>::new()),
            webhook_addresses::previous_secret_sealed.eq(None::<Vec<u8>>),
            webhook_addresses::previous_secret_until.eq(None::<OffsetDateTime>),
        )
    };
}

/// Removes the addresses that a member registered. Returns their number.
pub(crate) fn remove_addresses_of(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    member: MemberId,
    at: OffsetDateTime,
) -> impl Future<Output = QueryResult<usize>> + Send + '_ {
    let registered = addresses(workspace).filter(webhook_addresses::creator_id.eq(member.uuid()));
    diesel::update(registered).set(deleted!(at)).execute(&mut { connection })
}

#[async_trait]
impl AddressStore for PgWebhooks {
    async fn add(
        &self,
        workspace: WorkspaceId,
        address: &NewAddress,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<(), RegisterError> {
        let sealed = self.seal_secret(workspace, address.id, &address.secret)?;
        let transaction = self.database.transaction().await?;
        let held = bounds::in_turn(&transaction, workspace);
        let known = addresses(workspace).select(webhook_addresses::url).load::<String>(&mut &*transaction);
        let (held, known) = transaction.begin_with(try_join(held, known)).await.map_err(failed)?;
        if !held {
            return Err(RegisterError::UnknownWorkspace);
        }
        if known.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
            return Err(RegisterError::TooMany);
        }
        if address.is_once && known.iter().any(|url| is_same_place(url, &address.url)) {
            return Err(RegisterError::Taken);
        }
        still_owner(&transaction, workspace, entry).await?;
        let new = diesel::insert_into(webhook_addresses::table)
            .values((
                webhook_addresses::workspace_id.eq(workspace.uuid()),
                webhook_addresses::id.eq(address.id.uuid()),
                webhook_addresses::url.eq(&address.url),
                webhook_addresses::events.eq(names(&address.events)),
                webhook_addresses::secret_sealed.eq(&sealed),
                webhook_addresses::creator_id.eq(address.creator.map(MemberId::uuid)),
                webhook_addresses::created_at.eq(entry.at),
            ))
            .execute(&mut &*transaction);
        transaction.send(new).await.map_err(failed)?;
        commit_audited(&transaction, workspace, entry).await?;
        Ok(())
    }

    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<WebhookAddress>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<AddressRow> = addresses(workspace)
            .order((webhook_addresses::created_at, webhook_addresses::id))
            .select(AddressRow::as_select())
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
        let mut connection = self.database.connection().await?;
        let row: Option<AddressRow> = addresses(workspace)
            .filter(webhook_addresses::id.eq(address.uuid()))
            .select(AddressRow::as_select())
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
        let found = addresses(workspace).filter(webhook_addresses::id.eq(address.uuid()));
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let changed = match change {
            AddressChange::Settings(wanted) => {
                let events = wanted.events.as_deref().map(names);
                let settings = (
                    // Its own value, so that there is always something to set.
                    webhook_addresses::url.eq(webhook_addresses::url),
                    events.map(|events| webhook_addresses::events.eq(events)),
                    wanted.standard_headers.map(|sent| webhook_addresses::standard_headers.eq(sent)),
                );
                transaction.begin_with(diesel::update(found).set(settings).execute(&mut connection)).await
            }
            AddressChange::Move { url } => {
                let moved = diesel::update(found).set(webhook_addresses::url.eq(url));
                transaction.begin_with(moved.execute(&mut connection)).await
            }
            // An address that is already disabled keeps its reason.
            AddressChange::Pause { reason } => {
                let reason = case_when(
                    webhook_addresses::state.eq(AddressState::Enabled.as_str()),
                    Some(reason.as_str()).into_sql::<Nullable<Text>>(),
                )
                .otherwise(webhook_addresses::disabled_reason);
                let disabled = (
                    webhook_addresses::state.eq(AddressState::Disabled.as_str()),
                    webhook_addresses::disabled_reason.eq(reason),
                );
                transaction.begin_with(diesel::update(found).set(disabled).execute(&mut connection)).await
            }
            AddressChange::Resume => {
                let enabled = (
                    webhook_addresses::state.eq(AddressState::Enabled.as_str()),
                    webhook_addresses::consecutive_failures.eq(0),
                    webhook_addresses::disabled_reason.eq(None::<String>),
                );
                transaction.begin_with(diesel::update(found).set(enabled).execute(&mut connection)).await
            }
            AddressChange::Rotate { secret, previous_until } => {
                // Locked until it is replaced.
                let held = found
                    .select(webhook_addresses::secret_sealed)
                    .for_no_key_update()
                    .get_result::<Vec<u8>>(&mut connection);
                let held = transaction.begin_with(held).await.optional().map_err(failed)?;
                let Some(held) = held else { return Ok(false) };
                let previous = previous_until.and_then(|_| self.as_previous(workspace, address, &held));
                let secrets = (
                    webhook_addresses::secret_sealed.eq(self.seal_secret(workspace, address, secret)?),
                    webhook_addresses::previous_secret_until
                        .eq(previous_until.filter(|_| previous.is_some())),
                    webhook_addresses::previous_secret_sealed.eq(previous),
                );
                transaction.send(diesel::update(found).set(secrets).execute(&mut connection)).await
            }
            AddressChange::Delete => {
                let deleted = diesel::update(found).set(deleted!(entry.at));
                transaction.begin_with(deleted.execute(&mut connection)).await
            }
        };
        if changed.map_err(failed)? == 0 {
            return Ok(false);
        }
        still_owner(&transaction, workspace, entry).await?;
        commit_audited(&transaction, workspace, entry).await?;
        Ok(true)
    }

    async fn enqueue(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
        entry: &AuditEntry,
    ) -> Result<Option<DeliveryId>, StoreError> {
        let transaction = self.database.transaction().await?;
        let found = addresses(workspace)
            .filter(webhook_addresses::id.eq(address.uuid()))
            .select(Subscriber::as_select())
            .get_result(&mut &*transaction);
        let found = transaction.begin_with(found).await.optional().map_err(failed)?;
        let Some(found) = found else { return Ok(None) };
        let pending = self.database.delivery(workspace, &found, event)?.whatever_the_state();
        let delivery = pending.id();
        let mut flight = transaction.flight();
        enqueue(&mut flight, workspace, &[pending]);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(Some(delivery))
    }
}

impl PgWebhooks {
    fn seal_secret(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        secret: &WebhookSecret,
    ) -> Result<Vec<u8>, StoreError> {
        self.database
            .vault
            .seal(secret.reveal().as_bytes(), &places::secret(workspace, address))
            .map_err(locked)
    }

    /// Reseals a secret that is about to be replaced for its new place. `None` if it cannot be opened any
    /// more: such a secret can sign nothing, and a new one is needed.
    fn as_previous(&self, workspace: WorkspaceId, address: WebhookAddressId, held: &[u8]) -> Option<Vec<u8>> {
        let secret = self.database.vault.open(held, &places::secret(workspace, address)).ok()?;
        self.database.vault.seal(&secret, &places::previous_secret(workspace, address)).ok()
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
        creator: row.creator_id.map(Into::into),
        created_at: row.created_at,
    })
}
