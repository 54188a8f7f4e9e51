//! Workspaces of numbers and accounts.

use std::{collections::HashMap, sync::Arc};

use diesel::{ExpressionMethods, QueryDsl, Queryable, Selectable, SelectableHelper};
use domain::{errors::StoreError, ids::WorkspaceId, inbound::ports::NumberRoute};

use crate::{
    error::failed,
    inbound::PgInbound,
    schema::{account_routes, channel_routes},
    sql::RunQueryDsl,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = channel_routes)]
struct NumberRow {
    network_id: String,
    workspace_id: uuid::Uuid,
    channel_id: uuid::Uuid,
    send_only: bool,
    disconnected: bool,
}

impl PgInbound {
    pub(super) async fn find_number_routes(
        &self,
        asked: &[Arc<[String]>],
    ) -> Result<Vec<Vec<Option<NumberRoute>>>, StoreError> {
        let mut network_ids: Vec<&str> =
            asked.iter().flat_map(|ids| ids.iter()).map(String::as_str).collect();
        network_ids.sort_unstable();
        network_ids.dedup();
        let mut connection = self.database.connection().await?;
        let rows = channel_routes::table
            .filter(channel_routes::network_id.eq_any(network_ids))
            .select(NumberRow::as_select())
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
        let mut connection = self.database.connection().await?;
        let rows: Vec<(String, uuid::Uuid)> = account_routes::table
            .filter(account_routes::network_id.eq_any(network_ids))
            .select((account_routes::network_id, account_routes::workspace_id))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let known: HashMap<String, uuid::Uuid> = rows.into_iter().collect();
        Ok(network_ids.iter().map(|id| known.get(id).map(|workspace| (*workspace).into())).collect())
    }
}
