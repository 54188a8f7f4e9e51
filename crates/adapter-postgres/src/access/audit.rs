//! The audit log.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, Insertable, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, RunQueryDsl};
use domain::{
    access::{
        audit::{Action, Actor, AuditEntry, AuditFilter, AuditStore},
        members::Role,
    },
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    live::LiveKind,
    paging::PageRequest,
};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    Database,
    access::PgAccess,
    error::{failed, unreadable},
    live,
    schema::{audit_log, members},
    transaction::{Flight, Transaction},
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = audit_log, treat_none_as_default_value = false)]
pub(super) struct AuditRow {
    workspace_id: uuid::Uuid,
    id: uuid::Uuid,
    member_id: Option<uuid::Uuid>,
    action: String,
    subject: Option<String>,
    details: Value,
    address: Option<String>,
    created_at: OffsetDateTime,
}

impl AuditRow {
    fn of(workspace: WorkspaceId, entry: &AuditEntry) -> Self {
        Self {
            workspace_id: workspace.uuid(),
            id: entry.id.uuid(),
            member_id: entry.actor.member().map(MemberId::uuid),
            action: entry.action.as_str().to_owned(),
            subject: entry.subject.clone(),
            details: Value::Object(entry.details.clone()),
            address: address_of(entry),
            created_at: entry.at,
        }
    }

    pub(super) fn read(self) -> Result<AuditEntry, StoreError> {
        let action = Action::read(&self.action).ok_or_else(|| unreadable("action"))?;
        let actor = self.member_id.map_or(action.without_member(), |member| Actor::Member(member.into()));
        let address = self.address.map(|address| address.parse()).transpose();
        let Value::Object(details) = self.details else { return Err(unreadable("details of a change")) };
        Ok(AuditEntry {
            id: self.id.into(),
            actor,
            address: address.map_err(|_| unreadable("address"))?,
            action,
            subject: self.subject,
            details,
            at: self.created_at,
        })
    }
}

pub(super) fn address_of(entry: &AuditEntry) -> Option<String> {
    entry.address.map(|address| address.to_canonical().to_string())
}

/// Adds the log's entry to its change. Also notifies browsers of changes to the workspace as a whole.
pub(crate) fn audit(flight: &mut Flight<'_>, workspace: WorkspaceId, entry: &AuditEntry) {
    for kind in LiveKind::of(entry.action) {
        live::tell(flight, workspace, *kind, &[(None, None)]);
    }
    flight.add(diesel::insert_into(audit_log::table).values(AuditRow::of(workspace, entry)));
}

pub(crate) async fn commit_audited(
    transaction: &Transaction,
    workspace: WorkspaceId,
    entry: &AuditEntry,
) -> Result<(), StoreError> {
    let mut flight = transaction.flight();
    audit(&mut flight, workspace, entry);
    transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
}

/// Checks, right before an owner's change is committed, that its author is still an owner, and locks that
/// until the transaction ends. For changes that waited for an outside system: otherwise an owner who made a
/// slow server answer late could finish what they began before they were removed.
///
/// # Errors
/// [`StoreError::NotMember`] and [`StoreError::NotOwner`].
pub(crate) async fn still_owner(
    transaction: &Transaction,
    workspace: WorkspaceId,
    entry: &AuditEntry,
) -> Result<(), StoreError> {
    let Some(member) = entry.actor.member() else { return Ok(()) };
    let role = members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::id.eq(member.uuid()))
        .filter(members::left_at.is_null())
        .select(members::role)
        .for_share()
        .get_result::<String>(&mut &**transaction);
    let role = transaction.send(role).await.optional().map_err(failed)?.ok_or(StoreError::NotMember)?;
    if role == Role::Owner.as_str() { Ok(()) } else { Err(StoreError::NotOwner) }
}

impl Database {
    /// Makes a change and, if a row changed, writes the entry with it. Returns the number of changed rows.
    pub(crate) async fn change_audited<Q>(
        &self,
        change: Q,
        workspace: WorkspaceId,
        entry: &AuditEntry,
    ) -> Result<usize, StoreError>
    where
        Q: QueryFragment<Pg> + QueryId + Send,
    {
        let transaction = self.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let changed = transaction.begin_with(connection.execute_returning_count(change)).await;
        let changed = changed.map_err(failed)?;
        if changed > 0 {
            commit_audited(&transaction, workspace, entry).await?;
        }
        Ok(changed)
    }
}

#[async_trait]
impl AuditStore for PgAccess {
    async fn add(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError> {
        commit_audited(&self.database.transaction().await?, workspace, entry).await
    }

    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: AuditFilter,
        page: PageRequest,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut query = audit_log::table
            .filter(audit_log::workspace_id.eq(workspace.uuid()))
            .select(AuditRow::as_select())
            .order((audit_log::created_at.desc(), audit_log::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .into_boxed();
        if let Some(member) = filter.member {
            query = query.filter(audit_log::member_id.eq(member.uuid()));
        }
        if let Some(action) = filter.action {
            query = query.filter(audit_log::action.eq(action.as_str()));
        }
        if let Some(after) = page.after {
            let later = audit_log::created_at.eq(after.at).and(audit_log::id.lt(after.id));
            query = query
                .filter(audit_log::created_at.le(after.at))
                .filter(audit_log::created_at.lt(after.at).or(later));
        }
        let mut connection = self.database.connection().await?;
        let rows: Vec<AuditRow> = query.load(&mut connection).await.map_err(failed)?;
        rows.into_iter().map(AuditRow::read).collect()
    }
}
