//! Connected systems of workspaces.

mod calls;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper, dsl::exists,
};
use domain::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, SystemId, WorkspaceId},
    systems::{
        Capability, ConnectedSystem, ConnectionState, Health, Introduction, SystemBase, SystemConnection,
        SystemSecret,
        ports::{ConnectionChange, SystemStore},
    },
    text::PlainText,
};
use time::OffsetDateTime;

use crate::{
    Database,
    audit::{audit, still_owner},
    error::{failed, locked, unreadable},
    places,
    schema::{systems, workspaces},
    sql::{RunQueryDsl, storable},
};

/// Connected systems of workspaces, and the log of their calls.
#[derive(Clone)]
pub struct PgSystems {
    pub(crate) database: Database,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = systems)]
struct SystemRow {
    id: uuid::Uuid,
    base_url: String,
    name: String,
    currency: String,
    capabilities: Vec<String>,
    state: String,
    cooling_until: Option<OffsetDateTime>,
    failures: i32,
    slowdowns: i32,
    failed_verifications: i32,
    verify_at: Option<OffsetDateTime>,
    problem: Option<String>,
    state_since: OffsetDateTime,
    connected_at: OffsetDateTime,
    verified_at: OffsetDateTime,
    version: i64,
    creator_id: Option<uuid::Uuid>,
}

impl SystemRow {
    fn read(self) -> Result<SystemConnection, StoreError> {
        let capabilities = self.capabilities.iter().map(|word| word.parse::<Capability>());
        let introduction = Introduction {
            name: PlainText::read(&self.name, usize::MAX).ok_or_else(|| unreadable("name of a system"))?,
            currency: self.currency.parse().map_err(|_| unreadable("currency"))?,
            capabilities: capabilities.collect::<Result<_, _>>().map_err(|_| unreadable("capability"))?,
        };
        let state = ConnectionState::read(&self.state, self.cooling_until);
        let health = Health {
            state: state.ok_or_else(|| unreadable("state of a system"))?,
            failures: count(self.failures),
            slowdowns: count(self.slowdowns),
            failed_verifications: count(self.failed_verifications),
            verify_at: self.verify_at,
        };
        Ok(SystemConnection {
            id: self.id.into(),
            base: SystemBase::parse(&self.base_url).map_err(|_| unreadable("address of a system"))?,
            introduction,
            health,
            problem: self.problem,
            state_since: self.state_since,
            creator: self.creator_id.map(Into::into),
            connected_at: self.connected_at,
            verified_at: self.verified_at,
            version: self.version,
        })
    }
}

fn count(stored: i32) -> u32 {
    u32::try_from(stored).unwrap_or_default()
}

fn stored(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

const fn cooling_until(state: ConnectionState) -> Option<OffsetDateTime> {
    match state {
        ConnectionState::Cooling(until) => Some(until),
        ConnectionState::Active | ConnectionState::Unreachable | ConnectionState::NeedsReconnection => None,
    }
}

fn words(introduction: &Introduction) -> Vec<&'static str> {
    introduction.capabilities.iter().map(Capability::as_str).collect()
}

#[async_trait]
impl SystemStore for PgSystems {
    async fn find(&self, workspace: WorkspaceId) -> Result<Option<SystemConnection>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<SystemRow> = systems::table
            .filter(systems::workspace_id.eq(workspace.uuid()))
            .select(SystemRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(SystemRow::read).transpose()
    }

