//! Whose numbers and accounts these are.

use std::{collections::HashMap, sync::Arc};

use diesel::{
    QueryableByName,
    sql_types::{Array, Bool, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{errors::StoreError, ids::WorkspaceId, inbound::ports::NumberRoute};

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

pub(super) const NUMBER_ROUTES: &str =
    "SELECT network_id, workspace_id, channel_id, send_only, disconnected FROM channel_routes
     WHERE network_id = ANY($1)";

pub(super) const ACCOUNT_ROUTES: &str =
    "SELECT network_id, workspace_id FROM account_routes WHERE network_id = ANY($1)";

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    send_only: bool,
    #[diesel(sql_type = Bool)]
    disconnected: bool,
}

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
}

impl PgStore {
    pub(super) async fn find_number_routes(
        &self,
        asked: &[Arc<[String]>],
    ) -> Result<Vec<Vec<Option<NumberRoute>>>, StoreError> {
        let mut network_ids: Vec<&str> =
            asked.iter().flat_map(|ids| ids.iter()).map(String::as_str).collect();
        network_ids.sort_unstable();
        network_ids.dedup();
        let mut connection = self.connection().await?;
        let rows: Vec<NumberRow> = sql(NUMBER_ROUTES)
            .bind::<Array<Text>, _>(network_ids)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let route = |row: NumberRow| {
            let route = NumberRoute {
                workspace: row.workspace_id.into(),
                channel: row.channel_id.into(),
                send_only: row.send_only,
                disconnected: row.disconnected,
            };
            (row.network_id, route)
        };
        let known: HashMap<String, NumberRoute> = rows.into_iter().map(route).collect();
        let routes = |ids: &Arc<[String]>| ids.iter().map(|id| known.get(id).copied()).collect();
        Ok(asked.iter().map(routes).collect())
    }

    pub(super) async fn find_account_routes(
        &self,
        network_ids: &[String],
    ) -> Result<Vec<Option<WorkspaceId>>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<AccountRow> = sql(ACCOUNT_ROUTES)
            .bind::<Array<Text>, _>(network_ids)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let known: HashMap<String, WorkspaceId> =
            rows.into_iter().map(|row| (row.network_id, row.workspace_id.into())).collect();
        Ok(network_ids.iter().map(|id| known.get(id).copied()).collect())
    }
}
