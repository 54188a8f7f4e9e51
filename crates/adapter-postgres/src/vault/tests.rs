//! Sealed values of every kind, and changes of their key.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{
    testing::SequentialIds,
    vault::{
        Binding, ResealValues, SealContext, Vault, VaultError,
        ports::{Purpose, SealedValues},
        probe_place,
    },
};
use tokio_postgres::{Client, Row};
use uuid::Uuid;

use super::{
    columns::{COLUMNS, Column},
    probe, quarantine,
    walk::{AT_ONCE, Fresh},
};
use crate::{Stores, explained::client, places, testing::TestDatabase};

const EXCEPTIONS: [(&str, &[&str]); 2] = [
    (
        "is a keyed hash, which stays with its key: what was hashed is gone",
        &[
            "api_keys.key_hash",
            "attempt_windows.key_hash",
            "booking_requests.key_hash",
            "booking_requests.request_hash",
            "drafts.key_hash",
            "drafts.request_hash",
            "idempotency_keys.key_hash",
            "idempotency_keys.request_hash",
            "invitations.token_hash",
            "key_probe.probe_hash",
            "leads.key_hash",
            "leads.request_hash",
            "messages.network_id_hash",
            "password_resets.token_hash",
            "recovery_codes.code_hash",
            "sends.network_id_hash",
            "sessions.sign_up_hash",
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
    INSERT INTO unread_messages SELECT id, id(6, n), id(7, n), '' FROM w;
    INSERT INTO journal SELECT id, id(9, n), 'status', '', 0, at, at FROM w;
    INSERT INTO webhook_addresses
        (workspace_id, id, url, events, secret_sealed, previous_secret_sealed, previous_secret_until, created_at)
        SELECT id, id(10, n), 'https://n.example', '{}', '', '', at, at FROM w;
    INSERT INTO systems
        SELECT id, id(12, n), 'https://n.example', '', 'n', 'IQD', '{}', 'active', NULL, 0, 0, 0, NULL, NULL, at, at, at, 0
        FROM w;
    INSERT INTO model_keys SELECT id, id(17, n), '', at, NULL FROM w;
    INSERT INTO system_calls SELECT id, id(13, n), 'GET /verify', 'answered', 200, 1, 1, '{}', '', at FROM w;
    INSERT INTO leads SELECT id, id(14, n), NULL, NULL, 'waiting', '', 0, NULL, at FROM w;
    INSERT INTO drafts SELECT id, id(15, n), id(6, n), 'order', 'open', 'ar', '', id(7, n), id(2, n), id(12, n),
        NULL, NULL, NULL, NULL, at, false, at, at FROM w;
    INSERT INTO prepared_replies SELECT id, id(16, n), id(6, n), id(2, n), '', NULL, at, at FROM w;
    INSERT INTO delivery_log
        SELECT id, id(11, n + 2 * day), id(10, n), 'message.sent', '', NULL, at + day * interval '1 day'
        FROM w, generate_series(0, 1) day;
    INSERT INTO delivery_attempts
        SELECT id, id(11, n), attempt, at, 1, 500, 'status 500', '', at FROM w, generate_series(1, 2) attempt;
    INSERT INTO quarantine (reason, payload_sealed, received_at, workspace_id, update_id)
        SELECT 'no JSON', ''::bytea, at, NULL::uuid, NULL::uuid FROM w UNION ALL SELECT 'too often', '', at, id, id(9, n) FROM w;
    INSERT INTO key_probe (probe_sealed) VALUES ('')";

const PROBED: &[u8] = b"probe";

/// Number of values that one walk finds in these rows.
const VALUES: u64 = 2 * 19 + 4 + 1;

/// Seals with one key, opens with it and others, and hashes with the last of them. A value begins with a byte
/// for its form and one for its key.
pub(super) struct TestVault {
    current: u8,
    others: Vec<u8>,
    sealed: AtomicU64,
    binding: Mutex<Binding>,
}

impl TestVault {
    pub(super) fn new(current: u8, others: &[u8]) -> Arc<Self> {
        Arc::new(Self {
            current,
            others: others.to_vec(),
            sealed: AtomicU64::default(),
            binding: Mutex::new(Binding::Complete),
        })
    }
}

impl TestVault {
    fn form(&self) -> u8 {
        if self.binding() == Binding::NotYet { 1 } else { 2 }
    }
}

impl Vault for TestVault {
    fn seal(&self, plain: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        let count = self.sealed.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let context = if self.form() == 1 { place.formerly() } else { place.bound() };
        Ok([&[self.form(), self.current][..], &count, context.as_bytes(), b"|", plain].concat())
    }

    fn open(&self, sealed: &[u8], place: &SealContext) -> Result<Vec<u8>, VaultError> {
        let (head, rest) = sealed.split_at_checked(10).ok_or(VaultError::CannotOpen)?;
        let known = (head[0] == 2 || self.binding() < Binding::Complete)
            && (head[1] == self.current || self.others.contains(&head[1]));
        let context = if head[0] == 1 { place.formerly() } else { place.bound() };
        let plain = rest.strip_prefix(context.as_bytes()).and_then(|rest| rest.strip_prefix(b"|"));
        plain.filter(|_| known).map(<[u8]>::to_vec).ok_or(VaultError::CannotOpen)
    }

    fn binding(&self) -> Binding {
        *self.binding.lock().unwrap()
    }

    fn bind(&self, binding: Binding) {
        *self.binding.lock().unwrap() = binding;
    }

    fn is_bound(&self, sealed: &[u8]) -> bool {
        sealed.first() == Some(&2)
    }

    fn sealed_prefix(&self) -> Vec<u8> {
        vec![self.form(), self.current]
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

struct World {
    database: TestDatabase,
    sql: Client,
}

impl World {
    async fn new() -> Self {
        let database = TestDatabase::fresh().await;
        let sql = client(&database).await;
        sql.batch_execute(ROWS).await.unwrap();
        let (world, old) = (Self { database, sql }, TestVault::new(1, &[]));
        for column in COLUMNS.iter() {
            for (row, place, _) in world.values(column).await {
                let sealed = old.seal(place.bound().as_bytes(), &place).unwrap();
                world.set(column, &row, &sealed).await;
            }
        }
        for (id, place, _) in world.quarantined().await {
            let sealed = old.seal(place.bound().as_bytes(), &place).unwrap();
            world
                .sql
                .execute("UPDATE quarantine SET payload_sealed = $2 WHERE id = $1", &[&id, &sealed])
                .await
                .unwrap();
        }
        let probe = old.seal(PROBED, &probe_place()).unwrap();
        world.sql.execute("UPDATE key_probe SET probe_sealed = $1", &[&probe]).await.unwrap();
        world
    }

    fn stores(&self, current: u8, others: &[u8]) -> Stores {
        self.database.stores(TestVault::new(current, others), Arc::new(SequentialIds::default()))
    }

    fn values_of(&self, current: u8, others: &[u8]) -> ResealValues {
        ResealValues { values: self.stores(current, others).sealed_values }
    }

    async fn values(&self, column: &Column) -> Vec<(String, SealContext, Vec<u8>)> {
        let (table, value) = column.name.split_once('.').unwrap();
        let key = match table {
            "attachments" => "message_id AS id, position AS part",
            "delivery_attempts" => "delivery_id AS id, attempt AS part",
            "unread_messages" => "conversation_id AS id, 0 AS part",
            _ => "id, 0 AS part",
        };
        let query = format!(
            "SELECT tableoid::regclass || ' WHERE ctid = ''' || ctid || '''', workspace_id, {key}, {value} FROM {table}"
        );
        let rows = self.sql.query(&query, &[]).await.unwrap();
        let place = |row: &Row| (column.place)(row.get::<_, Uuid>(1).into(), row.get(2), row.get(3));
        rows.iter().map(|row| (row.get(0), place(row), row.get(4))).collect()
    }

    async fn set(&self, column: &Column, row: &str, sealed: &[u8]) {
        let value = column.name.split_once('.').unwrap().1;
        let (table, row) = row.split_once(' ').unwrap();
        self.sql.execute(&format!("UPDATE {table} SET {value} = $1 {row}"), &[&sealed]).await.unwrap();
    }

    async fn quarantined(&self) -> Vec<(i64, SealContext, Vec<u8>)> {
        let query = "SELECT id, workspace_id, update_id, payload_sealed FROM quarantine ORDER BY id";
        let rows = self.sql.query(query, &[]).await.unwrap();
        let place = |row: &Row| match row.get::<_, Option<Uuid>>(1) {
            Some(workspace) => places::journal_item(workspace.into(), row.get::<_, Uuid>(2).into()),
            None => places::quarantined_post(row.get(0)),
        };
        rows.iter().map(|row| (row.get(0), place(row), row.get(3))).collect()
    }

    async fn all(&self) -> Vec<(&'static str, SealContext, Vec<u8>)> {
        let mut all = Vec::new();
        for column in COLUMNS.iter() {
            let values = self.values(column).await.into_iter();
            all.extend(values.map(|(_, place, sealed)| (column.name, place, sealed)));
        }
        let set_aside = self.quarantined().await.into_iter();
        all.extend(set_aside.map(|(_, place, sealed)| (quarantine::NAME, place, sealed)));
        all
    }

    /// Asserts that each value can be opened only with this key, for its place, and has its content.
    async fn assert_opened_by(&self, key: u8) {
        let vault = TestVault::new(key, &[]);
        let mut opened = 0;
        for (name, place, sealed) in self.all().await {
            assert_eq!(vault.open(&sealed, &place), Ok(place.bound().as_bytes().to_vec()), "{name}");
            opened += 1;
        }
        let probe: Vec<u8> =
            self.sql.query_one("SELECT probe_sealed FROM key_probe", &[]).await.unwrap().get(0);
        assert_eq!(vault.open(&probe, &probe_place()), Ok(PROBED.to_vec()));
        assert_eq!(opened + 1, VALUES);
    }
}

#[tokio::test]
async fn every_column_of_bytes_is_gone_through_or_excepted_for_a_reason() {
    let database = TestDatabase::fresh().await;
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
    // A second run, without the old key, has nothing to do.
    let again = world.values_of(2, &[]).run(|_| ()).await.unwrap();
    assert_eq!((again.done.total(), again.left.total()), (0, 0));
}

#[tokio::test]
async fn what_was_stopped_half_way_is_gone_on_with() {
    let world = World::new().await;
    let stores = world.stores(2, &[1]);
    let mut walk = stores.sealed_values.walk(Purpose::Reseal);
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
    let (stores, new) = (world.stores(2, &[1]), TestVault::new(2, &[1]));
    for column in COLUMNS.iter() {
        let (row, _, was) = world.values(column).await.remove(0);
        // Another process seals another value after it was read.
        let theirs = new.seal(b"theirs", &probe_place()).unwrap();
        world.set(column, &row, &theirs).await;
        let table = column.name.split_once('.').unwrap().0;
        let key = match table {
            "attachments" => "workspace_id, message_id, NULL::timestamptz",
            "delivery_attempts" => "workspace_id, delivery_id, created_at",
            "delivery_log" => "workspace_id, id, created_at",
            "unread_messages" => "workspace_id, conversation_id, NULL::timestamptz",
            _ => "workspace_id, id, NULL::timestamptz",
        };
        let value = column.name.split_once('.').unwrap().1;
        let find = format!("SELECT {key} FROM {table} WHERE {value} = $1");
        let row = world.sql.query_one(&find, &[&theirs]).await.unwrap();
        let fresh = |was| Fresh { id: row.get(1), at: row.get(2), was, value: b"ours".to_vec() };
        assert_eq!(
            stores.sealed_values.replace(column, row.get(0), &[fresh(was)]).await.unwrap(),
            0,
            "{}",
            column.name
        );
        let now: Vec<Vec<u8>> = world.values(column).await.into_iter().map(|(_, _, value)| value).collect();
        assert!(now.contains(&theirs), "{}", column.name);
        assert_eq!(
            stores.sealed_values.replace(column, row.get(0), &[fresh(theirs)]).await.unwrap(),
            1,
            "{}",
            column.name
        );
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
    let strange = TestVault::new(9, &[]).seal(b"", &probe_place()).unwrap();
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
        let sealed = old
            .seal(
                b"",
                &places::journal_item(
                    Uuid::from_u128(1 << 96 | 0x7000 << 64 | 0x8000 << 48 | 1).into(),
                    id.into(),
                ),
            )
            .unwrap();
        let insert = "INSERT INTO journal SELECT id(1, 1), $1, 'status', $2, 0, now(), now()";
        world.sql.execute(insert, &[&id, &sealed]).await.unwrap();
    }
    let stores = world.stores(2, &[1]);
    let mut walk = stores.sealed_values.walk(Purpose::Reseal);
    let mut parts = Vec::new();
    while let Some(step) = walk.step().await.unwrap() {
        if step.column == "journal.item_sealed" {
            parts.push((step.rows, step.resealed));
        }
    }
    let full = u64::try_from(AT_ONCE).unwrap();
    assert_eq!(parts, [(full, full), (full, full), (2, 2), (1, 1)]);
}

fn is_journal(column: &str) -> bool {
    ["journal.item_sealed", "quarantine.payload_sealed"].contains(&column)
}

#[tokio::test]
async fn a_value_opens_in_no_other_row_column_or_workspace() {
    let world = World::new().await;
    let (all, vault) = (world.all().await, TestVault::new(1, &[]));
    for (at, (name, own, sealed)) in all.iter().enumerate() {
        for (other, (column, place, _)) in all.iter().enumerate() {
            // An update in the quarantine keeps its place in the journal, as some of them cannot be opened.
            let set_aside = own.bound() == place.bound() && is_journal(name) && is_journal(column);
            let opens = vault.open(sealed, place).is_ok();
            assert_eq!(opens, at == other || set_aside, "{name} {at} in {column} {other}");
        }
    }
}

#[tokio::test]
async fn what_the_releases_before_sealed_is_bound_by_a_walk() {
    let world = World::new().await;
    // As sealed before places were bound.
    let before = TestVault::new(1, &[]);
    before.bind(Binding::NotYet);
    for column in COLUMNS.iter() {
        for (row, place, _) in world.values(column).await {
            let sealed = before.seal(place.bound().as_bytes(), &place).unwrap();
            world.set(column, &row, &sealed).await;
        }
    }
    let unbound = u64::try_from(world.all().await.len()).unwrap() - 4;
    let sealed_so = || async {
        let all = world.all().await;
        all.iter().filter(|(_, _, sealed)| before.is_bound(sealed)).count()
    };
    assert_eq!(sealed_so().await, 4, "those of the quarantine");
    let vault = TestVault::new(1, &[]);
    let values = |binding| {
        vault.bind(binding);
        let stores = world.database.stores(vault.clone(), Arc::new(SequentialIds::default()));
        ResealValues { values: stores.sealed_values }
    };
    // Unbound values cannot be opened any more once all are declared bound.
    let refused = values(Binding::Complete).run(|_| ()).await.unwrap();
    assert_eq!((refused.done.resealed, refused.done.unreadable), (0, unbound));
    let bound = values(Binding::Begun).run(|_| ()).await.unwrap();
    assert_eq!((bound.done.resealed, bound.left.total()), (unbound, 0));
    assert!(bound.is_whole());
    world.assert_opened_by(1).await;
}