    async fn open(&self, workspace: WorkspaceId) -> Result<Option<ConnectedSystem>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(SystemRow, Vec<u8>)> = systems::table
            .filter(systems::workspace_id.eq(workspace.uuid()))
            .select((SystemRow::as_select(), systems::secret_sealed))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((row, sealed)) = row else { return Ok(None) };
        let connection = row.read()?;
        let secret = self
            .database
            .vault
            .open(&sealed, &places::system_secret(workspace, connection.id))
            .map_err(locked)?;
        let secret = String::from_utf8(secret).ok().and_then(|secret| SystemSecret::parse(&secret).ok());
        let secret = secret.ok_or_else(|| unreadable("secret of a system"))?;
        Ok(Some(ConnectedSystem { connection, secret }))
    }

    async fn connect(
        &self,
        workspace: WorkspaceId,
        connected: &ConnectedSystem,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let ConnectedSystem { connection: new, secret } = connected;
        let place = places::system_secret(workspace, new.id);
        let sealed = self.database.vault.seal(secret.reveal().as_bytes(), &place).map_err(locked)?;
        let transaction = self.database.transaction().await?;
        // Serializes connections; `FOR NO KEY UPDATE` lets inserts that reference the workspace go on.
        let held = workspaces::table
            .filter(workspaces::workspace_id.eq(workspace.uuid()))
            .select(workspaces::workspace_id)
            .for_no_key_update()
            .load::<uuid::Uuid>(&mut &*transaction);
        if transaction.begin_with(held).await.map_err(failed)?.is_empty() {
            return Ok(false);
        }
        still_owner(&transaction, workspace, entry).await?;
        let mut flight = transaction.flight();
        flight.add(diesel::delete(systems::table).filter(systems::workspace_id.eq(workspace.uuid())));
        flight.add(diesel::insert_into(systems::table).values((
            (
                systems::workspace_id.eq(workspace.uuid()),
                systems::id.eq(new.id.uuid()),
                systems::base_url.eq(new.base.as_str().to_owned()),
                systems::secret_sealed.eq(sealed),
                systems::name.eq(storable(new.introduction.name.as_str())),
                systems::currency.eq(new.introduction.currency.as_str().to_owned()),
                systems::capabilities.eq(words(&new.introduction)),
                systems::state.eq(new.health.state.name().as_str()),
                systems::cooling_until.eq(cooling_until(new.health.state)),
                systems::failures.eq(stored(new.health.failures)),
            ),
            (
                systems::slowdowns.eq(stored(new.health.slowdowns)),
                systems::failed_verifications.eq(stored(new.health.failed_verifications)),
                systems::verify_at.eq(new.health.verify_at),
                systems::problem.eq(new.problem.clone()),
                systems::state_since.eq(new.state_since),
                systems::connected_at.eq(new.connected_at),
                systems::verified_at.eq(new.verified_at),
                systems::version.eq(new.version),
                systems::creator_id.eq(new.creator.map(MemberId::uuid)),
            ),
        )));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn settle(&self, workspace: WorkspaceId, change: &ConnectionChange) -> Result<(), StoreError> {
        let ConnectionChange { after, entry } = change;
        let transaction = self.database.transaction().await?;
        let settled = diesel::update(systems::table)
            .filter(systems::workspace_id.eq(workspace.uuid()))
            .filter(systems::id.eq(after.id.uuid()))
            .filter(systems::version.eq(after.version))
            // A system with a new secret starts its counts anew.
            .filter(systems::connected_at.eq(after.connected_at))
            .set((
                systems::name.eq(storable(after.introduction.name.as_str())),
                systems::currency.eq(after.introduction.currency.as_str()),
                systems::capabilities.eq(words(&after.introduction)),
                systems::state.eq(after.health.state.name().as_str()),
                systems::cooling_until.eq(cooling_until(after.health.state)),
                systems::failures.eq(stored(after.health.failures)),
                systems::slowdowns.eq(stored(after.health.slowdowns)),
                systems::failed_verifications.eq(stored(after.health.failed_verifications)),
                systems::verify_at.eq(after.health.verify_at),
                systems::problem.eq(&after.problem),
                systems::state_since.eq(after.state_since),
                systems::verified_at.eq(after.verified_at),
                systems::version.eq(after.version + 1),
            ))
            .execute(&mut &*transaction);
        if transaction.begin_with(settled).await.map_err(failed)? == 0 {
            return Err(StoreError::Stale);
        }
        let mut flight = transaction.flight();
        if let Some(entry) = entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }

    async fn disconnect(
        &self,
        workspace: WorkspaceId,
        id: SystemId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let gone = diesel::delete(systems::table)
            .filter(systems::workspace_id.eq(workspace.uuid()))
            .filter(systems::id.eq(id.uuid()));
        Ok(self.database.change_audited(gone, workspace, entry).await? > 0)
    }

    async fn workspaces_to_verify(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = systems::table
            .filter(systems::workspace_id.eq(workspaces::workspace_id))
            .filter(systems::verify_at.le(now))
            .select(systems::id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim_verification(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        // The new version makes everybody who has read the connection before decide again.
        let claimed = diesel::update(systems::table)
            .filter(systems::workspace_id.eq(workspace.uuid()))
            .filter(systems::verify_at.le(now))
            .set((systems::verify_at.eq(lease_until), systems::version.eq(systems::version + 1)))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(claimed > 0)
    }
}
