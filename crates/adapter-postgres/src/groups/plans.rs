//! How PostgreSQL runs the statements about groups when there are many.

use super::{ADD, DELETE, LIST, PUT, RELEASE_CONVERSATIONS, RENAME, TAKE};
use crate::seeded::{assert_cheap, seeded};

#[tokio::test]
async fn groups_are_listed_and_changed_by_their_workspace() {
    let (_database, client) = seeded().await;
    let group = "id(1, 7), id(11, 70)";
    assert_cheap(
        &client,
        20,
        &[
            (LIST, "uuid", "id(1, 7)"),
            (ADD, "uuid, uuid, text, timestamptz", "id(1, 7), id(11, 30000), 'new', '2026-11-21 20:00Z'"),
            (RENAME, "uuid, uuid, text", &format!("{group}, 'new'")),
            (RELEASE_CONVERSATIONS, "uuid, uuid", group),
            (PUT, "uuid, uuid, uuid", &format!("{group}, id(17, 150)")),
            (TAKE, "uuid, uuid, uuid", &format!("{group}, id(17, 140)")),
            // One without conversations: they are let go of first.
            (DELETE, "uuid, uuid", "id(1, 7), id(11, 71)"),
        ],
    )
    .await;
}
