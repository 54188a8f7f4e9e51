//! Distribution of workspaces' tables over the workers of a Citus cluster.
//!
//! Tables whose key begins with `workspace_id` are distributed by it and colocated, so that all rows of a
//! workspace are on one node. All others are read before the workspace is known, or belong to none, and stay
//! on the coordinator.

use tokio_postgres::Client;

use super::MigrateError;
use crate::sql::bare;

/// Setting for sessions that change tables which reference one another: one shard after the other.
pub(super) const ONE_BY_ONE: &str = "SET citus.multi_shard_modify_mode = 'sequential'";

const HAS_EXTENSION: &str =
    "SELECT count(*) > 0 AS holds FROM pg_catalog.pg_extension WHERE extname = 'citus'";

const IN_CLUSTER: &str = "SELECT citus_is_coordinator(), EXISTS (
    SELECT 1 FROM pg_catalog.pg_dist_node
    WHERE groupid <> 0 AND isactive AND shouldhaveshards AND noderole = 'primary')";

/// Number of shards of `workspaces`; 0 if it is not distributed.
const SHARDS: &str =
    "SELECT count(*) FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_partition USING (logicalrelid)
    WHERE logicalrelid = to_regclass('workspaces') AND partmethod = 'h'";

/// The next table to distribute, whose referenced tables are all distributed. `workspaces` comes first.
const NEXT: &str = "
    SELECT tenant.relname::text FROM pg_catalog.pg_class tenant
    JOIN pg_catalog.pg_index own ON own.indrelid = tenant.oid AND own.indisprimary
    JOIN pg_catalog.pg_attribute first ON first.attrelid = tenant.oid AND first.attnum = own.indkey[0]
    WHERE first.attname = 'workspace_id' AND tenant.relkind IN ('r', 'p') AND NOT tenant.relispartition
      AND tenant.relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (
          SELECT 1 FROM pg_catalog.pg_dist_partition done WHERE done.logicalrelid = tenant.oid AND done.partmethod = 'h')
      AND NOT EXISTS (
          SELECT 1 FROM pg_catalog.pg_constraint reference
          WHERE reference.conrelid = tenant.oid AND reference.contype = 'f' AND reference.confrelid <> tenant.oid
            AND NOT EXISTS (
                SELECT 1 FROM pg_catalog.pg_dist_partition done
                WHERE done.logicalrelid = reference.confrelid AND done.partmethod = 'h'))
    ORDER BY tenant.relname <> 'workspaces', tenant.relname LIMIT 1";

/// Only the first table may set the number of shards, for all. NULL stands for the cluster's setting.
const DISTRIBUTE: &str = "SELECT create_distributed_table(
    :table::text::regclass, 'workspace_id', colocate_with => :beside::text, shard_count => :shards::integer)";

/// The schema's functions that workers lack, since they were made before the extension.
const UNKNOWN_FUNCTIONS: &str = "SELECT create_distributed_function(own.oid::regprocedure) FROM pg_catalog.pg_proc own
    WHERE own.pronamespace = current_schema()::regnamespace AND own.prokind = 'f'
      AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend part
                      WHERE part.classid = 'pg_proc'::regclass AND part.objid = own.oid AND part.deptype = 'e')
      AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_object known
                      WHERE known.classid = 'pg_proc'::regclass AND known.objid = own.oid)";

/// Removes the copies of distributed rows from the coordinator, where nobody reads or changes them any more,
/// and where later migrations would fail on them. Truncates a table together with those that reference it.
const LEFT_BEHIND: &str = "SELECT truncate_local_data_after_distributing_table(logicalrelid)
    FROM pg_catalog.pg_dist_partition WHERE partmethod = 'h' AND pg_relation_size(logicalrelid) > 0";

pub(super) async fn is_distributed(client: &Client) -> Result<bool, MigrateError> {
    Ok(holds(client, HAS_EXTENSION).await? && count_shards(client).await? > 0)
}

/// Checks that the tables can be distributed, into this number of shards.
pub(super) async fn check(client: &Client, shards: Option<u16>) -> Result<(), MigrateError> {
    let cannot = |why| Err(MigrateError::Undistributable(why));
    if !holds(client, HAS_EXTENSION).await? {
        return cannot("it lacks the extension citus (CREATE EXTENSION citus, on every node)");
    }
    let in_cluster = client.query_one(IN_CLUSTER, &[]).await?;
    if !in_cluster.try_get::<_, bool>(0)? {
        return cannot("this node is no coordinator, and the address must lead to one");
    }
    if !in_cluster.try_get::<_, bool>(1)? {
        return cannot("its coordinator knows no worker that takes shards (SELECT citus_add_node(…))");
    }
    if let Some(wanted) = shards {
        let has = count_shards(client).await?;
        if has > 0 && has != i64::from(wanted) {
            return Err(MigrateError::OtherShards(has));
        }
    }
    Ok(())
}

/// Distributes each table that is not yet, and the functions that statements use. Returns the names of the
/// tables. If interrupted, another run does the rest.
pub(super) async fn all(client: &Client, shards: Option<u16>) -> Result<Vec<String>, MigrateError> {
    client.query(UNKNOWN_FUNCTIONS, &[]).await?;
    let mut distributed = Vec::new();
    while let Some(row) = client.query_opt(NEXT, &[]).await? {
        let table: String = row.try_get(0)?;
        let (beside, shards) =
            if table == "workspaces" { ("none", shards.map(i32::from)) } else { ("workspaces", None) };
        let (distribute, values) =
            bare(DISTRIBUTE, &[("table", &table), ("beside", &beside), ("shards", &shards)]);
        let done = client.query_one(distribute.as_str(), &values).await;
        done.map_err(|cause| MigrateError::Distribute { table: table.clone(), cause })?;
        distributed.push(table);
    }
    client.query(LEFT_BEHIND, &[]).await?;
    Ok(distributed)
}

/// Counts the shards of the workspaces' tables; 0 if they are not distributed.
async fn count_shards(client: &Client) -> Result<i64, MigrateError> {
    Ok(client.query_one(SHARDS, &[]).await?.try_get(0)?)
}

async fn holds(client: &Client, question: &str) -> Result<bool, MigrateError> {
    Ok(client.query_one(question, &[]).await?.try_get(0)?)
}
