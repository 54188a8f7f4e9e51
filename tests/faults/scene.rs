//! A workspace with addresses at a receiver that keeps books, and whoever delivers.

use std::{
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use adapter_postgres::testing::TestDatabase;
use adapter_webhooks::signature::{self, SignatureProblem};
use domain::{
    audit::Acting,
    clock::Clock,
    events::EventType,
    ids::{WebhookAddressId, WorkspaceId},
    phone::Region,
    webhooks::{DeliverDue, WebhookSecret, ports::ClaimLimits},
    workspaces::NewWorkspace,
};
use futures_util::future::try_join_all;
use server::{system::SystemClock, wiring::Operations};
use time::format_description::well_known::Rfc3339;
use tokio_postgres::NoTls;

use super::books::{Books, Manner};
use crate::support::{InProcess, Rows, Secrets, eventually, operator};

/// Longer than any lease.
const LEASES_END: Duration = Duration::from_mins(2);

struct Address {
    id: WebhookAddressId,
    path: String,
    /// The newest last.
    secrets: Vec<WebhookSecret>,
}

/// Nobody delivers here but the services that a test starts, and the test itself.
pub(super) struct Scene {
    pub(super) books: Books,
    pub(super) secrets: Secrets,
    process: InProcess,
    operations: Operations,
    deliver: DeliverDue,
    workspace: WorkspaceId,
    addresses: Vec<Address>,
    owed: AtomicUsize,
    /// Dropped last.
    _database: Option<TestDatabase>,
}

impl Scene {
    /// On a database of its own.
    pub(super) async fn set(addresses: usize, manner: Manner) -> Self {
        let database = TestDatabase::fresh().await;
        let scene = Self::over(database.url(), addresses, manner).await;
        Self { _database: Some(database), ..scene }
    }

    /// On a migrated database.
    pub(super) async fn over(database_url: &str, addresses: usize, manner: Manner) -> Self {
        let secrets = Secrets::alone(database_url);
        let process = InProcess::over(&secrets);
        let operations = process.operations();
        let deliver = process.deliver_due();
        let new = NewWorkspace {
            name: "Palm Store".to_owned(),
            locale: "ar".to_owned(),
            region: Region::default(),
            time_zone: domain::zone::Zone::default(),
            owner_email: "owner@palm.example".parse().unwrap(),
        };
        let workspace = operations.create_workspace.run(new).await.unwrap().0.id;
        let books = Books::open(manner).await;
        let mut scene = Self {
            books,
            secrets,
            process,
            operations,
            deliver,
            workspace,
            addresses: Vec::new(),
            owed: AtomicUsize::new(0),
            _database: None,
        };
        for number in 0..addresses {
            scene.register(format!("address-{number}")).await;
        }
        scene
    }

    async fn register(&mut self, path: String) {
        let events = EventType::SUBSCRIBABLE.to_vec();
        let url = self.books.url(&path);
        let added = self
            .operations
            .register_address
            .run(Acting::operator(self.workspace), url, events)
            .await
            .unwrap();
        self.addresses.push(Address { id: added.id, path, secrets: vec![added.secret] });
    }

    /// Commits this many events, to the addresses in turn. A database that is away is tried again.
    pub(super) async fn owe(&self, count: usize) {
        let first = self.owed.fetch_add(count, Ordering::SeqCst);
        for number in first..first + count {
            let address = self.addresses[number % self.addresses.len()].id;
            let operator = Acting::operator(self.workspace);
            let ping = async || self.operations.manage_addresses.ping(operator, address).await.ok();
            assert!(eventually("a ping", ping).await.is_some());
        }
    }

    /// How many were committed.
    pub(super) fn owed(&self) -> usize {
        self.owed.load(Ordering::SeqCst)
    }

    /// Attempts what is due at the time the test has come to, and records it; how many attempts that were.
    pub(super) async fn turn(&self) -> usize {
        let claimed = self.deliver.claim(self.workspace, &ClaimLimits::any(1_000)).await.unwrap();
        assert!(claimed.unreadable.is_empty());
        let records =
            try_join_all(claimed.due.iter().map(|delivery| self.deliver.attempt(delivery))).await.unwrap();
        self.deliver.record(self.workspace, &records).await.unwrap();
        while self.deliver.hold(self.workspace).await.unwrap() {}
        records.len()
    }

    /// Attempts what comes due in the next `minutes`.
    pub(super) async fn live_through(&self, minutes: u64) {
        // So short that what is due waits for nothing worth mentioning.
        const STEP: Duration = Duration::from_secs(5);
        for _ in 0..minutes * 12 {
            self.turn().await;
            self.pass(STEP);
        }
    }

    /// The time that the test has come to.
    pub(super) fn now(&self) -> String {
        self.process.clock.now().format(&Rfc3339).unwrap()
    }

    /// Runs an operator's command about the first address.
    pub(super) fn operate(&self, command: &str, options: &[&str]) -> String {
        let (workspace, address) = (self.workspace.to_string(), self.addresses[0].id.to_string());
        operator(&self.secrets, &[&["webhook", command, &workspace, &address], options].concat())
    }

    /// Rotates the first address's secret, beside the old one or instead of it.
    pub(super) fn rotate(&mut self, overlap_minutes: u32) -> [WebhookSecret; 2] {
        let said = self.operate("rotate", &["--overlap-minutes", &overlap_minutes.to_string()]);
        let secret = said.split_whitespace().find(|word| word.starts_with("whsec_")).unwrap();
        let secrets = &mut self.addresses[0].secrets;
        let before = secrets.last().unwrap().clone();
        secrets.push(secret.to_owned().into());
        [before, secrets.last().unwrap().clone()]
    }

    /// The first address's secret.
    pub(super) fn secret(&self) -> &WebhookSecret {
        self.addresses[0].secrets.last().unwrap()
    }

    /// What the first address is said to be.
    pub(super) async fn health(&self) -> String {
        let rows = Rows::of(&self.secrets.database_url).await;
        let health = "SELECT concat_ws('; ', state, disabled_reason) FROM webhook_addresses";
        rows.texts(health).await.remove(0)
    }

    /// Lets time pass for what the test itself does.
    pub(super) fn pass(&self, time: Duration) {
        self.process.clock.advance(time);
    }

    /// Delivers what nodes that are gone have left behind, once their leases have run out.
    pub(super) async fn settle(&self) {
        // What a killed node was committing holds its rows until the database has seen that the node is gone.
        let rows = Rows::of(&self.secrets.database_url).await;
        let at_work = "pg_stat_activity WHERE application_name = 'messaging-service'
            AND datname = current_database() AND state <> 'idle'";
        eventually("nothing of it is at work", async || (rows.count(at_work).await == 0).then_some(())).await;
        self.pass(LEASES_END);
        while self.turn().await > 0 {
            self.pass(LEASES_END);
        }
    }

    /// Every delivery: id, state, and its attempts in order, as what came of them.
    pub(super) async fn log(&self) -> Vec<(String, String, Vec<String>)> {
        let rows = Rows::of(&self.secrets.database_url).await;
        let deliveries = "SELECT concat_ws(' ', id, state, attempts) FROM deliveries ORDER BY created_at, id";
        let mut log = Vec::new();
        for delivery in rows.texts(deliveries).await {
            let [id, state, attempts] = delivery.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{delivery}")
            };
            let query = format!(
                "SELECT concat(attempt, ' ', coalesce(failure, status::text)) FROM delivery_attempts
                 WHERE delivery_id = '{id}' ORDER BY attempt"
            );
            let attempted = rows.texts(&query).await;
            let numbers: Vec<String> = (1..=attempted.len()).map(|number| number.to_string()).collect();
            let parts = attempted.iter().map(|attempt| attempt.split_once(' ').unwrap());
            assert!(parts.clone().map(|(number, _)| number).eq(numbers.iter()), "{delivery}: {attempted:?}");
            assert_eq!(attempts, numbers.len().to_string(), "{delivery}: {attempted:?}");
            let outcomes = parts.map(|(_, outcome)| outcome.to_owned()).collect();
            log.push((id.to_owned(), state.to_owned(), outcomes));
        }
        log
    }

    /// Asserts that exactly these came, each at least once, with one body and good signatures, and that the
    /// log says so.
    pub(super) async fn assert_all_delivered(&self, count: usize) {
        let (log, came) = (self.log().await, self.books.by_id());
        assert_eq!((log.len(), came.len(), self.owed()), (count, count, count));
        let now = SystemClock.now().max(self.process.clock.now());
        for (id, state, attempts) in log {
            assert_eq!(state, "delivered", "{id}: {attempts:?}");
            let (last, before) = attempts.split_last().unwrap();
            assert_eq!(last, "200", "{id}: {attempts:?}");
            assert!(!before.contains(last), "{id}: attempted after it was delivered: {attempts:?}");
            let posts = &came[&id];
            for post in posts {
                assert_eq!(post.body, posts[0].body, "{id}: the body changed");
                let body: serde_json::Value = serde_json::from_slice(&post.body).unwrap();
                assert_eq!(body["id"], *id);
                let address = self.addresses.iter().find(|address| address.path == post.path).unwrap();
                let genuine = address.secrets.iter().any(|secret| {
                    let verified = signature::verify(secret, Some(&post.signature), &post.body, now);
                    matches!(verified, Ok(()) | Err(SignatureProblem::TooOld { .. }))
                });
                assert!(genuine, "{id}: {}", post.signature);
            }
        }
        let rows = Rows::of(&self.secrets.database_url).await;
        assert_eq!(rows.count("delivery_queue").await, 0);
    }
}

/// Has PostgreSQL crash and come up again: one of its processes is killed, so it ends all the others, every
/// connection with them, and recovers.
pub(super) async fn crash_of(database_url: &str) {
    let (client, connection) = tokio_postgres::connect(database_url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let walwriter = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'";
    let process: i32 = client.query_one(walwriter, &[]).await.unwrap().get(0);
    let killed = Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(connection.await.unwrap().is_err(), "the connection outlived the crash");
    let back = async || tokio_postgres::connect(database_url, NoTls).await.ok().map(drop);
    eventually("the database", back).await;
}
