//! How PostgreSQL lists a workspace's templates beside those of others.

use super::row::FILTERED;
use crate::seeded::{assert_cheap, id, seeded};

/// Ten of 4,000, in a workspace beside a large one.
#[tokio::test]
async fn templates_are_listed_by_their_workspace() {
    let (_database, client) = seeded().await;
    let mine = id(1, 7);
    let all = format!("'{mine}', NULL, NULL");
    let approved = format!("'{mine}', 'approved', 'UTILITY'");
    let types = "uuid, text, text";
    assert_cheap(&client, 20, &[(FILTERED, types, &all), (FILTERED, types, &approved)]).await;
}
