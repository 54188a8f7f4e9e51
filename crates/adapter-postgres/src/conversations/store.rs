//! The store of conversations.

use async_trait::async_trait;
use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    conversations::{
        Change, Command, Conversation, ConversationFilter, ConversationStatus, DecisionContext,
        ports::{ConversationStore, Departure},
    },
    errors::StoreError,
    ids::{ContactId, ConversationId, GroupId, MemberId, WorkspaceId},
    paging::PageRequest,
};
use time::OffsetDateTime;

use super::{
    alias::conversation_now,
    row::{ConversationRow, conversation},
};
use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

/// The start of a query for conversations, whose first value is the workspace.
macro_rules! conversations {
    () => {
        concat!(
            "SELECT ",
            conversation!(),
            " FROM conversations conversation WHERE conversation.workspace_id = $1"
        )
    };
}

pub(super) const FIND: &str = concat!(conversations!(), " AND conversation.id = ", conversation_now!("$2"));

/// A page of a list: $2 and $3 are the place that it comes after, $4 the earliest time, $5 the rows. What else
/// is asked for has a statement of its own with its own index, so that a plan which is kept suits every page.
macro_rules! page_of {
    ($filter:literal) => {
        concat!(
            conversations!(),
            $filter,
            " AND (conversation.created_at, conversation.id)
                < (coalesce($2, 'infinity'), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
              AND conversation.created_at >= coalesce($4, '-infinity')
              ORDER BY conversation.created_at DESC, conversation.id DESC LIMIT $5"
        )
    };
}

pub(super) const ALL: &str = page_of!("");
pub(super) const OF_STATUS: &str = page_of!(" AND conversation.status = $6");
pub(super) const OF_GROUP: &str = page_of!(" AND conversation.group_id = $7");
pub(super) const OF_GROUP_AND_STATUS: &str =
    page_of!(" AND conversation.group_id = $7 AND conversation.status = $6");
/// A contact has few conversations: what else they must pass is seen by looking at each.
pub(super) const OF_CONTACT: &str = page_of!(
    " AND conversation.contact_id
        = coalesce((SELECT contact_id FROM contact_aliases WHERE workspace_id = $1 AND id = $8), $8)
      AND ($6 IS NULL OR conversation.status = $6)
      AND ($7 IS NULL OR conversation.group_id = $7)"
);

/// The statement for a filter. Each is given every value, those that it does not name included.
pub(super) const fn statement(filter: &ConversationFilter) -> &'static str {
    match (filter.contact, filter.group, filter.status) {
        (Some(_), _, _) => OF_CONTACT,
        (None, Some(_), Some(_)) => OF_GROUP_AND_STATUS,
        (None, Some(_), None) => OF_GROUP,
        (None, None, Some(_)) => OF_STATUS,
        (None, None, None) => ALL,
    }
}

#[async_trait]
impl ConversationStore for PgStore {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<ConversationRow> = sql(statement(&filter))
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Timestamptz>, _>(page.after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>(page.after.map(|after| after.id))
            .bind::<Nullable<Timestamptz>, _>(filter.since)
            .bind::<BigInt, _>(i64::from(page.limit.rows()) + 1)
            .bind::<Nullable<Text>, _>(filter.status.map(ConversationStatus::as_str))
            .bind::<Nullable<Uuid>, _>(filter.group.map(GroupId::uuid))
            .bind::<Nullable<Uuid>, _>(filter.contact.map(ContactId::uuid))
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(ConversationRow::read).collect()
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError> {
        let mut connection = self.connection().await?;
        let row = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .get_result::<ConversationRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(ConversationRow::read).transpose()
    }

    async fn scene(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        command: Command,
    ) -> Result<Option<DecisionContext>, StoreError> {
        self.find_scene(workspace, id, command).await
    }

    async fn commit(&self, workspace: WorkspaceId, change: &Change) -> Result<(), StoreError> {
        self.commit_change(workspace, change).await
    }

    async fn held_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.conversations_held_by(workspace, member).await
    }

    async fn departures(&self, most: u32) -> Result<Vec<Departure>, StoreError> {
        self.departed(most).await
    }

    async fn settle_departure(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        left_until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.forget_departure(workspace, member, left_until).await
    }
}
