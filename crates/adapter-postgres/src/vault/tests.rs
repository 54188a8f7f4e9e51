//! Sealed values of every kind, and the key that changes under them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{
    testing::SequentialIds,
    vault::{
        PROBE_CONTEXT, ResealValues, Vault, VaultError,
        ports::{Purpose, SealedValues},
    },
};
use tokio_postgres::Client;
use uuid::Uuid;

use super::{
    AT_ONCE,
    columns::{COLUMNS, Column},
    probe, quarantine,
    walk::Fresh,
};
use crate::{
    PgStore,
    explained::client,
    inbound::{QUARANTINE_CONTEXT, item_context},
    testing::Database,
};

/// Columns of bytes that no walk visits, and why.
const EXCEPTIONS: [(&str, &[&str]); 2] = [
    (
        "is a keyed hash, which stays with its key: what was hashed is gone",
        &[
            "api_keys.key_hash",
            "attempt_windows.key_hash",
            "idempotency_keys.key_hash",
            "idempotency_keys.request_hash",
            "invitations.token_hash",
            "key_probe.probe_hash",
            "messages.network_id_hash",
            "password_resets.token_hash",
            "recovery_codes.code_hash",
            "sends.network_id_hash",
            "sessions.token_hash",
        ],
    ),
    ("is what the network says that a file hashes to", &["attachments.sha256"]),
];

