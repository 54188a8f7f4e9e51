//! How PostgreSQL runs the statements about keys, people and their sessions when there are many of each.

use tokio_postgres::Client;

use super::{attempts, audit, credentials, invitations, keys, members, resets, sessions};
use crate::{
    seeded::{assert_cheap, seeded, seeded_with},
    testing::Database,
};

/// Each agent of the seed has a login, three codes and three sessions; each workspace twenty invitations and, but for
/// the large one with its 20,000, ten entries of the log.
const PEOPLE: &str = "
    INSERT INTO member_logins SELECT email, workspace_id, id FROM members WHERE role = 'agent';
    INSERT INTO recovery_codes
        SELECT id(1, n / 60), id(17, n / 3), hash(n) FROM generate_series(0, 24059) n;
    INSERT INTO sessions
        SELECT hash(n), id(18, n), id(1, n / 60), id(17, n / 3), NULL, NULL, '2026-11-21 10:00Z', '2026-11-21 10:00Z'
        FROM generate_series(0, 24059) n;
    INSERT INTO invitations
        SELECT hash(n), id(19, n), id(1, n / 20), 'i' || n || '@i.example', 'agent', '2026-11-21 10:00Z',
               '2026-11-28 10:00Z' FROM generate_series(0, 8019) n;
    INSERT INTO password_resets
        SELECT hash(n), id(1, n / 20), id(17, n), true, false, '2026-11-21 10:00Z', '2026-11-21 23:00Z'
        FROM generate_series(0, 8019) n;
    INSERT INTO attempt_windows SELECT hash(n), at, 1 FROM row;
    INSERT INTO audit_log
        SELECT workspace, id(20, n), id(10, number), CASE WHEN n % 100 = 0 THEN 'rare' ELSE 'frequent' END, NULL,
               '{}', NULL, at FROM row";

async fn peopled() -> (Database, Client) {
    seeded_with(PEOPLE).await
}

#[tokio::test]
async fn a_key_is_found_and_counted_by_its_hash() {
    let (_database, client) = seeded().await;
    let values = "hashes(12345, 20), times(36000, 20), array_fill(1, ARRAY[20])";
    assert_cheap(&client, 60, &[(keys::AUTHENTICATE, "bytea[], timestamptz[], int[]", values)]).await;
}

