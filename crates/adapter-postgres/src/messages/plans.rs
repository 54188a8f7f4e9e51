//! How PostgreSQL runs what tells a message's life when a workspace is large and others lie beside it.

use super::{
    find::{FIND, FIND_BY_REFERENCE},
    life::{KEPT, TOLD},
};
use crate::{
    explained::delivering,
    seeded::{assert_cheap, id, seeded},
};

#[tokio::test]
async fn what_became_of_messages_is_read_by_their_ids_and_by_the_callers_own() {
    let (_database, client) = seeded().await;
    client
        .batch_execute("UPDATE sends SET reference = 'order ' || (random() * 5000)::int; ANALYZE sends")
        .await
        .unwrap();
    let workspace = id(1, 0);
    let by_reference = format!("'{workspace}', 'order 1042', true, NULL, NULL, 51");
    assert_cheap(
        &client,
        20,
        &[
            (FIND, "uuid, uuid", &format!("'{workspace}', '{}'", id(7, 12_345))),
            (FIND_BY_REFERENCE, "uuid, text, boolean, timestamptz, uuid, bigint", &by_reference),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_life_is_read_by_keys() {
    let (database, client) = seeded().await;
    let (workspace, send) = (id(1, 0), id(7, 12_345));
    let tell = format!(
        "UPDATE delivery_log SET message_id = id(7, (random() * 20000)::int) WHERE message_id IS NULL;
         UPDATE delivery_log SET message_id = '{send}' WHERE workspace_id = '{workspace}' AND id = '{}';
         ANALYZE",
        id(9, 12_345)
    );
    client.batch_execute(&tell).await.unwrap();
    let of = format!("'{workspace}', '{send}'");
    assert_cheap(&client, 2, &[(KEPT, "uuid, uuid", &of)]).await;
    let client = delivering(&database).await;
    let told = format!("{of}, '2026-11-01', 200");
    assert_cheap(&client, 20, &[(TOLD, "uuid, uuid, timestamptz, bigint", &told)]).await;
}