/// Two workspaces with a row for every column, whose values are empty.
const ROWS: &str = "
    CREATE FUNCTION id(kind int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid $$;
    CREATE TABLE w AS SELECT n, id(1, n) AS id, '2026-11-21 10:00Z'::timestamptz AS at FROM generate_series(1, 2) n;
    CREATE TABLE delivery_log_20261121 PARTITION OF delivery_log
        FOR VALUES FROM ('2026-11-21 00:00Z') TO ('2026-11-22 00:00Z');
    INSERT INTO workspaces SELECT id, 'w', 'ar', 'IQ', NULL, false, at FROM w;
    INSERT INTO members (workspace_id, id, email, role, created_at, totp_sealed)
        SELECT id, id(2, n), 'o@o.example', 'owner', at, '' FROM w;
    INSERT INTO accounts SELECT id, id(3, n), 'a', '', at, NULL, at FROM w;
    INSERT INTO channels SELECT id, id(4, n), 'whatsapp', id(3, n), 'n', '+9647', false, at, 0, NULL FROM w;
    INSERT INTO contacts (workspace_id, id, phone, source, created_at) SELECT id, id(5, n), '+1', 'messaged', at FROM w;
    INSERT INTO conversations (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
        SELECT id, id(6, n), id(5, n), id(4, n), 'whatsapp', 'bot', at, at FROM w;
    INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
        SELECT id, id(7, n), id(6, n), 'customer', 'text', at FROM w;
    INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed)
        SELECT id, id(7, n), position, 'image', '' FROM w, generate_series(0, 1) position;
    INSERT INTO sends (workspace_id, id, channel_id, state, network_id_sealed, created_at)
        SELECT id, id(8, n), id(4, n), 'sent', '', at FROM w;
    INSERT INTO journal SELECT id, id(9, n), 'status', '', 0, at, at FROM w;
    INSERT INTO webhook_addresses
        (workspace_id, id, url, events, secret_sealed, previous_secret_sealed, previous_secret_until, created_at)
        SELECT id, id(10, n), 'https://n.example', '{}', '', '', at, at FROM w;
    INSERT INTO delivery_log
        SELECT id, id(11, n + 2 * day), id(10, n), 'message.sent', '', NULL, at + day * interval '1 day'
        FROM w, generate_series(0, 1) day;
    INSERT INTO delivery_attempts
        SELECT id, id(11, n), attempt, at, 1, 500, 'status 500', '', at FROM w, generate_series(1, 2) attempt;
    INSERT INTO quarantine (reason, payload_sealed, received_at, workspace_id, update_id)
        SELECT 'no JSON', ''::bytea, at, NULL::uuid, NULL::uuid FROM w UNION ALL SELECT 'too often', '', at, id, id(9, n) FROM w;
    INSERT INTO key_probe (probe_sealed) VALUES ('')";

/// Values that one walk finds among these rows.
const VALUES: u64 = 2 * 12 + 4 + 1;

/// Seals with one key, opens with it and others, and hashes with the last of them; a value begins with its key's byte.
pub(super) struct TestVault {
    current: u8,
    others: Vec<u8>,
    sealed: AtomicU64,
}

impl TestVault {
    pub(super) fn new(current: u8, others: &[u8]) -> Arc<Self> {
        Arc::new(Self { current, others: others.to_vec(), sealed: AtomicU64::default() })
    }
}

impl Vault for TestVault {
    fn seal(&self, plain: &[u8], context: &str) -> Result<Vec<u8>, VaultError> {
        let count = self.sealed.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        Ok([&[1, self.current][..], &count, context.as_bytes(), b"|", plain].concat())
    }

    fn open(&self, sealed: &[u8], context: &str) -> Result<Vec<u8>, VaultError> {
        let (head, rest) = sealed.split_at_checked(10).ok_or(VaultError::CannotOpen)?;
        let known = head[1] == self.current || self.others.contains(&head[1]);
        let plain = rest.strip_prefix(context.as_bytes()).and_then(|rest| rest.strip_prefix(b"|"));
        plain.filter(|_| known).map(<[u8]>::to_vec).ok_or(VaultError::CannotOpen)
    }

    fn sealed_prefix(&self) -> Vec<u8> {
        vec![1, self.current]
    }

    fn keyed_hash(&self, purpose: &str, data: &[u8]) -> [u8; 32] {
        let mut hash = [*self.others.last().unwrap_or(&self.current); 32];
        let parts = purpose.bytes().chain(data.iter().copied()).enumerate();
        parts.for_each(|(position, byte)| hash[position % 32] ^= byte);
        hash
    }

    fn random(&self) -> [u8; 32] {
        [0; 32]
    }
}

/// A database whose every sealed value is sealed by key 1.
struct World {
    database: Database,
    sql: Client,
}

impl World {
    async fn new() -> Self {
        let database = Database::fresh().await;
        let sql = client(&database).await;
        sql.batch_execute(ROWS).await.unwrap();
        let (world, old) = (Self { database, sql }, TestVault::new(1, &[]));
        for column in &COLUMNS {
            for (place, context, _) in world.values(column).await {
                let sealed = old.seal(context.as_bytes(), &context).unwrap();
                world.set(column, &place, &sealed).await;
            }
        }
        for (id, context, _) in world.quarantined().await {
            let sealed = old.seal(context.as_bytes(), &context).unwrap();
            world
                .sql
                .execute("UPDATE quarantine SET payload_sealed = $2 WHERE id = $1", &[&id, &sealed])
                .await
                .unwrap();
        }
        let probe = old.seal(PROBE_CONTEXT.as_bytes(), PROBE_CONTEXT).unwrap();
        world.sql.execute("UPDATE key_probe SET probe_sealed = $1", &[&probe]).await.unwrap();
        world
    }

    fn store(&self, current: u8, others: &[u8]) -> PgStore {
        self.database.store(TestVault::new(current, others), Arc::new(SequentialIds::default()))
    }

    fn values_of(&self, current: u8, others: &[u8]) -> ResealValues {
        ResealValues { values: Arc::new(self.store(current, others)) }
    }

    /// Of each row where it is, what its value is sealed for, and the value.
    async fn values(&self, column: &Column) -> Vec<(String, String, Vec<u8>)> {
        let (table, value) = column.name.split_once('.').unwrap();
        let key = match table {
            "attachments" => "message_id AS id, position AS part",
            "delivery_attempts" => "delivery_id AS id, attempt AS part",
            _ => "id, 0 AS part",
        };
        let query = format!(
            "SELECT tableoid::regclass || ' WHERE ctid = ''' || ctid || '''', {key}, {value} FROM {table}"
        );
        let rows = self.sql.query(&query, &[]).await.unwrap();
        let context = |id: Uuid, part: i32| (column.context)(id, part);
        rows.iter().map(|row| (row.get(0), context(row.get(1), row.get(2)), row.get(3))).collect()
    }

    async fn set(&self, column: &Column, place: &str, sealed: &[u8]) {
        let value = column.name.split_once('.').unwrap().1;
        let (table, row) = place.split_once(' ').unwrap();
        self.sql.execute(&format!("UPDATE {table} SET {value} = $1 {row}"), &[&sealed]).await.unwrap();
    }

    async fn quarantined(&self) -> Vec<(i64, String, Vec<u8>)> {
        let query = "SELECT id, update_id, payload_sealed FROM quarantine ORDER BY id";
        let rows = self.sql.query(query, &[]).await.unwrap();
        let context = |update: Option<Uuid>| {
            update.map_or(QUARANTINE_CONTEXT.to_owned(), |update| item_context(update.into()))
        };
        rows.iter().map(|row| (row.get(0), context(row.get(1)), row.get(2))).collect()
    }

    /// Asserts that each value opens with one key alone, for what it was sealed for, and says what it said.
    async fn assert_opened_by(&self, key: u8) {
        let vault = TestVault::new(key, &[]);
        let mut opened = 0;
        for column in &COLUMNS {
            for (_, context, sealed) in self.values(column).await {
                assert_eq!(
                    vault.open(&sealed, &context),
                    Ok(context.clone().into_bytes()),
                    "{}",
                    column.name
                );
                opened += 1;
            }
        }
        for (_, context, sealed) in self.quarantined().await {
            assert_eq!(vault.open(&sealed, &context), Ok(context.into_bytes()));
            opened += 1;
        }
        let probe: Vec<u8> =
            self.sql.query_one("SELECT probe_sealed FROM key_probe", &[]).await.unwrap().get(0);
        assert_eq!(vault.open(&probe, PROBE_CONTEXT), Ok(PROBE_CONTEXT.as_bytes().to_vec()));
        assert_eq!(opened + 1, VALUES);
    }
}

#[tokio::test]
async fn every_column_of_bytes_is_gone_through_or_excepted_for_a_reason() {
    let database = Database::fresh().await;
    let columns = "SELECT relname || '.' || attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                   WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
                     AND atttypid = 'bytea'::regtype AND attnum > 0 AND NOT attisdropped ORDER BY 1";
    let found = client(&database).await.query(columns, &[]).await.unwrap();
    let found: Vec<String> = found.iter().map(|row| row.get(0)).collect();
    let excepted = EXCEPTIONS.iter().flat_map(|(_, columns)| *columns).copied();
    let mut known: Vec<_> = COLUMNS
        .iter()
        .map(|column| column.name)
        .chain([quarantine::NAME, probe::NAME])
        .chain(excepted)
        .collect();
    known.sort_unstable();
    let mut sorted = found;
    sorted.sort_unstable();
    assert_eq!(sorted, known);
}

#[tokio::test]
async fn what_the_old_key_sealed_is_sealed_by_the_new_one_everywhere() {
    let world = World::new().await;
    world.assert_opened_by(1).await;
    let values = world.values_of(2, &[1]);
    let before = values.count(|_| ()).await.unwrap();
    assert_eq!((before.total(), before.resealed, before.unreadable), (VALUES, 0, 0));
    assert_eq!(before.others.len(), COLUMNS.len() + 2);
    world.assert_opened_by(1).await;

    let resealed = values.run(|_| ()).await.unwrap();
    assert_eq!((resealed.done.resealed, resealed.done.unreadable), (VALUES, 0));
    assert_eq!((resealed.left.rows, resealed.left.others), (resealed.done.rows, BTreeMap::new()));
    world.assert_opened_by(2).await;
    // Again, and with the old key gone: there is nothing to do.
    let again = world.values_of(2, &[]).run(|_| ()).await.unwrap();
    assert_eq!((again.done.total(), again.left.total()), (0, 0));
}

#[tokio::test]
async fn what_was_stopped_half_way_is_gone_on_with() {
    let world = World::new().await;
    let store = world.store(2, &[1]);
    let mut walk = store.walk(Purpose::Reseal);
    let mut done = 0;
    for _ in 0..COLUMNS.len() + 3 {
        done += walk.step().await.unwrap().unwrap().resealed;
    }
    drop(walk);
    assert!(done > VALUES / 2 && done < VALUES, "{done}");
    let rest = world.values_of(2, &[1]).run(|_| ()).await.unwrap();
    assert_eq!((rest.done.resealed, rest.left.total()), (VALUES - done, 0));
    world.assert_opened_by(2).await;
}

#[tokio::test]
async fn a_value_that_was_changed_meanwhile_is_not_overwritten() {
    let world = World::new().await;
    let (store, new) = (world.store(2, &[1]), TestVault::new(2, &[1]));
    for column in &COLUMNS {
        let (place, _, was) = world.values(column).await.remove(0);
        // Somebody else seals another value after it was read.
        let theirs = new.seal(b"theirs", "theirs").unwrap();
        world.set(column, &place, &theirs).await;
        let table = column.name.split_once('.').unwrap().0;
        let key = match table {
            "attachments" => "workspace_id, message_id, NULL::timestamptz",
            "delivery_attempts" => "workspace_id, delivery_id, created_at",
            "delivery_log" => "workspace_id, id, created_at",
            _ => "workspace_id, id, NULL::timestamptz",
        };
        let value = column.name.split_once('.').unwrap().1;
        let find = format!("SELECT {key} FROM {table} WHERE {value} = $1");
        let row = world.sql.query_one(&find, &[&theirs]).await.unwrap();
        let fresh = |was| Fresh { id: row.get(1), at: row.get(2), was, value: b"ours".to_vec() };
        assert_eq!(store.replace(column, row.get(0), &[fresh(was)]).await.unwrap(), 0, "{}", column.name);
        let now: Vec<Vec<u8>> = world.values(column).await.into_iter().map(|(_, _, value)| value).collect();
        assert!(now.contains(&theirs), "{}", column.name);
        assert_eq!(store.replace(column, row.get(0), &[fresh(theirs)]).await.unwrap(), 1, "{}", column.name);
    }
}

#[tokio::test]
async fn what_somebody_holds_is_left_for_the_next_time() {
    let mut world = World::new().await;
    let values = world.values_of(2, &[1]);
    let held = world.sql.transaction().await.unwrap();
    held.batch_execute(
        "SELECT FROM accounts WHERE id = id(3, 1) FOR UPDATE; SELECT FROM quarantine FOR UPDATE",
    )
    .await
    .unwrap();
    let resealed = values.run(|_| ()).await.unwrap();
    let left = BTreeMap::from([("accounts.token_sealed", 1), (quarantine::NAME, 4)]);
    assert_eq!(resealed.left.others, left);
    held.rollback().await.unwrap();
    assert_eq!(values.run(|_| ()).await.unwrap().left.total(), 0);
    world.assert_opened_by(2).await;
}

#[tokio::test]
async fn what_no_key_opens_is_left_and_told_of_and_nothing_is_no_value() {
    let world = World::new().await;
    let strange = TestVault::new(9, &[]).seal(b"", "").unwrap();
    world
        .sql
        .execute("UPDATE accounts SET token_sealed = $1 WHERE id = id(3, 1)", &[&strange])
        .await
        .unwrap();
    world
        .sql
        .batch_execute("UPDATE webhook_addresses SET secret_sealed = '', previous_secret_sealed = NULL")
        .await
        .unwrap();
    let resealed = world.values_of(2, &[1]).run(|_| ()).await.unwrap();
    assert_eq!((resealed.done.resealed, resealed.done.unreadable), (VALUES - 5, 1));
    assert_eq!(resealed.left.others, BTreeMap::from([("accounts.token_sealed", 1)]));
}

#[tokio::test]
async fn a_large_column_is_gone_through_in_parts() {
    let world = World::new().await;
    let old = TestVault::new(1, &[]);
    let count = 2 * AT_ONCE + 1;
    for number in 0..count {
        let id = Uuid::from_u128((99 << 96) + u128::try_from(number).unwrap());
        let sealed = old.seal(b"", &item_context(id.into())).unwrap();
        let insert = "INSERT INTO journal SELECT id(1, 1), $1, 'status', $2, 0, now(), now()";
        world.sql.execute(insert, &[&id, &sealed]).await.unwrap();
    }
    let store = world.store(2, &[1]);
    let mut walk = store.walk(Purpose::Reseal);
    let mut parts = Vec::new();
    while let Some(step) = walk.step().await.unwrap() {
        if step.column == "journal.item_sealed" {
            parts.push((step.rows, step.resealed));
        }
    }
    let full = u64::try_from(AT_ONCE).unwrap();
    assert_eq!(parts, [(full, full), (full, full), (2, 2), (1, 1)]);
}
