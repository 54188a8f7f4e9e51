//! Who has left and may still hold conversations.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    conversations::ports::Departure,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

pub(super) const DEPARTED: &str =
    "SELECT workspace_id, member_id, removed_by FROM departures ORDER BY left_at LIMIT $1";

pub(super) const SETTLE: &str = "
    DELETE FROM departures
    WHERE workspace_id = $1 AND member_id = $2 AND left_at <= $3 AND NOT EXISTS (
        SELECT FROM conversations WHERE workspace_id = $1 AND assigned_to = $2)";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    member_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    removed_by: uuid::Uuid,
}

impl PgStore {
    pub(super) async fn departed(&self, most: u32) -> Result<Vec<Departure>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<Row> = sql(DEPARTED)
            .bind::<BigInt, _>(i64::from(most))
            .get_results(&mut connection)
            .await
            .map_err(failed)?;
        let read = |Row { workspace_id, member_id, removed_by }| Departure {
            workspace: workspace_id.into(),
            member: member_id.into(),
            removed_by: removed_by.into(),
        };
        Ok(rows.into_iter().map(read).collect())
    }

    pub(super) async fn forget_departure(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        left_until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let settled = sql(SETTLE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(member.uuid())
            .bind::<Timestamptz, _>(left_until)
            .execute(&mut connection)
            .await;
        settled.map_err(failed).map(drop)
    }
}
