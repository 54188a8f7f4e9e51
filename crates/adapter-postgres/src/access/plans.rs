//! How PostgreSQL finds a key among many.

use super::AUTHENTICATE;
use crate::seeded::{assert_cheap, seeded};

#[tokio::test]
async fn a_key_is_found_and_counted_by_its_hash() {
    let (_database, client) = seeded().await;
    let values = "hash(12345), '2026-11-21 20:00Z'";
    assert_cheap(&client, 2, &[(AUTHENTICATE, "bytea, timestamptz", values)]).await;
}
