//! Files that people of the team bring to send.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    attachments::{
        ObjectKey,
        ports::{KeptUpload, NewUpload, Room, UploadStore, Waiting},
    },
    errors::StoreError,
    ids::{MemberId, UploadId, WorkspaceId},
};
use time::OffsetDateTime;

use super::stored::StoredRow;
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
    webhooks::LOCK_WORKSPACE,
};

/// What waits to be sent, of at most so many files: more cannot be let in. What still comes counts with what is kept free
/// for it.
pub(super) const WAITING: &str = "
    SELECT count(*) AS files, coalesce(sum(coalesce(bytes, reserved)), 0)::bigint AS bytes
    FROM (SELECT bytes, reserved FROM uploads WHERE workspace_id = $1 AND message_id IS NULL LIMIT $2) unused";

pub(super) const BEGIN: &str = "
    INSERT INTO uploads (workspace_id, id, member_id, kind, content_type, title, object_key, created_at, reserved)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub(super) const FINISH: &str =
    "UPDATE uploads SET bytes = $3 WHERE workspace_id = $1 AND id = $2 AND message_id IS NULL";

pub(super) const REMOVE: &str =
    "DELETE FROM uploads WHERE workspace_id = $1 AND id = $2 AND message_id IS NULL";

/// `OFFSET 0` keeps all files of the member from being read.
pub(super) const FIND: &str = "
    SELECT kind, content_type, title, object_key, bytes, message_id IS NOT NULL AS is_used
    FROM (SELECT * FROM uploads WHERE workspace_id = $1 AND id = $2 OFFSET 0) upload
    WHERE member_id = $3 AND bytes IS NOT NULL
      AND (message_id IS NOT NULL OR created_at > $4)";

/// One look at the index for each workspace, however much there is.
pub(super) const WITH_UNUSED: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM uploads
        WHERE uploads.workspace_id = workspace.workspace_id AND message_id IS NULL AND created_at < $1)";

pub(super) const UNUSED: &str = "
    SELECT id, object_key FROM uploads
    WHERE workspace_id = $1 AND message_id IS NULL AND created_at < $2
    ORDER BY created_at, id LIMIT $3";

#[derive(QueryableByName)]
struct WaitingRow {
    #[diesel(sql_type = BigInt)]
    files: i64,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    content_type: String,
    #[diesel(sql_type = Nullable<Text>)]
    title: Option<String>,
    #[diesel(sql_type = Text)]
    object_key: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    bytes: Option<i64>,
    #[diesel(sql_type = Bool)]
    is_used: bool,
}

#[derive(QueryableByName)]
struct UnusedRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    object_key: String,
}

#[async_trait]
impl UploadStore for PgStore {
    async fn begin(
        &self,
        workspace: WorkspaceId,
        upload: &NewUpload,
        now: OffsetDateTime,
        most: Waiting,
    ) -> Result<Room, StoreError> {
        let reserved = bigint(upload.reserved)?;
        let mut transaction = self.begin().await?;
        // Those that come at the same time are counted one after the other.
        let locked = sql(LOCK_WORKSPACE).bind::<Uuid, _>(workspace.uuid());
        locked.execute(&mut *transaction).await.map_err(failed)?;
        let waiting: WaitingRow = sql(WAITING)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<BigInt, _>(i64::from(most.files))
            .get_result(&mut *transaction)
            .await
            .map_err(failed)?;
        if waiting.files >= i64::from(most.files) {
            return Ok(Room::TooMany);
        }
        if waiting.bytes.saturating_add(reserved) > bigint(most.bytes)? {
            return Ok(Room::TooManyBytes);
        }
        sql(BEGIN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(upload.id.uuid())
            .bind::<Uuid, _>(upload.member.uuid())
            .bind::<Text, _>(upload.kind.as_str())
            .bind::<Text, _>(upload.content_type.as_str())
            .bind::<Nullable<Text>, _>(upload.title.as_deref())
            .bind::<Text, _>(upload.key.as_str())
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(reserved)
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
        transaction.commit().await?;
        Ok(Room::Found)
    }

    async fn finish(&self, workspace: WorkspaceId, id: UploadId, bytes: u64) -> Result<(), StoreError> {
        let bytes = bigint(bytes)?;
        let mut connection = self.connection().await?;
        let finished = sql(FINISH)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<BigInt, _>(bytes)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        if finished == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }

    async fn remove(&self, workspace: WorkspaceId, id: UploadId) -> Result<(), StoreError> {
        self.change_one(REMOVE, workspace, id.uuid()).await
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        id: UploadId,
        since: OffsetDateTime,
    ) -> Result<Option<KeptUpload>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<FoundRow> = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Timestamptz, _>(since)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(FoundRow::read).transpose()
    }

    async fn workspaces_with_unused(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.workspaces(WITH_UNUSED, before).await
    }

    async fn unused(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<(UploadId, ObjectKey)>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<UnusedRow> = sql(UNUSED)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(before)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let read = |row: UnusedRow| {
            let key = ObjectKey::read(&row.object_key).ok_or_else(|| unreadable("object key"))?;
            Ok((row.id.into(), key))
        };
        rows.into_iter().map(read).collect()
    }
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
        Ok(KeptUpload { file: stored.read()?, is_used: self.is_used })
    }
}
