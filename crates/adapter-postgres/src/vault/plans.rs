//! How PostgreSQL runs a walk's statements when a workspace is large and others lie beside it.

use tokio_postgres::Client;

use super::{columns, walk::NEXT_WORKSPACE};
use crate::{
    connect::DELIVERY_OPTIONS,
    seeded::{assert_cheap, id, seeded_with},
    testing::Database,
};

/// Every message of the seed has a file, and every delivery an attempt.
const MORE: &str = "
    INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed)
        SELECT workspace, id(7, n), 0, 'image', '' FROM row WHERE n > 1;
    INSERT INTO delivery_attempts
        SELECT workspace, id(9, n), 2, at, 1, 200, NULL, '', at FROM row";

/// As the connections of a walk are set up.
async fn walking() -> (Database, Client) {
    let (database, client) = seeded_with(MORE).await;
    for option in DELIVERY_OPTIONS.split("-c ").filter(|option| !option.is_empty()) {
        client.batch_execute(&format!("SET {option}")).await.unwrap();
    }
    (database, client)
}

async fn read(client: &Client, statements: &[(&str, u128)]) {
    for (statement, kind) in statements {
        let values = format!("'{}', '{}', 50, '\\x0102', true", id(1, 0), id(*kind, 12_345));
        // The first of each part of a table that is parted by days as well.
        assert_cheap(client, 60, &[(statement, "uuid, uuid, bigint, bytea, boolean", &values)]).await;
    }
}

async fn reseal(client: &Client, statements: &[(&str, u128)]) {
    for (statement, kind) in statements {
        let values = format!(
            "'{}', ids({kind}, 12300, 50), array_fill(''::bytea, ARRAY[50]), array_fill('x'::bytea, ARRAY[50]),
             times(12300, 50)",
            id(1, 0)
        );
        let types = "uuid, uuid[], bytea[], bytea[], timestamptz[]";
        assert_cheap(client, 150, &[(statement, types, &values)]).await;
    }
}

#[tokio::test]
async fn a_part_of_a_column_is_read_by_keys() {
    let (_database, client) = walking().await;
    assert_cheap(&client, 1, &[(NEXT_WORKSPACE, "uuid", "id(1, 7)")]).await;
    read(
        &client,
        &[
            (columns::READ_TOKENS, 2),
            (columns::READ_FACTORS, 17),
            (columns::READ_SECRETS, 4),
            (columns::READ_PREVIOUS_SECRETS, 4),
            (columns::READ_SOURCES, 7),
            (columns::READ_SENDS, 7),
            (columns::READ_BODIES, 9),
            (columns::READ_ANSWERS, 9),
            (columns::READ_JOURNAL, 8),
        ],
    )
    .await;
}

#[tokio::test]
async fn values_are_replaced_by_keys() {
    let (_database, client) = walking().await;
    reseal(
        &client,
        &[
            (columns::RESEAL_TOKENS, 2),
            (columns::RESEAL_FACTORS, 17),
            (columns::RESEAL_SECRETS, 4),
            (columns::RESEAL_PREVIOUS_SECRETS, 4),
            (columns::RESEAL_SOURCES, 7),
            (columns::RESEAL_SENDS, 7),
            (columns::RESEAL_BODIES, 9),
            (columns::RESEAL_ANSWERS, 9),
            (columns::RESEAL_JOURNAL, 8),
        ],
    )
    .await;
}
