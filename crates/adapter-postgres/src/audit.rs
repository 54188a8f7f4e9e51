//! Entries of the audit log, written in the transactions of their changes.

use diesel::{
    ExpressionMethods, Insertable, OptionalExtension, QueryDsl, Queryable, Selectable,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection};
use domain::{
    access::members::Role,
    audit::{Action, Actor, AuditEntry},
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    live::LiveKind,
};
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    Database,
    error::{failed, unreadable},
    live,
    schema::{audit_log, members},
    sql::RunQueryDsl,
    transaction::{Flight, Transaction},
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = audit_log, treat_none_as_default_value = false)]
pub(crate) struct AuditRow {
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

    pub(crate) fn read(self) -> Result<AuditEntry, StoreError> {
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

pub(crate) fn address_of(entry: &AuditEntry) -> Option<String> {
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
