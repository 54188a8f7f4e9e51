//! Groups of members.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    broadcasts::BroadcastState,
    errors::StoreError,
    groups::{GroupError, TeamGroup, folded_name, ports::GroupStore},
    ids::{ConversationId, GroupId, MemberId, WorkspaceId},
    live::LiveKind,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use crate::{
    Database,
    audit::audit,
    bounds,
    broadcasts::is_audience,
    error::{failed, is_missing_reference},
    live,
    schema::{conversations, group_members, groups, members},
    sql::RunQueryDsl,
    transaction::Transaction,
};

/// Groups of members.
#[derive(Clone)]
pub struct PgGroups {
    pub(crate) database: Database,
}

/// States of a broadcast in which its group cannot be deleted. A draft is checked when it begins.
const NEEDED_IN: [BroadcastState; 3] =
    [BroadcastState::Scheduled, BroadcastState::Running, BroadcastState::Paused];

#[derive(Queryable, Selectable)]
#[diesel(table_name = groups)]
struct GroupRow {
    id: uuid::Uuid,
    name: String,
    created_at: OffsetDateTime,
}

/// Begins the transaction with [`in_turn`](crate::bounds::in_turn), and loads the ids and names of all
/// groups: nobody else adds or renames one until it ends.
async fn names_in_turn(
    transaction: &Transaction,
    workspace: WorkspaceId,
) -> Result<Vec<(uuid::Uuid, String)>, StoreError> {
    let mut connection: &AsyncPgConnection = transaction;
    let known = groups::table
        .filter(groups::workspace_id.eq(workspace.uuid()))
        .select((groups::id, groups::name))
        .load::<(uuid::Uuid, String)>(&mut connection);
    let both = try_join(bounds::in_turn(transaction, workspace), known);
    Ok(transaction.begin_with(both).await.map_err(failed)?.1)
}

fn is_taken(known: &[(uuid::Uuid, String)], group: GroupId, name: &str) -> bool {
    let folded = folded_name(name);
    known.iter().any(|(id, other)| *id != group.uuid() && folded_name(other) == folded)
}

#[async_trait]
impl GroupStore for PgGroups {
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<TeamGroup>, StoreError> {
        let connection = self.database.connection().await?;
        let mut connection: &AsyncPgConnection = &connection;
        let rows = groups::table
            .filter(groups::workspace_id.eq(workspace.uuid()))
            .order((groups::name, groups::id))
            .select(GroupRow::as_select())
            .load::<GroupRow>(&mut connection);
        let in_groups = group_members::table
            .filter(group_members::workspace_id.eq(workspace.uuid()))
            .order(group_members::member_id)
            .select((group_members::group_id, group_members::member_id))
            .load::<(uuid::Uuid, uuid::Uuid)>(&mut connection);
        let (rows, in_groups) = try_join(rows, in_groups).await.map_err(failed)?;
        let mut members: HashMap<uuid::Uuid, Vec<MemberId>> = HashMap::with_capacity(rows.len());
        for (group, member) in in_groups {
            members.entry(group).or_default().push(member.into());
        }
        let read = |row: GroupRow| TeamGroup {
            id: row.id.into(),
            name: row.name,
            members: members.remove(&row.id).unwrap_or_default(),
            created_at: row.created_at,
        };
        Ok(rows.into_iter().map(read).collect())
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        group: &TeamGroup,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<(), GroupError> {
        let transaction = self.database.transaction().await?;
        let known = names_in_turn(&transaction, workspace).await?;
        if known.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
            return Err(GroupError::TooMany);
        }
        if is_taken(&known, group.id, &group.name) {
            return Err(GroupError::NameTaken);
        }
        let mut flight = transaction.flight();
        flight.add(diesel::insert_into(groups::table).values((
            groups::workspace_id.eq(workspace.uuid()),
            groups::id.eq(group.id.uuid()),
            groups::name.eq(&group.name),
            groups::created_at.eq(group.created_at),
        )));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn rename(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<(), GroupError> {
        let transaction = self.database.transaction().await?;
        let known = names_in_turn(&transaction, workspace).await?;
        if known.iter().all(|(id, _)| *id != group.uuid()) {
            return Err(GroupError::Unknown);
        }
        if is_taken(&known, group, name) {
            return Err(GroupError::NameTaken);
        }
        let this = groups::table
            .filter(groups::workspace_id.eq(workspace.uuid()))
            .filter(groups::id.eq(group.uuid()));
        let mut flight = transaction.flight();
        flight.add(diesel::update(this).set(groups::name.eq(name)));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn is_needed(&self, workspace: WorkspaceId, group: GroupId) -> Result<bool, StoreError> {
        is_audience(&self.database, workspace, &NEEDED_IN, &["filter", "group"], group.to_string()).await
    }

    async fn delete(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let its_conversations = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::group_id.eq(group.uuid()));
        let release = diesel::update(its_conversations)
            .set((
                conversations::group_id.eq(None::<uuid::Uuid>),
                conversations::version.eq(conversations::version + 1),
            ))
            .returning(conversations::id)
            .load::<uuid::Uuid>(&mut connection);
        let this = groups::table
            .filter(groups::workspace_id.eq(workspace.uuid()))
            .filter(groups::id.eq(group.uuid()));
        let delete = diesel::delete(this).execute(&mut connection);
        let (released, deleted) = transaction
            .begin_with(try_join(release, delete))
            .await
            .map_err(|error| if is_missing_reference(&error) { StoreError::Stale } else { failed(error) })?;
        if deleted == 0 {
            return Ok(false);
        }
        let about: Vec<_> = released.into_iter().map(|id| (Some(ConversationId::from(id)), None)).collect();
        let mut flight = transaction.flight();
        live::tell(&mut flight, workspace, LiveKind::ConversationChanged, &about);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn put(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let known_group = groups::table
            .filter(groups::workspace_id.eq(workspace.uuid()))
            .filter(groups::id.eq(group.uuid()))
            .select(groups::id)
            .load::<uuid::Uuid>(&mut connection);
        let known_member = members::table
            .filter(members::workspace_id.eq(workspace.uuid()))
            .filter(members::id.eq(member.uuid()))
            .filter(members::left_at.is_null())
            .select(members::id)
            .load::<uuid::Uuid>(&mut connection);
        let (known_group, known_member) =
            transaction.begin_with(try_join(known_group, known_member)).await.map_err(failed)?;
        if known_group.is_empty() || known_member.is_empty() {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        let put = diesel::insert_into(group_members::table).values((
            group_members::workspace_id.eq(workspace.uuid()),
            group_members::group_id.eq(group.uuid()),
            group_members::member_id.eq(member.uuid()),
        ));
        flight.add(put.on_conflict_do_nothing());
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn take(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let this = group_members::table
            .filter(group_members::workspace_id.eq(workspace.uuid()))
            .filter(group_members::group_id.eq(group.uuid()))
            .filter(group_members::member_id.eq(member.uuid()));
        Ok(self.database.change_audited(diesel::delete(this), workspace, entry).await? > 0)
    }
}
