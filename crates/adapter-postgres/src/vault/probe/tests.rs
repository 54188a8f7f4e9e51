//! The probe of a database, and the keys that an older database shows by its rows.

use std::sync::Arc;

use domain::{
    testing::SequentialIds,
    vault::{
        Binding, CheckKeys, CheckKeysError, KeysFound, Trace, Traces, Vault, WrongKey,
        ports::{KeyProbes, Purpose, SealedValues},
    },
};
use tokio_postgres::Client;
use uuid::Uuid;

use super::super::tests::TestVault;
use crate::{Stores, explained::client, places, testing::TestDatabase};

const WORKSPACE: Uuid = Uuid::from_u128(1);
const ACCOUNT: Uuid = Uuid::from_u128(3);

/// A workspace whose account has no token, and without any hashed values.
const ROWS: &str = "
    INSERT INTO workspaces VALUES (lpad('1', 32, '0')::uuid, 'w', 'ar', 'IQ', NULL, false, now());
    INSERT INTO members (workspace_id, id, email, role, created_at)
        VALUES (lpad('1', 32, '0')::uuid, lpad('2', 32, '0')::uuid, 'o@o.example', 'owner', now());
    INSERT INTO accounts VALUES (lpad('1', 32, '0')::uuid, lpad('3', 32, '0')::uuid, 'a', '', now(), NULL, now());
    INSERT INTO channels VALUES (lpad('1', 32, '0')::uuid, lpad('4', 32, '0')::uuid, 'whatsapp',
        lpad('3', 32, '0')::uuid, 'n', '+9647', false, now(), 0, NULL)";

struct World {
    database: TestDatabase,
    sql: Client,
}

impl World {
    async fn new() -> Self {
        let database = TestDatabase::fresh().await;
        let sql = client(&database).await;
        sql.batch_execute(ROWS).await.unwrap();
        Self { database, sql }
    }

    fn stores(&self, current: u8, others: &[u8]) -> Stores {
        self.database.stores(TestVault::new(current, others), Arc::new(SequentialIds::default()))
    }

    fn keys(&self, current: u8, others: &[u8]) -> CheckKeys {
        // A single vault, as in a process: the store uses the binding that it is told.
        let vault = TestVault::new(current, others);
        let probes = self.database.stores(vault.clone(), Arc::new(SequentialIds::default())).sealed_values;
        CheckKeys { probes, vault }
    }

    async fn traces(&self, current: u8, others: &[u8]) -> (Trace, Trace) {
        let Traces { sealed, hashed, .. } =
            self.stores(current, others).sealed_values.traces().await.unwrap();
        (sealed, hashed)
    }

    async fn connect(&self, key: u8) {
        let token = TestVault::new(key, &[])
            .seal(b"token", &places::token(WORKSPACE.into(), ACCOUNT.into()))
            .unwrap();
        self.sql.execute("UPDATE accounts SET token_sealed = $1", &[&token]).await.unwrap();
    }

    async fn send(&self, number: u128, sealed_by: u8, hashed_by: u8) {
        let (id, name) = (Uuid::from_u128(number), format!("wamid.{number}"));
        let sealed = TestVault::new(sealed_by, &[])
            .seal(name.as_bytes(), &places::network_id(WORKSPACE.into(), id.into()))
            .unwrap();
        let hash = TestVault::new(hashed_by, &[]).keyed_hash("network-message-id", name.as_bytes());
        let insert = "INSERT INTO sends
            (workspace_id, id, channel_id, state, network_id_sealed, network_id_hash, created_at)
            VALUES (lpad('1', 32, '0')::uuid, $1, lpad('4', 32, '0')::uuid, 'sent', $2, $3, now())";
        self.sql.execute(insert, &[&id, &sealed, &&hash[..]]).await.unwrap();
    }

    async fn issue_a_key(&self) {
        let insert = "INSERT INTO api_keys VALUES ('hash', gen_random_uuid(), lpad('1', 32, '0')::uuid,
                      lpad('2', 32, '0')::uuid, '', '{}', now(), NULL)";
        self.sql.batch_execute(insert).await.unwrap();
    }
}

