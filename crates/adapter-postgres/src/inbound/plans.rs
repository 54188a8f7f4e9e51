//! How PostgreSQL runs the statements about updates when a workspace is large and others lie beside it.

use super::{
    journal::{CLAIM, FINISH, POSTPONE, WITH_WORK},
    sent_messages::{COMMIT, FIND},
};
use crate::seeded::{assert_cheap, id, seeded};

const AT: &str = "'2026-11-21 20:00Z'";

#[tokio::test]
async fn a_sent_message_is_found_and_changed_by_its_keys() {
    let (_database, client) = seeded().await;
    let workspace = id(1, 0);
    let find = "uuid, uuid, bytea";
    assert_cheap(
        &client,
        2,
        &[
            (FIND, find, &format!("'{workspace}', '{}', hash(12345)", id(7, 12_345))),
            (FIND, find, &format!("'{workspace}', NULL, hash(12345)")),
            (FIND, find, &format!("'{workspace}', '{}', hash(30000)", id(7, 12_345))),
            (
                COMMIT,
                "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid, text, timestamptz, timestamptz,
                 timestamptz, text, text, timestamptz, timestamptz, timestamptz",
                &format!(
                    "'{workspace}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{}', 'delivered', {AT}, NULL, NULL,
                     NULL, 'sent', NULL, NULL, NULL",
                    id(7, 12_345)
                ),
            ),
        ],
    )
    .await;
}

/// All 20,000 are due.
#[tokio::test]
async fn updates_are_claimed_and_finished_without_reading_those_behind() {
    let (_database, client) = seeded().await;
    let (workspace, update) = (id(1, 0), id(8, 12_345));
    assert_cheap(
        &client,
        50,
        &[
            (
                CLAIM,
                "uuid, timestamptz, timestamptz, bigint",
                &format!("'{workspace}', {AT}, '2026-11-21 20:01Z', 50"),
            ),
            (FINISH, "uuid, uuid[]", &format!("'{workspace}', '{{{update}}}'")),
            (POSTPONE, "uuid, uuid, timestamptz", &format!("'{workspace}', '{update}', {AT}")),
        ],
    )
    .await;
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_which_have_updates() {
    let (_database, client) = seeded().await;
    assert_cheap(&client, 401, &[(WITH_WORK, "timestamptz", AT)]).await;
}
