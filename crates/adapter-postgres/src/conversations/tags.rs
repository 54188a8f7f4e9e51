//! The tags of conversations.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName,
    dsl::array,
    sql_types::{BigInt, Text},
};
use domain::{
    audit::AuditEntry,
    conversations::{TagError, ports::TagStore},
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    live::LiveKind,
    tag::Tag,
};
use futures_util::future::try_join;

use super::alias::current_conversation;
use crate::{
    audit::audit,
    conversations::PgConversations,
    error::failed,
    live::tell,
    schema::{conversation_tags, conversations},
    sql::{RunQueryDsl, statement},
};

/// Jumps from tag to tag along their index, at a cost of the number of tags and not of conversations.
pub(super) const IN_USE: &str = "
    WITH RECURSIVE used AS (
        (SELECT folded, tag FROM conversation_tags WHERE workspace_id = :workspace
         ORDER BY folded, conversation_id LIMIT 1)
        UNION ALL
        SELECT next.folded, next.tag FROM used CROSS JOIN LATERAL (
            SELECT folded, tag FROM conversation_tags
            WHERE workspace_id = :workspace AND folded > used.folded
            ORDER BY folded, conversation_id LIMIT 1
        ) next
    )
    SELECT tag FROM used LIMIT :most";

#[derive(QueryableByName)]
struct UsedRow {
    #[diesel(sql_type = Text)]
    tag: String,
}

#[async_trait]
impl TagStore for PgConversations {
    async fn tag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        most: u32,
        entry: Option<AuditEntry>,
    ) -> Result<(), TagError> {
        let transaction = self.database.transaction().await?;
        // Changes of the tags, and moves of the conversation, wait here: what was read stays true.
        let tagged = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(current_conversation(workspace, conversation)))
            .select(conversations::id)
            .for_no_key_update()
            .get_result::<uuid::Uuid>(&mut &*transaction);
        let known = conversation_tags::table
            .filter(conversation_tags::workspace_id.eq(workspace.uuid()))
            .filter(conversation_tags::conversation_id.eq(current_conversation(workspace, conversation)))
            .select(conversation_tags::folded)
            .load::<Option<String>>(&mut &*transaction);
        let found = transaction.begin_with(try_join(tagged, known)).await.optional().map_err(failed)?;
        let Some((tagged, known)) = found else { return Err(TagError::NotFound) };
        let known: Vec<String> = known.into_iter().flatten().collect();
        if known.iter().any(|known| *known == tag.folded()) {
            return Ok(());
        }
        if u32::try_from(known.len()).is_ok_and(|count| count >= most) {
            return Err(TagError::TooMany);
        }
        let mut flight = transaction.flight();
        flight.add(
            diesel::insert_into(conversation_tags::table)
                .values((
                    conversation_tags::workspace_id.eq(workspace.uuid()),
                    conversation_tags::conversation_id.eq(tagged),
                    conversation_tags::tag.eq(tag.as_str()),
                    conversation_tags::folded.eq(tag.folded()),
                ))
                .on_conflict_do_nothing(),
        );
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &[(Some(tagged.into()), None)]);
        if let Some(entry) = &entry {
            audit(&mut flight, workspace, entry);
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }

    async fn untag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let removed = diesel::delete(conversation_tags::table)
            .filter(conversation_tags::workspace_id.eq(workspace.uuid()))
            .filter(conversation_tags::folded.eq(tag.folded()))
            .filter(conversation_tags::conversation_id.eq(current_conversation(workspace, conversation)))
            .returning(conversation_tags::conversation_id)
            .get_result::<uuid::Uuid>(&mut &*transaction);
        let removed = transaction.begin_with(removed).await.optional().map_err(failed)?;
        let Some(untagged) = removed else { return Ok(false) };
        let mut flight = transaction.flight();
        tell(&mut flight, workspace, LiveKind::ConversationChanged, &[(Some(untagged.into()), None)]);
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn tags_in_use(&self, workspace: WorkspaceId, most: u32) -> Result<Vec<String>, StoreError> {
        let mut connection = self.database.connection().await?;
        let used = statement(IN_USE).of(workspace).bind::<BigInt, _>("most", i64::from(most));
        let rows: Vec<UsedRow> = used.load(&mut connection).await.map_err(failed)?;
        Ok(rows.into_iter().map(|row| row.tag).collect())
    }

    async fn tags(
        &self,
        workspace: WorkspaceId,
        of: &[ConversationId],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        let ids: Vec<uuid::Uuid> = of.iter().map(|id| id.uuid()).collect();
        let mut connection = self.database.connection().await?;
        // Each conversation by its key: for several at once, the planner may read all that the workspace has.
        let its_tags = conversation_tags::table
            .filter(conversation_tags::workspace_id.eq(workspace.uuid()))
            .filter(conversation_tags::conversation_id.eq(conversations::id))
            .select(conversation_tags::tag);
        let rows: Vec<(uuid::Uuid, Vec<String>)> = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq_any(&ids))
            .select((conversations::id, array::<Text, _>(its_tags)))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let mut tags: HashMap<uuid::Uuid, Vec<String>> = rows.into_iter().collect();
        for tags in tags.values_mut() {
            tags.sort_unstable();
        }
        Ok(ids.iter().map(|id| tags.remove(id).unwrap_or_default()).collect())
    }
}
