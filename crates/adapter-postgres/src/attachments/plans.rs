//! How PostgreSQL runs the statements about files when a workspace is large and others lie beside it.

use super::{
    queue::{ANNOUNCE, CLAIM, CLAIM_LATE, LATE_ENDED, LATE_LATER, TRY_LATER, WITH_FILES, WITH_LATE_FILES},
    uploads::{BEGIN, FIND, FINISH, REMOVE, UNUSED, WAITING, WITH_UNUSED},
};
use crate::seeded::{Explained, assert_cheap, assert_cheap_planned_over_none, id, seeded, seeded_with};

/// Every message of the seed has a file, and waits for it.
const FILES: &str = "
    INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed)
        SELECT workspace, id(7, n), 0, 'image', '' FROM row WHERE n > 1;
    INSERT INTO attachment_queue SELECT workspace, id(7, n), 0, at, at FROM row WHERE n > 1;
    INSERT INTO late_files SELECT workspace, id(7, n), 0, at, at FROM row WHERE n > 1";

const AT: &str = "'2026-11-21 20:00Z'";

#[tokio::test]
async fn waiting_messages_are_claimed_and_settled_without_reading_those_behind() {
    let (_database, client) = seeded_with(FILES).await;
    let (workspace, message) = (id(1, 0), id(7, 12_345));
    let outcome = "'{0}', '{NULL}', '{NULL}', '{NULL}'";
    let statements: &[Explained<'_>] = &[
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
                 text, timestamptz",
            &format!(
                "'{workspace}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{message}', {outcome}, 'words', NULL"
            ),
        ),
    ];
    assert_cheap(&client, 50, statements).await;
    assert_cheap_planned_over_none(&client, "attachment_queue", 50, statements).await;
}

#[tokio::test]
async fn files_that_come_late_are_claimed_and_settled_without_reading_those_behind() {
    let (_database, client) = seeded_with(FILES).await;
    let (workspace, message) = (id(1, 0), id(7, 12_345));
    let types = "uuid, uuid, timestamptz, integer[], text[], text[], bigint[], text";
    let outcome = "'{0}', '{key}', '{image/png}', '{7}', 'words'";
    let statements: &[Explained<'_>] = &[
        (
            CLAIM_LATE,
            "uuid, timestamptz, timestamptz, bigint",
            &format!("'{workspace}', {AT}, '2026-11-21 20:10Z', 50"),
        ),
        (LATE_LATER, types, &format!("'{workspace}', '{message}', {AT}, {outcome}")),
        (LATE_ENDED, types, &format!("'{workspace}', '{message}', NULL, {outcome}")),
    ];
    assert_cheap(&client, 50, statements).await;
    assert_cheap_planned_over_none(&client, "late_files", 50, statements).await;
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_which_wait_for_files() {
    let (_database, client) = seeded_with(FILES).await;
    assert_cheap(&client, 401, &[(WITH_FILES, "timestamptz", AT), (WITH_LATE_FILES, "timestamptz", AT)])
        .await;
}

#[tokio::test]
async fn a_file_that_was_brought_is_found_by_its_key_and_the_oldest_that_wait_first() {
    let (_database, client) = seeded().await;
    let (workspace, member) = (id(1, 0), id(10, 0));
    let own = format!("'{workspace}', '{}'", id(21, 12_345));
    let new = format!("'{workspace}', '{}', '{member}', 'image', 'image/png', NULL, '', {AT}", id(22, 1));
    assert_cheap(
        &client,
        200,
        &[
            (WAITING, "uuid, bigint", &format!("'{workspace}', 200")),
            (BEGIN, "uuid, uuid, uuid, text, text, text, text, timestamptz, bigint", &format!("{new}, 7")),
        ],
    )
    .await;
    assert_cheap(
        &client,
        10,
        &[
            (FINISH, "uuid, uuid, bigint", &format!("{own}, 7")),
            (FIND, "uuid, uuid, uuid, timestamptz", &format!("{own}, '{member}', '2026-11-20 20:00Z'")),
            (UNUSED, "uuid, timestamptz, bigint", &format!("'{workspace}', {AT}, 10")),
            (REMOVE, "uuid, uuid", &own),
        ],
    )
    .await;
    assert_cheap(&client, 401, &[(WITH_UNUSED, "timestamptz", AT)]).await;
}
