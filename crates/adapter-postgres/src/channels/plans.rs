//! How PostgreSQL runs the statements about accounts and numbers when there are many.

use tokio_postgres::Client;

use super::{disconnect, list, number::CONNECTED, page, replace, standing, store};
use crate::{
    seeded::{assert_cheap, id, seeded, seeded_with},
    testing::Database,
};

/// Each workspace has ten accounts more, with two numbers each, and all have their routes.
const ACCOUNTS: &str = "
    INSERT INTO accounts
        SELECT id(1, n / 10), id(22, n), 'a' || n, '', now(), NULL, now() FROM generate_series(0, 4009) n;
    INSERT INTO channels
        SELECT id(1, n / 20), id(21, n), 'whatsapp', id(22, n / 2), 'n' || n, '+9647' || n, false, now(), n, NULL
        FROM generate_series(0, 8019) n;
    INSERT INTO account_routes SELECT 'a' || n, id(1, n / 10), id(22, n) FROM generate_series(0, 4009) n;
    INSERT INTO channel_routes SELECT 'n' || n, id(1, n / 20), id(21, n) FROM generate_series(0, 8019) n";

async fn connected() -> (Database, Client) {
    seeded_with(ACCOUNTS).await
}

#[tokio::test]
async fn numbers_are_listed_by_their_workspace() {
    let (_database, client) = seeded().await;
    assert_cheap(&client, 2, &[(CONNECTED, "uuid", &format!("'{}'", id(1, 7)))]).await;
}

#[tokio::test]
async fn an_account_is_kept_and_found_by_its_keys() {
    let (_database, client) = connected().await;
    let account = "id(1, 7), id(22, 71)";
    assert_cheap(
        &client,
        1,
        &[
            (store::HOLD, "text, uuid, uuid", &format!("'a71', {account}")),
            (
                store::CONNECT,
                "uuid, uuid, text, bytea, timestamptz",
                &format!("{account}, 'a71', 'new', '2026-11-21 20:00Z'"),
            ),
            (store::KNOWN, "uuid, text", "id(1, 7), 'a71'"),
            (store::FIND, "uuid, uuid", account),
            (store::FIND_BY_NETWORK_ID, "uuid, text", "id(1, 7), 'a71'"),
            (
                standing::SET_STANDING,
                "uuid, text, jsonb, timestamptz",
                "id(1, 7), 'a71', '{\"state\": \"good\"}', '2026-11-21 20:00Z'",
            ),
            (page::NO_TEMPLATES, "uuid, uuid", account),
            (replace::LOCK, "uuid, uuid", account),
        ],
    )
    .await;
    // By the workspace, which has few numbers.
    let values = "id(1, 7), '+9647142', true";
    assert_cheap(&client, 21, &[(store::SET_SEND_ONLY, "uuid, text, boolean", values)]).await;
}

#[tokio::test]
async fn an_account_is_let_go_of_by_its_keys() {
    let (_database, client) = connected().await;
    let account = "id(1, 7), id(22, 71)";
    assert_cheap(
        &client,
        2,
        &[
            (
                disconnect::LET_GO,
                "uuid, uuid, bytea, timestamptz",
                &format!("{account}, '', '2026-11-21 20:00Z'"),
            ),
            (disconnect::CONNECTIONS, "uuid, uuid, timestamptz", &format!("{account}, '2026-11-21 20:00Z'")),
            (disconnect::ROUTES, "uuid, uuid", account),
            (disconnect::PLACE, "uuid, text", "id(1, 7), 'a71'"),
        ],
    )
    .await;
    assert_cheap(&client, 21, &[(list::LIST, "uuid", "id(1, 7)")]).await;
}

#[tokio::test]
async fn what_an_account_lists_replaces_what_it_had_by_keys() {
    let (_database, client) = connected().await;
    let account = "id(1, 7), id(22, 71)";
    let disconnect = format!("{account}, ARRAY['n142'], '2026-11-21 20:00Z'");
    assert_cheap(
        &client,
        2,
        &[
            (
                page::CONNECT,
                "uuid, uuid, uuid[], text[], text[], timestamptz",
                &format!(
                    "{account}, ids(21, 30001, 2), ARRAY['messenger', 'instagram'], ARRAY['n142', 'new'],
                     '2026-11-21 20:00Z'"
                ),
            ),
            (page::DISCONNECT, "uuid, uuid, text[], timestamptz", &disconnect),
            (
                replace::CONNECT,
                "uuid, uuid, uuid[], text[], text[], integer[], timestamptz",
                &format!(
                    "{account}, ids(21, 30001, 2), ARRAY['n142', 'new'], ARRAY['+1', '+2'], ARRAY[0, 1],
                     '2026-11-21 20:00Z'"
                ),
            ),
            (replace::DISCONNECT, "uuid, uuid, text[], timestamptz", &disconnect),
            (replace::ROUTE, "uuid, text[]", "id(1, 7), ARRAY['n142', 'n143']"),
            (replace::HELD_ELSEWHERE, "uuid, text[]", "id(1, 7), ARRAY['n142', 'n342']"),
            (
                replace::DISCONNECT_ELSEWHERE,
                "uuid, uuid, timestamptz",
                "id(1, 7), id(21, 142), '2026-11-21 20:00Z'",
            ),
        ],
    )
    .await;
}
