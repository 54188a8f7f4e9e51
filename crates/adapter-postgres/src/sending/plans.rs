//! How PostgreSQL runs the ledger's statements when a workspace is large and others lie beside it.

use super::{
    RELEASE, TOKEN,
    begin::{HOLDER, LOCK_PLAN, RESERVE, START},
    catalogue::CATALOGUE,
    record::{ENTRY, SETTLE, SETTLE_NOTICE},
    reply::{REFUSE, REPLY_CONTEXT, THREAD_OF},
    thread::THREAD,
};
use crate::seeded::{assert_cheap, id, seeded};

const AT: &str = "'2026-11-21 20:00Z'";

#[tokio::test]
async fn what_a_send_needs_is_found_by_its_keys() {
    let (_database, client) = seeded().await;
    let workspace = id(1, 0);
    let of = |kind| format!("'{workspace}', '{}'", id(kind, 12_345));
    let thread = of(6);
    assert_cheap(
        &client,
        2,
        &[
            (CATALOGUE, "uuid, text", &format!("'{workspace}', 'template 19500'")),
            (HOLDER, "uuid, bytea", &format!("'{workspace}', hash(12345)")),
            (THREAD, "uuid, uuid, text", &format!("'{workspace}', '{}', '+12345'", id(3, 0))),
            (THREAD_OF, "uuid, uuid", &thread),
            (REPLY_CONTEXT, "uuid, uuid, uuid", &format!("{thread}, '{}'", id(10, 0))),
            (ENTRY, "uuid, uuid", &of(7)),
            (TOKEN, "uuid, uuid", &format!("'{workspace}', '{}'", id(2, 0))),
            (LOCK_PLAN, "uuid", &format!("'{workspace}'")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_send_is_begun_and_ended_by_its_keys() {
    let (_database, client) = seeded().await;
    let (workspace, send, new, channel) = (id(1, 0), id(7, 1), id(7, 30_000), id(3, 0));
    let (contact, thread) = (id(5, 1), id(6, 1));
    let start = format!(
        "'{workspace}', '{new}', '{channel}', '+9647', 't', 'ar', 'r', '+12345', NULL, {AT}, hash(30000),
         hash(1), NULL, 'text', '2026-11-01', NULL, NULL, NULL"
    );
    let owed = format!(
        "'{workspace}', ARRAY['{}'::uuid], ARRAY['{}'::uuid], '{{message.sent}}', ARRAY['\\x00'::bytea],
         ARRAY[{AT}::timestamptz]",
        id(9, 30_000),
        id(4, 0)
    );
    let settle = format!("{owed}, '{send}', hash(30000), '\\x00', {AT}");
    let settle_notice = format!(
        "{settle}, '{contact}', false, NULL, '+1', 'import', '2026-11-01', {AT}, '{thread}', false, '{channel}',
         'whatsapp', 'bot', {AT}, {AT}, 'team', NULL, 'text', 't', 'ar', 'r', {AT}, ''"
    );
    let settle_types =
        "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid, bytea, bytea, timestamptz";
    assert_cheap(
        &client,
        2,
        &[
            (
                START,
                "uuid, uuid, uuid, text, text, text, text, text, text, timestamptz, bytea, bytea, uuid, text, date,
                 uuid, uuid, uuid",
                &start,
            ),
            (SETTLE, settle_types, &settle),
            (
                SETTLE_NOTICE,
                &format!(
                    "{settle_types}, uuid, bool, text, text, text, date, timestamptz, uuid, bool, uuid, text, text,
                     timestamptz, timestamptz, text, text, text, text, text, text, timestamptz, text"
                ),
                &settle_notice,
            ),
            (
                REFUSE,
                "uuid, uuid, timestamptz, text",
                &format!("'{workspace}', '{send}', {AT}, 'no'"),
            ),
            (RELEASE, "uuid, uuid", &format!("'{workspace}', '{send}'")),
        ],
    )
    .await;
}

/// A hundred are active.
#[tokio::test]
async fn a_place_under_a_plan_is_taken_by_counting_who_is_active_and_nobody_else() {
    let (_database, client) = seeded().await;
    let values = format!("'{}', '2026-11-01', '+12345', '{}', 1000", id(1, 0), id(7, 1));
    assert_cheap(&client, 100, &[(RESERVE, "uuid, date, text, uuid, bigint", &values)]).await;
}
