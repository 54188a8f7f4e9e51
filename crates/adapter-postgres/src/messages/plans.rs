//! How PostgreSQL runs what tells a message's life when a workspace is large and others lie beside it.

use data_encoding::HEXLOWER;
use domain::messages::ports::{MessageLives, MessageStore};

use super::{
    find::{BY_NETWORK_ID, BY_NUMBER, FIND},
    life::TOLD,
};
use crate::{
    explained::{ExplainedStore, delivering},
    seeded::{assert_cheap, assert_ran_cheaply, id, seeded},
    sql::positional,
};

#[tokio::test]
async fn what_became_of_messages_is_read_by_their_ids_and_by_the_callers_own() {
    let (database, client) = seeded().await;
    client
        .batch_execute("UPDATE sends SET reference = 'order ' || (random() * 5000)::int; ANALYZE sends")
        .await
        .unwrap();
    let explained = ExplainedStore::over(&database);
    // The key of the seed's file is none.
    let found = MessageStore::find(&*explained.stores.messages, id(1, 0).into(), id(7, 12_345).into()).await;
    assert!(found.is_err());
    assert_ran_cheaply(&explained, 20).await;
    let by_reference = format!("NULL, '{}', 'order 1042', true, NULL, NULL, 51", id(1, 0));
    let types = "uuid, uuid, text, boolean, timestamptz, uuid, bigint";
    assert_cheap(&client, 20, &[(&positional(FIND), types, &by_reference)]).await;
}

#[tokio::test]
async fn messages_are_found_by_a_number_and_by_the_network_s_id_through_indexes() {
    let (_database, client) = seeded().await;
    let workspace = id(1, 0);
    let known: Vec<u8> = client
        .query_one(
            "SELECT network_id_hash FROM messages
             WHERE workspace_id = $1 AND network_id_hash IS NOT NULL LIMIT 1",
            &[&workspace],
        )
        .await
        .unwrap()
        .get(0);
    let hash = HEXLOWER.encode(&known);
    let by_id = format!("'{workspace}', '\\x{hash}'");
    let phone: String = client
        .query_one(
            "SELECT phone FROM contacts WHERE workspace_id = $1 AND phone IS NOT NULL LIMIT 1",
            &[&workspace],
        )
        .await
        .unwrap()
        .get(0);
    let by_number = format!("'{workspace}', '{phone}', 30");
    assert_cheap(
        &client,
        40,
        &[
            (&positional(BY_NETWORK_ID), "uuid, bytea", &by_id),
            (&positional(BY_NUMBER), "uuid, text, bigint", &by_number),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_life_is_read_by_keys() {
    let (database, client) = seeded().await;
    let (workspace, send) = (id(1, 0), id(7, 12_345));
    let explained = ExplainedStore::over(&database);
    assert!(explained.stores.messages.life(workspace.into(), send.into()).await.unwrap().is_some());
    assert_ran_cheaply(&explained, 2).await;
    let tell = format!(
        "UPDATE delivery_log SET message_id = id(7, (random() * 20000)::int) WHERE message_id IS NULL;
         UPDATE delivery_log SET message_id = '{send}' WHERE workspace_id = '{workspace}' AND id = '{}';
         ANALYZE",
        id(9, 12_345)
    );
    client.batch_execute(&tell).await.unwrap();
    let client = delivering(&database).await;
    let told = format!("'{workspace}', '{send}', '2026-11-01', 200");
    assert_cheap(&client, 20, &[(&positional(TOLD), "uuid, uuid, timestamptz, bigint", &told)]).await;
}
