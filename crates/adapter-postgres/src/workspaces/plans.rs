//! How PostgreSQL runs the statements about a workspace when there are others, and it has many customers.

use super::{ACTIVE, CHANGE, CREATE, FIND, OWNER, SET_PLAN};
use crate::seeded::{assert_cheap, seeded};

#[tokio::test]
async fn a_workspace_is_made_found_and_changed_by_its_key() {
    let (_database, client) = seeded().await;
    assert_cheap(
        &client,
        1,
        &[
            (
                CREATE,
                "uuid, text, text, text, integer, boolean, timestamptz, uuid, text",
                "id(1, 500), 'w', 'ar', 'IQ', NULL, false, '2026-11-21 20:00Z', id(10, 500), 'o@o.example'",
            ),
            (FIND, "uuid", "id(1, 7)"),
            (CHANGE, "uuid, text, text, text", "id(1, 7), 'new', NULL, NULL"),
            (SET_PLAN, "uuid, integer, boolean", "id(1, 7), 1000, false"),
        ],
    )
    .await;
    assert_cheap(&client, 21, &[(OWNER, "uuid", "id(1, 7)")]).await;
}

/// A hundred are active.
#[tokio::test]
async fn who_is_active_is_counted_without_reading_anybody_else() {
    let (_database, client) = seeded().await;
    assert_cheap(&client, 100, &[(ACTIVE, "uuid, date", "id(1, 0), '2026-11-01'")]).await;
}
