//! How PostgreSQL runs the statements about rules and quiet conversations when a workspace is large.

use super::{
    quiet::{IDLE, TO_SWEEP, UNANSWERED},
    rules::{ADD, AUTOMATIONS, REMOVE, REPLACE, SET, SETTINGS},
    triggers::{CLAIM, DONE, FINISH, PLAN, POSTPONE, WITH_TRIGGERS},
};
use crate::seeded::{Explained, assert_cheap, assert_cheap_planned_over_none, id, seeded_with};

const AT: &str = "'2026-11-21 20:00Z'";

/// Each of the 20,000 conversations has a trigger, each second one is open.
const SEED: &str = "
    UPDATE conversations SET status = 'open' WHERE id::text LIKE '%0';
    INSERT INTO automation_triggers
        SELECT workspace, id(7, n), true, NULL, 0, 0, at FROM row WHERE n > 1";

#[tokio::test]
async fn rules_are_read_and_written_by_keys() {
    let (_database, client) = seeded_with(SEED).await;
    let (workspace, rule) = (id(1, 0), id(13, 0));
    let rest = format!("'{}', true, '{{}}'", id(10, 0));
    let add = format!("'{workspace}', gen_random_uuid(), gen_random_uuid()::text, {rest}, {AT}, 50");
    let replace = format!("'{workspace}', '{rule}', 'name', {rest}");
    assert_cheap(
        &client,
        3,
        &[
            (AUTOMATIONS, "uuid", &format!("'{workspace}'")),
            (ADD, "uuid, uuid, text, uuid, boolean, jsonb, timestamptz, bigint", &add),
            (REPLACE, "uuid, uuid, text, uuid, boolean, jsonb", &replace),
            (REMOVE, "uuid, uuid", &format!("'{workspace}', '{rule}'")),
            (SETTINGS, "uuid", &format!("'{workspace}'")),
            (SET, "uuid, jsonb, integer, integer", &format!("'{workspace}', NULL, 60, NULL")),
        ],
    )
    .await;
}

#[tokio::test]
async fn triggers_are_claimed_and_dealt_with_without_reading_those_behind() {
    let (_database, client) = seeded_with(SEED).await;
    let (workspace, message) = (id(1, 0), id(7, 12_345));
    let statements: &[Explained<'_>] = &[
        (
            CLAIM,
            "uuid, timestamptz, timestamptz, bigint",
            &format!("'{workspace}', {AT}, '2026-11-21 20:02Z', 50"),
        ),
        (PLAN, "uuid, uuid, jsonb", &format!("'{workspace}', '{message}', '[]'")),
        (DONE, "uuid, uuid, integer", &format!("'{workspace}', '{message}', 0")),
        (FINISH, "uuid, uuid[]", &format!("'{workspace}', '{{{message}}}'")),
        (POSTPONE, "uuid, uuid, timestamptz", &format!("'{workspace}', '{message}', {AT}")),
    ];
    assert_cheap(&client, 50, statements).await;
    assert_cheap_planned_over_none(&client, "automation_triggers", 50, statements).await;
}

#[tokio::test]
async fn quiet_conversations_are_found_without_reading_those_behind() {
    let (_database, client) = seeded_with(SEED).await;
    let values = format!("'{}', {AT}, 50", id(1, 0));
    let types = "uuid, timestamptz, bigint";
    assert_cheap(&client, 50, &[(IDLE, types, &values), (UNANSWERED, types, &values)]).await;
}

#[tokio::test]
async fn one_look_for_each_workspace_tells_where_there_is_work() {
    let (_database, client) = seeded_with(SEED).await;
    assert_cheap(&client, 802, &[(WITH_TRIGGERS, "timestamptz", AT), (TO_SWEEP, "timestamptz", AT)]).await;
}
