//! A restore to an earlier moment, rehearsed: a base backup and the log archive of a real PostgreSQL, and
//! what `docs/run/operations.md` says of the time that is lost. `cargo xtask rehearse restore` runs it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use local_postgres::{Cluster, Options, create_database, database_url};
use network_simulator::{Config, Simulator};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::support::{Answer, Api, Receiver, Rows, SHOP, Secrets, Service, eventually, operator};

const OPERATIONS: &str = include_str!("../docs/run/operations.md");
const TOKEN: &str = "token-of-the-demo";

/// The log archive: a program that streams what the database writes into a folder.
struct Archive {
    child: Child,
    folder: PathBuf,
}

impl Archive {
    fn start(programs: &Path, admin_url: &str, folder: PathBuf) -> Self {
        fs::create_dir(&folder).unwrap();
        let child = Command::new(programs.join("pg_receivewal"))
            .args(["--synchronous", "--no-loop", "--directory"])
            .arg(&folder)
            .args(["--dbname", admin_url])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { child, folder }
    }

    /// Waits until it has everything that was written.
    async fn has_all(&self, rows: &Rows) {
        let flushed = "SELECT 'yes' FROM pg_stat_replication
            WHERE application_name = 'pg_receivewal' AND flush_lsn >= pg_current_wal_flush_lsn()";
        eventually("the log archive", async || rows.texts(flushed).await.pop()).await;
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// A PostgreSQL of this test's own, in `folder`.
async fn cluster(folder: &Path) -> Cluster {
    let options = Options { durable: true, ..Options::new(folder) };
    tokio::task::spawn_blocking(move || Cluster::start(&options)).await.unwrap().unwrap()
}

/// Where the programs of the running server are.
fn programs(cluster: &Cluster) -> PathBuf {
    let file = fs::read_to_string(cluster.data_folder().join("postmaster.pid")).unwrap();
    let process = file.lines().next().unwrap().trim();
    fs::read_link(format!("/proc/{process}/exe")).unwrap().parent().unwrap().to_owned()
}

fn ran(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Puts the backup in place of the data, to be brought up to `moment` from the archive.
fn put_back(backup: &Path, archive: &Path, data: &Path, moment: &str) {
    let owned_as = format!("--reference={}", data.display());
    let kept = data.with_extension("lost");
    fs::rename(data, &kept).unwrap();
    ran(Command::new("cp").arg("--archive").arg(backup).arg(data));
    let archive = archive.display();
    // Of the segment that was being written the archive has the beginning.
    let settings = format!(
        "restore_command = 'cp {archive}/%f %p 2>/dev/null || cp {archive}/%f.partial %p'\n\
         recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\n"
    );
    let auto = data.join("postgresql.auto.conf");
    let before = fs::read_to_string(&auto).unwrap_or_default();
    fs::write(auto, before + &settings).unwrap();
    fs::write(data.join("recovery.signal"), "").unwrap();
    for (program, what) in [("chown", "--recursive"), ("chmod", "")] {
        let mut command = Command::new(program);
        if !what.is_empty() {
            command.arg(what);
        }
        ran(command
            .arg(owned_as.replace(&data.display().to_string(), &kept.display().to_string()))
            .arg(data));
    }
    ran(Command::new("chmod").args(["--recursive", "a+rX"]).arg(archive.to_string()));
}

/// Copies the running cluster, without its log: that is archived beside.
fn back_up(programs: &Path, url: &str, to: &Path) {
    ran(Command::new(programs.join("pg_basebackup"))
        .args(["--checkpoint=fast", "--wal-method=none", "--no-manifest", "--pgdata"])
        .arg(to)
        .args(["--dbname", url]));
}

#[tokio::test]
async fn after_a_restore_to_a_moment_what_was_before_is_there_and_what_was_after_is_as_the_docs_say() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    ran(Command::new("chmod").arg("a+rx").arg(folder.path()));
    let before = cluster(&folder.path().join("clusters")).await;
    let (programs, data) = (programs(&before), before.data_folder());
    let url = create_database(&before.admin_url(), "rehearsal", None).await.unwrap();
    let admin = Rows::of(&before.admin_url()).await;

    let token = SecretString::from(TOKEN);
    let mut config = Config::new("app-secret-of-the-demo", "verify-token-of-the-demo");
    config.accounts = network_simulator::demo_accounts(&token).unwrap();
    config.status_delay = Duration::ZERO;
    let simulator = Simulator::start(config).await.unwrap();
    let receiver = Receiver::start().await;
    let mut secrets = Secrets::of(&url, simulator.url().as_str());
    operator(&secrets, &["migrate"]);
    let made =
        operator(&secrets, &["workspace", "create", "--name", "Palm", "--owner-email", "o@palm.example"]);
    let workspace = made.lines().find_map(|line| line.strip_prefix("workspace")).unwrap().trim().to_owned();
    operator(&secrets, &["account", "connect", &workspace, "--id", SHOP, "--token", TOKEN]);
    operator(&secrets, &["webhook", "add", &workspace, receiver.url(), "--event", "message.sent"]);
    let scopes = ["--scope", "messages:send", "--scope", "conversations:read"];
    let made =
        operator(&secrets, &[&["key", "create", &workspace, "--label", "rehearsal"][..], &scopes].concat());
    let key = made.lines().find(|line| line.starts_with("msk_")).unwrap().to_owned();

    let mut service = Service::start(&secrets).await;
    simulator.set_webhook_url(Some(service.network_webhook())).unwrap();
    let notice = |order: &str| json!({ "to": "0770 123 4567", "template": "order_ready", "variables": ["Sara", order] });
    let send = async |api: &Api, order: &str| -> String {
        let answer = api.send_once(order, &notice(order)).await;
        assert_eq!(answer.status, 201, "{order}: {:?}", answer.body);
        id_of(&answer.body)
    };
    let api = Api::new(service.base_url(), &key);

    let archive = Archive::start(&programs, &before.admin_url(), folder.path().join("archive"));
    eventually("the log archive", async || {
        admin.texts("SELECT 'yes' FROM pg_stat_replication WHERE state = 'streaming'").await.pop()
    })
    .await;
    let first = send(&api, "first").await;
    let backup = folder.path().join("backup");
    back_up(&programs, &before.admin_url(), &backup);
    let second = send(&api, "second").await;
    for _ in 0..2 {
        receiver.next_of("message.sent").await;
    }
    let moment = admin.texts("SELECT clock_timestamp()::text").await.pop().unwrap();
    let lost = send(&api, "lost").await;
    let told = receiver.next_of("message.sent").await;
    assert_eq!(told.text("/data/message/id"), lost);
    simulator.settled().await;
    assert!(service.terminate());
    archive.has_all(&admin).await;
    drop(admin);
    let kept = archive.folder.clone();
    drop(archive);
    before.stop().unwrap();

    put_back(&backup, &kept, &data, &moment);
    let after = cluster(&folder.path().join("clusters")).await;
    assert_eq!(after.data_folder(), data);
    secrets.database_url = database_url(&after.admin_url(), "rehearsal").unwrap();
    let rows = Rows::of(&secrets.database_url).await;
    eventually("the end of the recovery", async || {
        rows.texts("SELECT 'yes' WHERE NOT pg_is_in_recovery()").await.pop()
    })
    .await;
    assert_eq!(rows.count("rate_windows").await, 0, "the docs say that it comes back empty");

    let service = Service::start(&secrets).await;
    simulator.set_webhook_url(Some(service.network_webhook())).unwrap();
    // The key opens what it did: the master key is the same.
    let api = Api::new(service.base_url(), &key);
    let asked = simulator.messages().len();
    for (order, id) in [("first", &first), ("second", &second)] {
        assert_eq!(&send(&api, order).await, id, "what was before is there, and is not sent again");
    }
    assert_eq!(simulator.messages().len(), asked);

    // The time between the moment and the fault, as the docs tell of it.
    for said in [
        "a repeat with the same `Idempotency-Key` would send again",
        "deliveries of that time are lost with their events",
    ] {
        assert!(OPERATIONS.contains(said), "docs/run/operations.md does not say: {said}");
    }
    let unknown = Answer::to(api.request(Method::GET, &format!("/v1/messages/{lost}"))).await;
    assert_eq!(unknown.status, 404, "{:?}", unknown.body);
    let log = format!("SELECT id::text FROM delivery_log WHERE message_id = '{lost}'");
    assert_eq!(rows.texts(&log).await, Vec::<String>::new());
    let again = send(&api, "lost").await;
    assert_ne!(again, lost);
    assert_eq!(simulator.messages().len(), asked + 1, "it was sent again");
    assert_eq!(receiver.next_of("message.sent").await.text("/data/message/id"), again);
    drop(service);
    after.stop().unwrap();
}

fn id_of(answer: &Value) -> String {
    let id = answer.pointer("/message/id").or_else(|| answer.get("id"));
    id.and_then(Value::as_str).unwrap_or_else(|| panic!("{answer}")).to_owned()
}
