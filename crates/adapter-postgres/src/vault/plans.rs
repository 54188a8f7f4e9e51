//! How PostgreSQL runs a walk's statements when a workspace is large and others lie beside it.

use tokio_postgres::Client;

use domain::vault::ports::{Purpose, SealedValues};

use super::columns::{COLUMNS, Column, READ, RESEAL};
use crate::{
    explained::{ExplainedStore, delivering},
    seeded::{assert_cheap, assert_ran_cheaply, id, seeded_with},
    sql::positional,
    testing::TestDatabase,
};

/// Every seeded message has a file, every delivery an attempt, and every conversation an unread message.
const MORE: &str = "
    INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed)
        SELECT workspace, id(7, n), 0, 'image', '' FROM row WHERE n > 1;
    INSERT INTO delivery_attempts
        SELECT workspace, id(9, n), 2, at, 1, 200, NULL, '', at FROM row;
    INSERT INTO unread_messages SELECT workspace, id(6, n), id(15, n), '' FROM row";

async fn walking() -> (TestDatabase, Client) {
    let (database, _) = seeded_with(MORE).await;
    let client = delivering(&database).await;
    (database, client)
}

fn kind(column: &Column) -> u128 {
    match column.name.split_once('.').unwrap().0 {
        "accounts" => 2,
        "webhook_addresses" => 4,
        "attachments" | "sends" => 7,
        "journal" => 8,
        "systems" => 22,
        "system_calls" => 23,
        "model_keys" => 29,
        "leads" => 24,
        "drafts" => 25,
        "prepared_replies" => 26,
        "delivery_attempts" | "delivery_log" => 9,
        "members" => 17,
        "unread_messages" => 6,
        table => panic!("{table}"),
    }
}

#[tokio::test]
async fn a_part_of_a_column_is_read_by_keys() {
    let (database, client) = walking().await;
    let explained = ExplainedStore::over(&database);
    explained.stores.sealed_values.walk(Purpose::Count).step().await.unwrap();
    assert_ran_cheaply(&explained, 1).await;
    for column in COLUMNS.iter() {
        assert!(!column.read.contains('{'), "{READ}");
        let values = format!("'\\x0102', true, '{}', '{}', 50", id(1, 0), id(kind(column), 12_345));
        let types = "bytea, boolean, uuid, uuid, bigint";
        // The first rows of each partition as well.
        assert_cheap(&client, 60, &[(&positional(&column.read), types, &values)]).await;
    }
}

#[tokio::test]
async fn values_are_replaced_by_keys() {
    let (_database, client) = walking().await;
    for column in COLUMNS.iter() {
        assert!(!column.reseal.contains('{'), "{RESEAL}");
        let values = format!(
            "ids({}, 12300, 50), array_fill(''::bytea, ARRAY[50]), array_fill('x'::bytea, ARRAY[50]),
             times(12300, 50), '{}'",
            kind(column),
            id(1, 0)
        );
        let types = "uuid[], bytea[], bytea[], timestamptz[], uuid";
        assert_cheap(&client, 150, &[(&positional(&column.reseal), types, &values)]).await;
    }
}
