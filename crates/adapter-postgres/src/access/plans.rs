//! How PostgreSQL finds a key among many.

use super::keys::{AUTHENTICATE, LIST, REVOKE};
use crate::seeded::{assert_cheap, seeded};

#[tokio::test]
async fn a_key_is_found_and_counted_by_its_hash() {
    let (_database, client) = seeded().await;
    let values = "hash(12345), '2026-11-21 20:00Z'";
    assert_cheap(&client, 2, &[(AUTHENTICATE, "bytea, timestamptz", values)]).await;
}

#[tokio::test]
async fn keys_are_listed_and_revoked_by_their_workspace() {
    let (_database, client) = seeded().await;
    let mine = "'00000001-0000-7000-8000-000000000007'";
    let revoked = format!("{mine}, '0000000c-0000-7000-8000-000000004e26', '2026-11-21 20:00Z'");
    let statements = [(LIST, "uuid", mine), (REVOKE, "uuid, uuid, timestamptz", &revoked)];
    assert_cheap(&client, 20, &statements).await;
}
