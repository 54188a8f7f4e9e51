//! How PostgreSQL runs the statements about files when a workspace is large and others lie beside it.

use super::queue::{ANNOUNCE, CLAIM, TRY_LATER, WITH_FILES};
use crate::seeded::{assert_cheap, id, seeded_with};

/// Every message of the seed has a file, and waits for it.
const FILES: &str = "
    INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed)
        SELECT workspace, id(7, n), 0, 'image', '' FROM row WHERE n > 1;
    INSERT INTO attachment_queue SELECT workspace, id(7, n), 0, at, at FROM row WHERE n > 1";

const AT: &str = "'2026-11-21 20:00Z'";

#[tokio::test]
async fn waiting_messages_are_claimed_and_settled_without_reading_those_behind() {
    let (_database, client) = seeded_with(FILES).await;
    let (workspace, message) = (id(1, 0), id(7, 12_345));
    let outcome = "'{0}', '{NULL}', '{NULL}', '{NULL}'";
    assert_cheap(
        &client,
        50,
        &[
            (
                CLAIM,
                "uuid, timestamptz, timestamptz, bigint",
                &format!("'{workspace}', {AT}, '2026-11-21 20:01Z', 50"),
            ),
            (
                TRY_LATER,
                "uuid, uuid, timestamptz, integer[], text[], text[], bigint[]",
                &format!("'{workspace}', '{message}', {AT}, {outcome}"),
            ),
            (
                ANNOUNCE,
                "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid, integer[], text[], text[], bigint[],
                 text",
                &format!(
                    "'{workspace}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{message}', {outcome}, 'words'"
                ),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_which_wait_for_files() {
    let (_database, client) = seeded_with(FILES).await;
    assert_cheap(&client, 401, &[(WITH_FILES, "timestamptz", AT)]).await;
}