fn wrong(found: Result<KeysFound, CheckKeysError>) -> WrongKey {
    match found {
        Err(CheckKeysError::Wrong(wrong)) => wrong,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rows_tell_of_a_key_only_what_it_has_made() {
    let world = World::new().await;
    assert_eq!(world.traces(1, &[]).await, (Trace::Nothing, Trace::Nothing));
    world.issue_a_key().await;
    assert_eq!(world.traces(1, &[]).await, (Trace::Nothing, Trace::Unclear));
    world.connect(1).await;
    assert_eq!(world.traces(1, &[]).await, (Trace::Right, Trace::Unclear));
    assert_eq!(world.traces(2, &[]).await, (Trace::Wrong, Trace::Unclear));
    assert_eq!(world.traces(2, &[1]).await, (Trace::Right, Trace::Unclear));
    world.send(20, 1, 1).await;
    assert_eq!(world.traces(1, &[]).await, (Trace::Right, Trace::Right));
    assert_eq!(world.traces(2, &[1]).await, (Trace::Right, Trace::Right));
    assert_eq!(world.traces(1, &[2]).await, (Trace::Right, Trace::Wrong));
    assert_eq!(world.traces(2, &[]).await, (Trace::Wrong, Trace::Unclear));
    // Hashes that another key made later prove nothing; earlier ones do.
    world.send(30, 1, 2).await;
    assert_eq!(world.traces(1, &[]).await, (Trace::Right, Trace::Right));
    world.send(10, 1, 2).await;
    assert_eq!(world.traces(1, &[]).await, (Trace::Right, Trace::Wrong));
}

#[tokio::test]
async fn an_older_database_takes_the_keys_that_its_rows_show() {
    let world = World::new().await;
    world.connect(1).await;
    world.issue_a_key().await;
    assert_eq!(world.keys(1, &[]).run().await.unwrap(), KeysFound::HashKeyUnclear);
    assert_eq!(wrong(world.keys(2, &[]).run().await), WrongKey::Master);
    world.send(1, 1, 1).await;
    assert_eq!(wrong(world.keys(1, &[2]).run().await), WrongKey::Hash);
    assert_eq!(world.keys(1, &[]).run().await.unwrap(), KeysFound::Right);
    // From now on the rows are not examined.
    world.sql.batch_execute("DELETE FROM sends; UPDATE accounts SET token_sealed = 'spoiled'").await.unwrap();
    assert_eq!(world.keys(2, &[1]).run().await.unwrap(), KeysFound::Right);
    assert_eq!(wrong(world.keys(1, &[2]).run().await), WrongKey::Hash);
}

#[tokio::test]
async fn of_many_that_are_first_at_once_only_those_with_the_same_keys_go_on() {
    let world = World::new().await;
    let all = (0..12).map(|number| world.keys(number % 3 + 1, &[]));
    let found =
        futures_util::future::join_all(all.map(|keys| async move { (keys.run().await.is_ok(), keys) })).await;
    assert_eq!(found.iter().filter(|(is_right, _)| *is_right).count(), 4);
    for (is_right, keys) in &found {
        assert_eq!(keys.run().await.is_ok(), *is_right);
    }
}

#[tokio::test]
async fn the_probe_is_sealed_anew_with_all_else_and_its_hash_stays() {
    let world = World::new().await;
    world.keys(1, &[]).run().await.unwrap();
    assert_eq!(wrong(world.keys(2, &[]).run().await), WrongKey::Master);
    let stores = world.stores(2, &[1]);
    let mut walk = stores.sealed_values.walk(Purpose::Reseal);
    while walk.step().await.unwrap().is_some() {}
    assert_eq!(wrong(world.keys(1, &[]).run().await), WrongKey::Master);
    assert_eq!(world.keys(2, &[1]).run().await.unwrap(), KeysFound::Right);
    // Alone it would hash with itself.
    assert_eq!(wrong(world.keys(2, &[]).run().await), WrongKey::Hash);
    world.keys(2, &[]).adopt().await.unwrap();
    assert_eq!(world.keys(2, &[]).run().await.unwrap(), KeysFound::Right);
}

#[tokio::test]
async fn nodes_of_an_older_database_bind_when_the_database_does() {
    let world = World::new().await;
    let older = TestVault::new(1, &[]);
    older.bind(Binding::NotYet);
    let token = older.seal(b"token", &places::token(WORKSPACE.into(), ACCOUNT.into())).unwrap();
    world.sql.execute("UPDATE accounts SET token_sealed = $1", &[&token]).await.unwrap();
    let (node, command) = (world.keys(1, &[]), world.keys(1, &[]));
    for keys in [&node, &command] {
        keys.run().await.unwrap();
        assert_eq!(keys.vault.binding(), Binding::NotYet);
    }
    for binding in [Binding::Begun, Binding::Complete] {
        assert_eq!(command.go_on_to(binding).await.unwrap(), binding);
        assert_eq!(node.learn().await.unwrap(), binding);
        let fresh = world.keys(1, &[]);
        fresh.run().await.unwrap();
        assert_eq!(fresh.vault.binding(), binding);
    }
    // Without its probe the rows of such a database show that it is no older one.
    let bound = TestVault::new(1, &[]).seal(b"x", &places::token(WORKSPACE.into(), ACCOUNT.into())).unwrap();
    world.sql.execute("UPDATE accounts SET token_sealed = $1", &[&bound]).await.unwrap();
    world.sql.batch_execute("DELETE FROM key_probe").await.unwrap();
    let robbed = world.keys(1, &[]);
    robbed.run().await.unwrap();
    assert_eq!(robbed.vault.binding(), Binding::Complete);
}
