//! The tags of conversations.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, BigInt, Bool, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    conversations::{
        Tag,
        ports::{TagStore, Tagged},
    },
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};

use super::alias::conversation_now;
use crate::{
    PgStore,
    access::write_audit,
    error::failed,
    live::live_change,
    sql::{Bind, sql},
};

pub(super) const TAG: &str = concat!(
    "WITH kept AS (
        SELECT conversation.id, count(tagged.folded) AS count,
               coalesce(bool_or(tagged.folded = $4), false) AS known
        FROM conversations conversation
        LEFT JOIN conversation_tags tagged
          ON tagged.workspace_id = $1 AND tagged.conversation_id = conversation.id
        WHERE conversation.workspace_id = $1 AND conversation.id = ",
    conversation_now!("$2"),
    " GROUP BY conversation.id
    ), added AS (
        INSERT INTO conversation_tags (workspace_id, conversation_id, tag, folded)
        SELECT $1, id, $3, $4 FROM kept WHERE NOT known AND count < $5
        ON CONFLICT DO NOTHING
        RETURNING conversation_id
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT conversation_id, NULL::uuid AS message_id FROM added"
    ),
    " SELECT known OR count < $5 AS fits, EXISTS (SELECT FROM added) AS is_new FROM kept"
);

pub(super) const UNTAG: &str = concat!(
    "WITH removed AS (
        DELETE FROM conversation_tags WHERE workspace_id = $1 AND folded = $3 AND conversation_id = ",
    conversation_now!("$2"),
    " RETURNING conversation_id
    ), ",
    live_change!(
        "told",
        "conversation.changed",
        "SELECT conversation_id, NULL::uuid AS message_id FROM removed"
    ),
    " SELECT FROM removed",
);

/// Conversation by conversation: a plan made for workspaces of an average size would rather read all tags of the workspace.
pub(super) const TAGS: &str = "
    SELECT wanted.id AS conversation_id, tagged.tag FROM unnest($2) AS wanted (id) CROSS JOIN LATERAL (
        SELECT tag FROM conversation_tags WHERE workspace_id = $1 AND conversation_id = wanted.id OFFSET 0
    ) tagged
    ORDER BY tagged.tag COLLATE \"C\"";

#[derive(QueryableByName)]
struct Fits {
    #[diesel(sql_type = Bool)]
    fits: bool,
    #[diesel(sql_type = Bool)]
    is_new: bool,
}

#[derive(QueryableByName)]
struct TagRow {
    #[diesel(sql_type = Uuid)]
    conversation_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    tag: String,
}

#[async_trait]
impl TagStore for PgStore {
    async fn tag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        most: u32,
        entry: Option<AuditEntry>,
    ) -> Result<Tagged, StoreError> {
        let mut transaction = self.begin().await?;
        let row: Option<Fits> = sql(TAG)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(conversation.uuid())
            .bind::<Text, _>(tag.as_str())
            .bind::<Text, _>(tag.folded())
            .bind::<BigInt, _>(i64::from(most))
            .get_result(&mut transaction)
            .await
            .optional()
            .map_err(failed)?;
        let Some(Fits { fits, is_new }) = row else { return Ok(Tagged::NoConversation) };
        if let Some(entry) = entry.filter(|_| is_new) {
            write_audit(&mut transaction, workspace, &entry).await?;
        }
        transaction.commit().await?;
        Ok(if fits { Tagged::Yes } else { Tagged::TooMany })
    }

    async fn untag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let removed = sql(UNTAG)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(conversation.uuid())
            .bind::<Text, _>(tag.folded())
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if removed > 0 {
            write_audit(&mut transaction, workspace, entry).await?;
            transaction.commit().await?;
        }
        Ok(removed > 0)
    }

    async fn tags(
        &self,
        workspace: WorkspaceId,
        conversations: &[ConversationId],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        let ids: Vec<uuid::Uuid> = conversations.iter().map(|id| id.uuid()).collect();
        let mut connection = self.connection().await?;
        let rows: Vec<TagRow> = sql(TAGS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(&ids)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let mut tags: HashMap<uuid::Uuid, Vec<String>> = HashMap::new();
        for row in rows {
            tags.entry(row.conversation_id).or_default().push(row.tag);
        }
        Ok(ids.iter().map(|id| tags.remove(id).unwrap_or_default()).collect())
    }
}
