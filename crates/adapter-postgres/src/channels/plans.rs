//! How PostgreSQL lists a workspace's numbers beside those of others.

use super::number::CONNECTED;
use crate::seeded::{assert_cheap, id, seeded};

#[tokio::test]
async fn numbers_are_listed_by_their_workspace() {
    let (_database, client) = seeded().await;
    assert_cheap(&client, 2, &[(CONNECTED, "uuid", &format!("'{}'", id(1, 7)))]).await;
}
