//! Files that members upload to send.

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable,
    SelectableHelper, dsl::exists,
};
use diesel_async::AsyncPgConnection;
use domain::{
    attachments::{
        ObjectKey, StoredAttachment,
        ports::{KeptUpload, NewUpload, UnusedPlace, UnusedUpload, UploadError, UploadLimit, UploadStore},
    },
    errors::StoreError,
    ids::{MemberId, MessageId, UploadId, WorkspaceId},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::stored::StoredRow;
use crate::{
    attachments::PgAttachments,
    bounds,
    error::failed,
    schema::{uploads, workspaces},
    sql::RunQueryDsl,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = uploads)]
struct FoundRow {
    member_id: uuid::Uuid,
    kind: String,
    content_type: String,
    title: Option<String>,
    object_key: String,
    bytes: Option<i64>,
    created_at: OffsetDateTime,
    message_id: Option<uuid::Uuid>,
}

#[async_trait]
impl UploadStore for PgAttachments {
    async fn begin(
        &self,
        workspace: WorkspaceId,
        upload: &NewUpload,
        now: OffsetDateTime,
        most: UploadLimit,
    ) -> Result<(), UploadError> {
        let reserved = bigint(upload.reserved)?;
        let transaction = self.database.transaction().await?;
        let held = bounds::in_turn(&transaction, workspace);
        let workspace = workspace.uuid();
        // At the limit nothing more is let in, so more rows need not be read.
        let waiting = uploads::table
            .filter(uploads::workspace_id.eq(workspace))
            .filter(uploads::message_id.is_null())
            .select((uploads::bytes, uploads::reserved))
            .limit(i64::from(most.files))
            .load::<(Option<i64>, Option<i64>)>(&mut &*transaction);
        let (_, waiting) = transaction.begin_with(try_join(held, waiting)).await.map_err(failed)?;
        if waiting.len() >= usize::try_from(most.files).unwrap_or(usize::MAX) {
            return Err(UploadError::TooMany);
        }
        // An upload that is still coming counts with its reserved size.
        let bytes = waiting.into_iter().filter_map(|(bytes, reserved)| bytes.or(reserved));
        let bytes = bytes.fold(reserved, i64::saturating_add);
        if bytes > bigint(most.bytes)? {
            return Err(UploadError::TooManyBytes);
        }
        let begun = diesel::insert_into(uploads::table)
            .values((
                uploads::workspace_id.eq(workspace),
                uploads::id.eq(upload.id.uuid()),
                uploads::member_id.eq(upload.member.uuid()),
                uploads::kind.eq(upload.kind.as_str()),
                uploads::content_type.eq(upload.content_type.as_str()),
                uploads::title.eq(upload.title.as_deref()),
                uploads::object_key.eq(upload.key.as_str()),
                uploads::created_at.eq(now),
                uploads::reserved.eq(reserved),
            ))
            .execute(&mut &*transaction);
        transaction.commit_with(begun).await.map_err(failed)?;
        Ok(())
    }

    async fn finish(&self, workspace: WorkspaceId, id: UploadId, bytes: u64) -> Result<(), StoreError> {
        let bytes = bigint(bytes)?;
        let mut connection = self.database.connection().await?;
        let upload = uploads::table.find((workspace.uuid(), id.uuid()));
        let finished = diesel::update(upload.filter(uploads::message_id.is_null()))
            .set(uploads::bytes.eq(bytes))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        if finished == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }

    async fn remove(&self, workspace: WorkspaceId, id: UploadId) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let upload = uploads::table.find((workspace.uuid(), id.uuid()));
        diesel::delete(upload.filter(uploads::message_id.is_null()))
            .execute(&mut connection)
            .await
            .map(drop)
            .map_err(failed)
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        id: UploadId,
        since: OffsetDateTime,
    ) -> Result<Option<KeptUpload>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = uploads::table
            .find((workspace.uuid(), id.uuid()))
            .select(FoundRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let is_theirs = |row: &FoundRow| row.member_id == member.uuid() && row.bytes.is_some();
        let is_kept = |row: &FoundRow| row.message_id.is_some() || row.created_at > since;
        row.filter(is_theirs).filter(is_kept).map(FoundRow::read).transpose()
    }

    async fn workspaces_with_unused(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up in the index for each workspace, however much there is.
        let unused = uploads::table
            .filter(uploads::workspace_id.eq(workspaces::workspace_id))
            .filter(uploads::message_id.is_null())
            .filter(uploads::created_at.lt(before));
        self.database.workspaces(exists(unused)).await
    }

    async fn unused(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
        after: Option<UnusedPlace>,
        limit: u32,
    ) -> Result<Vec<UnusedUpload>, StoreError> {
        let (from, id) = after.map_or((OffsetDateTime::UNIX_EPOCH, uuid::Uuid::nil()), |after| {
            (after.brought_at, after.id.uuid())
        });
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, OffsetDateTime, String)> = uploads::table
            .filter(uploads::workspace_id.eq(workspace.uuid()))
            .filter(uploads::message_id.is_null())
            .filter(uploads::created_at.lt(before))
            .filter(uploads::created_at.ge(from))
            .filter(uploads::created_at.gt(from).or(uploads::id.gt(id)))
            .order((uploads::created_at, uploads::id))
            .limit(i64::from(limit))
            .select((uploads::id, uploads::created_at, uploads::object_key))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |(id, brought_at, key): (uuid::Uuid, OffsetDateTime, String)| UnusedUpload {
            id: id.into(),
            brought_at,
            key: ObjectKey::read(&key),
        };
        Ok(rows.into_iter().map(read).collect())
    }
}

pub(crate) async fn files_of(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    message: MessageId,
) -> Result<Vec<StoredAttachment>, StoreError> {
    let rows: Vec<FoundRow> = uploads::table
        .filter(uploads::workspace_id.eq(workspace.uuid()))
        .filter(uploads::message_id.eq(message.uuid()))
        .select(FoundRow::as_select())
        .load(&mut connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(|row| Ok(row.read()?.file)).collect()
}

fn bigint(bytes: u64) -> Result<i64, StoreError> {
    i64::try_from(bytes).map_err(|error| StoreError::Internal(error.to_string()))
}

impl FoundRow {
    fn read(self) -> Result<KeptUpload, StoreError> {
        let stored = StoredRow {
            kind: self.kind,
            key: Some(self.object_key),
            content_type: Some(self.content_type),
            bytes: self.bytes.and_then(|bytes| u64::try_from(bytes).ok()),
            title: self.title,
        };
        Ok(KeptUpload { file: stored.read()?, is_used: self.message_id.is_some() })
    }
}
