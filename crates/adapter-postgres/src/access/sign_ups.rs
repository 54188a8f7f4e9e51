//! Sign-ups at the network that sessions have begun.

use async_trait::async_trait;
use diesel::ExpressionMethods;
use diesel::QueryDsl;
use domain::{
    channels::ports::SignUpStates,
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};
use time::OffsetDateTime;

use super::PgAccess;
use crate::{error::failed, schema::sessions, sql::RunQueryDsl};

#[async_trait]
impl SignUpStates for PgAccess {
    async fn begin_sign_up(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        hash: [u8; 32],
        until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let this = sessions::table
            .filter(sessions::workspace_id.eq(workspace.uuid()))
            .filter(sessions::member_id.eq(member.uuid()))
            .filter(sessions::id.eq(session.uuid()));
        diesel::update(this)
            .set((sessions::sign_up_hash.eq(hash.as_slice()), sessions::sign_up_until.eq(until)))
            .execute(&mut connection)
            .await
            .map(drop)
            .map_err(failed)
    }

    async fn end_sign_up(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        hash: [u8; 32],
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let this = sessions::table
            .filter(sessions::workspace_id.eq(workspace.uuid()))
            .filter(sessions::member_id.eq(member.uuid()))
            .filter(sessions::id.eq(session.uuid()))
            .filter(sessions::sign_up_hash.eq(hash.as_slice()))
            .filter(sessions::sign_up_until.gt(now));
        let nothing =
            (sessions::sign_up_hash.eq(None::<Vec<u8>>), sessions::sign_up_until.eq(None::<OffsetDateTime>));
        let ended = diesel::update(this).set(nothing).execute(&mut connection).await.map_err(failed)?;
        Ok(ended > 0)
    }
}
