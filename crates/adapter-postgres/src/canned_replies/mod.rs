//! Canned replies.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::RunQueryDsl;
use domain::{
    canned_replies::{
        CannedReply, Shortcut,
        ports::{CannedReplyStore, Written},
    },
    errors::StoreError,
    ids::{CannedReplyId, WorkspaceId},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use crate::{
    Database, bounds,
    error::{failed, is_duplicate, unreadable},
    schema::canned_replies,
    sql::storable,
};

/// Canned replies.
#[derive(Clone)]
pub struct PgCannedReplies {
    pub(crate) database: Database,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = canned_replies)]
struct ReplyRow {
    id: uuid::Uuid,
    shortcut: String,
    text: String,
    author_id: uuid::Uuid,
    changed_at: OffsetDateTime,
}

impl ReplyRow {
    fn read(self) -> Result<CannedReply, StoreError> {
        Ok(CannedReply {
            id: self.id.into(),
            shortcut: Shortcut::read(&self.shortcut).ok_or_else(|| unreadable("shortcut"))?,
            text: self.text,
            author: self.author_id.into(),
            changed_at: self.changed_at,
        })
    }
}

#[async_trait]
impl CannedReplyStore for PgCannedReplies {
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<CannedReply>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows = canned_replies::table
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .order(canned_replies::folded)
            .select(ReplyRow::as_select())
            .load::<ReplyRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(ReplyRow::read).collect()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        reply: &CannedReply,
        most: u32,
    ) -> Result<Written, StoreError> {
        let transaction = self.database.transaction().await?;
        let held = bounds::in_turn(&transaction, workspace);
        let known = canned_replies::table
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .count()
            .get_result::<i64>(&mut &*transaction);
        let (_, known) = transaction.begin_with(try_join(held, known)).await.map_err(failed)?;
        if known >= i64::from(most) {
            return Ok(Written::TooMany);
        }
        let added = diesel::insert_into(canned_replies::table)
            .values((
                canned_replies::workspace_id.eq(workspace.uuid()),
                canned_replies::id.eq(reply.id.uuid()),
                canned_replies::shortcut.eq(reply.shortcut.as_str()),
                canned_replies::folded.eq(reply.shortcut.folded()),
                canned_replies::text.eq(storable(&reply.text)),
                canned_replies::author_id.eq(reply.author.uuid()),
                canned_replies::changed_at.eq(reply.changed_at),
            ))
            .on_conflict((canned_replies::workspace_id, canned_replies::folded))
            .do_nothing()
            .execute(&mut &*transaction);
        let added = transaction.commit_with(added).await.map_err(failed)?;
        Ok(if added > 0 { Written::Yes } else { Written::Taken })
    }

    async fn replace(&self, workspace: WorkspaceId, reply: &CannedReply) -> Result<Written, StoreError> {
        let mut connection = self.database.connection().await?;
        let replaced = diesel::update(canned_replies::table)
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .filter(canned_replies::id.eq(reply.id.uuid()))
            .set((
                canned_replies::shortcut.eq(reply.shortcut.as_str()),
                canned_replies::folded.eq(reply.shortcut.folded()),
                canned_replies::text.eq(storable(&reply.text)),
                canned_replies::author_id.eq(reply.author.uuid()),
                canned_replies::changed_at.eq(reply.changed_at),
            ))
            .execute(&mut connection)
            .await;
        match replaced {
            Ok(0) => Ok(Written::Unknown),
            Ok(_) => Ok(Written::Yes),
            Err(error) if is_duplicate(&error) => Ok(Written::Taken),
            Err(error) => Err(failed(error)),
        }
    }

    async fn remove(&self, workspace: WorkspaceId, reply: CannedReplyId) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let removed = diesel::delete(canned_replies::table)
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .filter(canned_replies::id.eq(reply.uuid()))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(removed > 0)
    }
}
