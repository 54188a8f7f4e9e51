//! Workspaces' own keys to the language model.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use domain::{
    assistant::{KeptModelKey, ModelKey, ModelKeyState, ports::ModelKeyStore},
    audit::AuditEntry,
    errors::StoreError,
    ids::{ModelKeyId, WorkspaceId},
};
use time::OffsetDateTime;

use super::PgAssistants;
use crate::{
    audit::audit,
    error::{failed, locked, unreadable},
    places,
    schema::model_keys,
    sql::{RunQueryDsl, insert},
};

#[async_trait]
impl ModelKeyStore for PgAssistants {
    async fn open(&self, workspace: WorkspaceId) -> Result<Option<KeptModelKey>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(uuid::Uuid, Vec<u8>, Option<OffsetDateTime>)> = model_keys::table
            .filter(model_keys::workspace_id.eq(workspace.uuid()))
            .select((model_keys::id, model_keys::key_sealed, model_keys::refused_at))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((id, sealed, refused_at)) = row else { return Ok(None) };
        let id = ModelKeyId::from(id);
        let key = self.database.vault.open(&sealed, &places::model_key(workspace, id)).map_err(locked)?;
        let key = String::from_utf8(key).ok().and_then(|key| ModelKey::parse(&key).ok());
        Ok(Some(KeptModelKey { id, key: key.ok_or_else(|| unreadable("key of a model"))?, refused_at }))
    }

    async fn state(&self, workspace: WorkspaceId) -> Result<Option<ModelKeyState>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row: Option<(OffsetDateTime, Option<OffsetDateTime>)> = model_keys::table
            .filter(model_keys::workspace_id.eq(workspace.uuid()))
            .select((model_keys::set_at, model_keys::refused_at))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(row.map(|(set_at, refused_at)| ModelKeyState { set_at: Some(set_at), refused_at }))
    }

    async fn keep(
        &self,
        workspace: WorkspaceId,
        kept: &KeptModelKey,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let place = places::model_key(workspace, kept.id);
        let sealed = self.database.vault.seal(kept.key.reveal().as_bytes(), &place).map_err(locked)?;
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        let rows = [kept];
        flight.insert(
            insert(model_keys::table, workspace, &rows)
                .column(model_keys::id, |kept| kept.id.uuid())
                .column(model_keys::key_sealed, |_| sealed.clone())
                .column(model_keys::set_at, |_| entry.at)
                .column(model_keys::refused_at, |kept| kept.refused_at)
                .on_conflict(())
                .set_excluded(model_keys::id)
                .set_excluded(model_keys::key_sealed)
                .set_excluded(model_keys::set_at)
                .set_excluded(model_keys::refused_at),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed).map(drop)
    }

    async fn set_refused(
        &self,
        workspace: WorkspaceId,
        key: ModelKeyId,
        refused_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        diesel::update(model_keys::table)
            .filter(model_keys::workspace_id.eq(workspace.uuid()))
            .filter(model_keys::id.eq(key.uuid()))
            .set(model_keys::refused_at.eq(refused_at))
            .execute(&mut connection)
            .await
            .map_err(failed)
            .map(drop)
    }

    async fn remove(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<bool, StoreError> {
        let gone = diesel::delete(model_keys::table).filter(model_keys::workspace_id.eq(workspace.uuid()));
        Ok(self.database.change_audited(gone, workspace, entry).await? > 0)
    }
}
