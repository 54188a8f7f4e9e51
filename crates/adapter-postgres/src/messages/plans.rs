//! How PostgreSQL runs what tells a message's life when a workspace is large and others lie beside it.

use domain::{
    messages::{
        NetworkMessageId,
        ports::{MessageSearchStore, MessageStore},
    },
    testing::a_recipient,
    webhooks::ports::MessageLives,
};

use super::{
    find::FIND,
    search::{SEARCH, WITHIN},
};
use crate::{
    explained::ExplainedStore,
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
    // The seeded file's key is not valid.
    let found = MessageStore::find(&*explained.stores.messages, id(1, 0).into(), id(7, 12_345).into()).await;
    assert!(found.is_err());
    assert_ran_cheaply(&explained, 20).await;
    let by_reference = format!("NULL, '{}', 'order 1042', true, NULL, NULL, 51", id(1, 0));
    let types = "uuid, uuid, text, boolean, timestamptz, uuid, bigint";
    assert_cheap(&client, 20, &[(&positional(FIND), types, &by_reference)]).await;
}

#[tokio::test]
async fn messages_are_found_by_a_number_and_by_the_network_s_id_through_indexes() {
    let (database, client) = seeded().await;
    let (workspace, message) = (id(1, 0), id(15, 12_345));
    let explained = ExplainedStore::over(&database);
    let named = NetworkMessageId::from("wamid.of one".to_owned());
    let hash = explained.stores.database.network_id_hash(&named).to_vec();
    let name = "UPDATE messages SET network_id_hash = $3 WHERE workspace_id = $1 AND id = $2";
    assert_eq!(client.execute(name, &[&workspace, &message, &hash]).await.unwrap(), 1);
    let found = explained.stores.messages.find_by_network_id(workspace.into(), &named).await.unwrap();
    assert_eq!(found.map(|found| found.id), Some(message.into()));
    assert_ran_cheaply(&explained, 20).await;
    let phone = a_recipient();
    let number = "UPDATE contacts SET phone = $3 WHERE workspace_id = $1 AND id = $2";
    let person = id(5, 12_345);
    assert_eq!(client.execute(number, &[&workspace, &person, &phone.as_str()]).await.unwrap(), 1);
    // One of the two has a file whose key is not valid.
    assert!(explained.stores.messages.newest_with(workspace.into(), &phone, 30).await.is_err());
    assert_eq!(explained.stores.messages.newest_with(workspace.into(), &phone, 1).await.unwrap().len(), 1);
    assert_ran_cheaply(&explained, 40).await;
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
    let life = explained.stores.messages.life(workspace.into(), send.into()).await.unwrap().unwrap();
    assert!(!life.told.is_empty());
    assert_ran_cheaply(&explained, 20).await;
}

/// A large workspace, small ones, and words in all messages, in some and in few.
#[tokio::test]
async fn messages_are_found_by_words_day_by_day_and_in_a_conversation_by_walking_it() {
    let (database, client) = seeded().await;
    client
        .batch_execute(
            "UPDATE messages SET searchable = 'text ' || (('x' || right(id::text, 8))::bit(32)::int % 500) || 'th'
                 || CASE WHEN ('x' || right(id::text, 8))::bit(32)::int % 10000 = 7 THEN ' rare' ELSE '' END",
        )
        .await
        .unwrap();
    client.batch_execute("VACUUM ANALYZE messages").await.unwrap();
    let workspace = id(1, 0);
    let text = positional(SEARCH).replace("{is}", "IS NOT DISTINCT FROM");
    let types = "timestamptz, uuid, text[], uuid, bigint";
    let search = |words: &str| format!("NULL, '{workspace}', '{words}', NULL, 51");
    assert_cheap(&client, 200, &[(&text, types, &search("{rare}")), (&text, types, &search("{text,17th}"))])
        .await;
    let within = format!("'{workspace}', '{}', NULL, NULL, 1000, '{{% text%}}', 51", id(6, 12_345));
    let types = "uuid, uuid, timestamptz, uuid, bigint, text[], bigint";
    assert_cheap(&client, 50, &[(&positional(WITHIN), types, &within)]).await;

    let explained = ExplainedStore::over(&database);
    client.batch_execute("UPDATE messages SET searchable = NULL WHERE id = id(7, 77)").await.unwrap();
    let store: &dyn MessageSearchStore = &*explained.stores.messages;
    assert_eq!(store.workspaces_without_words().await.unwrap(), [workspace.into()]);
    assert_eq!(store.keep_words(workspace.into(), 10).await.unwrap(), 1);
    assert_ran_cheaply(&explained, 450).await;
    assert!(store.workspaces_without_words().await.unwrap().is_empty());
}
