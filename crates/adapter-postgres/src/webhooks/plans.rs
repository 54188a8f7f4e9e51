//! How PostgreSQL runs the queue's statements when a workspace is large and others lie beside it.

use super::queue::{CLAIM, WITH_DUE};
use crate::seeded::{assert_cheap, id, seeded};

const AT: &str = "'2026-11-21 20:00Z'";

/// All 20,000 are due.
#[tokio::test]
async fn deliveries_are_claimed_without_reading_those_behind() {
    let (_database, client) = seeded().await;
    let values = format!("'{}', {AT}, '2026-11-21 20:01Z', 50", id(1, 0));
    assert_cheap(&client, 50, &[(CLAIM, "uuid, timestamptz, timestamptz, bigint", &values)]).await;
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_which_have_deliveries() {
    let (_database, client) = seeded().await;
    assert_cheap(&client, 401, &[(WITH_DUE, "timestamptz", AT)]).await;
}
