//! Plans that are made for the largest workspace, not for the average one.
//!
//! PostgreSQL believes that the workspaces share a table evenly. Where most are small, it finds rows by their keys by
//! going through all of their workspace's, which in a large one is very many. Told that there is one workspace, it
//! counts with as many rows as the largest is known to have. Where tables are distributed this cannot be told, and plans
//! are made by values there.

use tokio_postgres::Client;

use super::MigrateError;

/// Tables of workspaces that it was not told of. What is kept by days is left out: it comes and goes.
const UNTOLD: &str = "
    SELECT tenant.relname::text FROM pg_catalog.pg_class tenant
    JOIN pg_catalog.pg_attribute workspace ON workspace.attrelid = tenant.oid AND workspace.attname = 'workspace_id'
    WHERE tenant.relkind = 'r' AND NOT tenant.relispartition AND tenant.relname <> 'workspaces'
      AND tenant.relnamespace = current_schema()::regnamespace
      AND NOT 'n_distinct=1' = ANY (coalesce(workspace.attoptions, '{}'))
    ORDER BY tenant.relname";

/// Tells of each. A table can be used meanwhile; it counts from when it is analyzed next.
pub(super) async fn tell(client: &Client) -> Result<(), MigrateError> {
    for row in client.query(UNTOLD, &[]).await? {
        let table: String = row.try_get(0)?;
        let told = format!("ALTER TABLE {table} ALTER COLUMN workspace_id SET (n_distinct = 1)");
        client.batch_execute(&told).await?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use super::UNTOLD;
    use crate::{explained::client, testing::Database};

    #[tokio::test]
    async fn every_table_of_workspaces_is_planned_for_the_largest() {
        let database = Database::fresh().await;
        let client = client(&database).await;
        assert_eq!(client.query(UNTOLD, &[]).await.unwrap().len(), 0);
        client.batch_execute("CREATE TABLE another (workspace_id uuid PRIMARY KEY)").await.unwrap();
        assert_eq!(client.query(UNTOLD, &[]).await.unwrap().len(), 1);
    }
}