#[tokio::test]
async fn keys_are_added_listed_and_revoked_by_their_workspace() {
    let (_database, client) = seeded().await;
    assert_cheap(
        &client,
        20,
        &[
            (
                keys::ADD,
                "bytea, uuid, uuid, uuid, text, text[], timestamptz",
                "'new', id(12, 30000), id(1, 7), id(10, 7), '', '{}', '2026-11-21 20:00Z'",
            ),
            (keys::LIST, "uuid", "id(1, 7)"),
            (keys::REVOKE, "uuid, uuid, timestamptz", "id(1, 7), id(12, 20006), '2026-11-21 20:00Z'"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_proves_who_somebody_is_is_found_by_keys() {
    let (_database, client) = peopled().await;
    let both = "id(1, 7), id(17, 141)";
    assert_cheap(
        &client,
        3,
        &[
            (credentials::BY_EMAIL, "text, uuid, bigint", "'a141@a.example', NULL, 4"),
            (credentials::BY_EMAIL, "text, uuid, bigint", "'a141@a.example', id(1, 7), 4"),
            (credentials::OF_MEMBER, "uuid, uuid", both),
            (credentials::USE_STEP, "uuid, uuid, bigint", &format!("{both}, 2")),
            (credentials::USE_RECOVERY, "uuid, uuid, bytea", &format!("{both}, hash(423)")),
            (credentials::SET_PASSWORD, "uuid, uuid, text, uuid", &format!("{both}, 'new', id(18, 423)")),
            (credentials::OFFER, "uuid, uuid, bytea", &format!("{both}, 'new'")),
            (
                credentials::CONFIRM,
                "uuid, uuid, bigint, timestamptz, bytea[]",
                &format!("{both}, 2, '2026-11-21 20:00Z', hashes(30001, 10)"),
            ),
            (credentials::DROP, "uuid, uuid", both),
        ],
    )
    .await;
}

#[tokio::test]
async fn sessions_are_begun_resumed_and_ended_by_keys() {
    let (_database, client) = peopled().await;
    let member = "id(1, 7), id(17, 141)";
    let valid = "'2026-11-20 20:00Z', '2026-11-01 20:00Z'";
    assert_cheap(
        &client,
        3,
        &[
            (
                sessions::RESUME,
                "bytea, timestamptz, timestamptz, timestamptz, timestamptz",
                &format!("hash(423), '2026-11-21 20:00Z', {valid}, '2026-11-21 19:59Z'"),
            ),
            (
                sessions::ADD,
                "bytea, uuid, uuid, uuid, text, text, timestamptz",
                &format!("'new', id(18, 30000), {member}, NULL, NULL, '2026-11-21 20:00Z'"),
            ),
            (sessions::LIST, "uuid, uuid, timestamptz, timestamptz", &format!("{member}, {valid}")),
            (sessions::END, "uuid, uuid, uuid", &format!("{member}, id(18, 423)")),
            (sessions::END_OTHERS, "uuid, uuid, uuid", &format!("{member}, id(18, 423)")),
        ],
    )
    .await;
}

#[tokio::test]
async fn tries_are_counted_by_their_keys_and_refusals_found_by_whom_they_are_of() {
    let (_database, client) = peopled().await;
    let refused = "id(1, 0), id(20, 30000), 'sign_in.failed', id(17, 3)::text, '{\"tries\": 1}', NULL,
                   '2026-11-21 20:00Z'";
    assert_cheap(
        &client,
        20,
        &[
            (attempts::TAKE, "bytea[], timestamptz", "hashes(12345, 4), '2026-11-21 20:00Z'"),
            (attempts::USED, "bytea, timestamptz", "hash(12345), '2026-11-21 20:00Z'"),
            (attempts::FORGIVE, "bytea[]", "hashes(12345, 4)"),
            (attempts::GIVE_BACK, "bytea", "hash(12345)"),
            (attempts::LOG_REFUSAL, "uuid, uuid, text, text, jsonb, text, timestamptz", refused),
            (attempts::REFUSALS, "uuid, text, bigint", "id(1, 0), id(17, 3)::text, 20"),
        ],
    )
    .await;
}

/// 24,000 counts are needed no more.
#[tokio::test]
async fn a_sign_in_clears_some_of_what_is_over_and_reads_no_more_than_it_clears() {
    let (_database, client) = peopled().await;
    let types = "uuid, uuid, timestamptz, timestamptz, timestamptz";
    let values = "id(1, 7), id(17, 141), '2026-11-20Z', '2026-11-01Z', '2026-11-22 20:00Z'";
    assert_cheap(&client, 100, &[(sessions::CLEAN, types, values)]).await;
}

#[tokio::test]
async fn invitations_are_found_by_hash_or_workspace() {
    let (_database, client) = peopled().await;
    assert_cheap(
        &client,
        20,
        &[
            (invitations::MAY_INVITE, "uuid, text, boolean", "id(1, 7), 'a141@a.example', true"),
            (invitations::REPLACE, "uuid, text", "id(1, 7), 'i141@i.example'"),
            (
                invitations::ADD,
                "bytea, uuid, uuid, text, text, timestamptz, timestamptz, uuid, boolean",
                "'new', id(19, 30000), id(1, 7), 'n@n.example', 'agent', '2026-11-21 20:00Z',
                 '2026-11-28 20:00Z', NULL, false",
            ),
            (invitations::FIND, "bytea, timestamptz", "hash(141), '2026-11-21 20:00Z'"),
            (invitations::LIST, "uuid, timestamptz", "id(1, 7), '2026-11-21 20:00Z'"),
            (invitations::WITHDRAW, "uuid, uuid", "id(1, 7), id(19, 141)"),
            (
                invitations::ACCEPT,
                "bytea, uuid, timestamptz, uuid, text, text",
                "hash(141), id(1, 7), '2026-11-21 20:00Z', id(17, 30000), 'name', 'hash'",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn links_for_another_password_are_found_by_hash_or_member() {
    let (_database, client) = peopled().await;
    assert_cheap(
        &client,
        3,
        &[
            (resets::REACHABLE, "text, bigint", "'a141@a.example', 4"),
            (
                resets::ADD,
                "bytea, uuid, uuid, boolean, boolean, timestamptz, timestamptz",
                "'new', id(1, 7), id(17, 141), true, false, '2026-11-21 20:00Z', '2026-11-21 21:00Z'",
            ),
            (resets::FIND, "bytea, timestamptz", "hash(141), '2026-11-21 20:00Z'"),
            (
                resets::COMPLETE,
                "bytea, uuid, timestamptz, text",
                "hash(141), id(1, 7), '2026-11-21 20:00Z', 'hash'",
            ),
            (resets::BY_MAIL, "uuid", "id(1, 7)"),
        ],
    )
    .await;
    let set = (resets::SET_BY_MAIL, "uuid, boolean", "id(1, 7), false");
    assert_cheap(&client, 20, &[set]).await;
}

#[tokio::test]
async fn members_are_found_by_their_workspace() {
    let (_database, client) = peopled().await;
    let member = "id(1, 7), id(17, 141)";
    assert_cheap(
        &client,
        21,
        &[
            (members::TEAM, "uuid", "id(1, 7)"),
            (members::RENAME, "uuid, uuid, text", &format!("{member}, 'new'")),
            (members::LOCK_OWNERS, "uuid", "id(1, 7)"),
            (members::SET_ROLE, "uuid, uuid, text", &format!("{member}, 'agent'")),
            (members::VOID_LINKS, "uuid, uuid", member),
            (members::VOID_MADE, "uuid, uuid", member),
            (members::VOID_RESETS, "uuid, uuid", member),
            (
                members::REMOVE,
                "uuid, uuid, text, timestamptz, uuid",
                &format!("{member}, 'agent', '2026-11-21 20:00Z', id(10, 7)"),
            ),
        ],
    )
    .await;
}

/// Of 20,000 entries, 200 are of the rare kind.
#[tokio::test]
async fn a_page_of_the_log_of_changes_reads_its_own_rows_only() {
    let (_database, client) = peopled().await;
    let types = "uuid, timestamptz, uuid, bigint, uuid, text";
    for place in ["NULL, NULL", "'2026-11-21 14:10Z', id(20, 15000)"] {
        let page = |of: &str| format!("id(1, 0), {place}, 51, {of}");
        assert_cheap(
            &client,
            52,
            &[
                (audit::ALL, types, &page("NULL, NULL")),
                (audit::OF_MEMBER, types, &page("id(10, 0), NULL")),
                (audit::OF_MEMBER, types, &page("id(10, 0), 'frequent'")),
                (audit::OF_ACTION, types, &page("NULL, 'rare'")),
            ],
        )
        .await;
    }
    let types = "uuid, uuid, uuid, text, text, jsonb, text, timestamptz, text";
    let values = "id(1, 0), id(20, 30000), id(10, 0), 'frequent', NULL, '{}', NULL, '2026-11-21 20:00Z', 'groups.changed'";
    assert_cheap(&client, 1, &[(audit::RECORD, types, values)]).await;
}
