//! Canned replies.

#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    canned_replies::{CannedReply, CannedReplyError, Shortcut, ports::CannedReplyStore},
    errors::StoreError,
    ids::{CannedReplyId, WorkspaceId},
    live::LiveKind,
};
use time::OffsetDateTime;

use crate::{
    Database, bounds,
    error::{failed, is_duplicate, unreadable},
    live,
    schema::canned_replies,
    sql::{RunQueryDsl, storable},
    transaction::Transaction,
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

async fn commit_told(transaction: &Transaction, workspace: WorkspaceId) -> Result<(), StoreError> {
    let mut flight = transaction.flight();
    live::tell(&mut flight, workspace, LiveKind::CannedRepliesChanged, &[(None, None)]);
    transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
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
    ) -> Result<(), CannedReplyError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let known = canned_replies::table
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .count()
            .get_result::<i64>(&mut connection);
        if !bounds::has_room(&transaction, workspace, known, most).await? {
            return Err(CannedReplyError::TooMany);
        }
        let add = diesel::insert_into(canned_replies::table)
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
            .execute(&mut connection);
        if transaction.send(add).await.map_err(failed)? == 0 {
            return Err(CannedReplyError::Taken);
        }
        commit_told(&transaction, workspace).await?;
        Ok(())
    }

    async fn replace(&self, workspace: WorkspaceId, reply: &CannedReply) -> Result<(), CannedReplyError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let replace = diesel::update(canned_replies::table)
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .filter(canned_replies::id.eq(reply.id.uuid()))
            .set((
                canned_replies::shortcut.eq(reply.shortcut.as_str()),
                canned_replies::folded.eq(reply.shortcut.folded()),
                canned_replies::text.eq(storable(&reply.text)),
                canned_replies::author_id.eq(reply.author.uuid()),
                canned_replies::changed_at.eq(reply.changed_at),
            ))
            .execute(&mut connection);
        match transaction.begin_with(replace).await {
            Ok(0) => Err(CannedReplyError::Unknown),
            Ok(_) => {
                commit_told(&transaction, workspace).await?;
                Ok(())
            }
            Err(error) if is_duplicate(&error) => Err(CannedReplyError::Taken),
            Err(error) => Err(failed(error).into()),
        }
    }

    async fn remove(&self, workspace: WorkspaceId, reply: CannedReplyId) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let remove = diesel::delete(canned_replies::table)
            .filter(canned_replies::workspace_id.eq(workspace.uuid()))
            .filter(canned_replies::id.eq(reply.uuid()))
            .execute(&mut connection);
        if transaction.begin_with(remove).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        commit_told(&transaction, workspace).await?;
        Ok(true)
    }
}
