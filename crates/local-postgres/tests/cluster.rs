//! A private server's life: it starts, stops with its owner, and shares with nobody.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test support")]

use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use local_postgres::{Cluster, Error, Options, create_database, drop_database, ensure_template};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Longer than any stop takes, so that a server that stays fails the test instead of hanging it.
const LIMIT: Duration = Duration::from_secs(20);

/// A connection, and what completes when the server ends it.
async fn connect(address: &str) -> (Client, tokio::task::JoinHandle<Result<(), tokio_postgres::Error>>) {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    (client, tokio::spawn(connection))
}

async fn number(client: &Client, statement: &str) -> i64 {
    client.query_one(statement, &[]).await.unwrap().get(0)
}

/// A temporary folder that the server's user may enter.
fn open_folder() -> TempDir {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir().unwrap()
}

async fn start(options: Options) -> Cluster {
    tokio::task::spawn_blocking(move || Cluster::start(&options)).await.unwrap().unwrap()
}

/// This program again, as an owner of a cluster in `folder` that waits for its end; and the cluster's
/// address.
fn owner(folder: &Path) -> (Child, String) {
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "an_owner_for_the_other_tests", "--ignored", "--nocapture"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let address = lines.find_map(|line| Some(line.unwrap().split_once("at ")?.1.to_owned()));
    (owner, address.expect("the owner says where its server is"))
}

#[test]
#[ignore = "the other tests run it"]
fn an_owner_for_the_other_tests() {
    let cluster = Cluster::start(&Options::new(std::env::current_dir().unwrap())).unwrap();
    println!("\nat {}", cluster.admin_url());
    std::io::stdin().lines().count();
}

fn process(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[tokio::test]
async fn what_is_written_is_there_after_a_restart() {
    let folder = open_folder();
    let durable = Options { durable: true, ..Options::new(folder.path()) };
    let cluster = start(durable.clone()).await;
    let (client, _) = connect(&cluster.admin_url()).await;
    client.batch_execute("CREATE TABLE kept AS SELECT 7::bigint AS n").await.unwrap();
    let data = cluster.data_folder();
    cluster.stop().unwrap();

    let cluster = start(durable).await;
    assert_eq!(cluster.data_folder(), data);
    let (client, _) = connect(&cluster.admin_url()).await;
    assert_eq!(number(&client, "SELECT n FROM kept").await, 7);
}

#[tokio::test]
async fn a_fresh_cluster_holds_nothing_of_the_one_before() {
    let folder = open_folder();
    let cluster = start(Options::new(folder.path())).await;
    create_database(&cluster.admin_url(), "left_over", None).await.unwrap();
    cluster.stop().unwrap();

    let cluster = start(Options { fresh: true, ..Options::new(folder.path()) }).await;
    let (client, _) = connect(&cluster.admin_url()).await;
    let left = "SELECT count(*) FROM pg_database WHERE datname = 'left_over'";
    assert_eq!(number(&client, left).await, 0);
}

#[tokio::test]
async fn a_folder_closed_to_the_servers_user_is_stood_in_for() {
    let closed = tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().unwrap();
    let cluster = start(Options::new(closed.path().join("below"))).await;
    connect(&cluster.admin_url()).await;
    let data = cluster.data_folder();
    cluster.stop().unwrap();
    let stands_elsewhere = !data.starts_with(closed.path());
    assert_eq!(stands_elsewhere, rustix::process::geteuid().is_root(), "{data:?}");
    if stands_elsewhere {
        assert!(data.ends_with(closed.path().join("below/0/data").strip_prefix("/").unwrap()), "{data:?}");
        std::fs::remove_dir_all(data.ancestors().nth(3).unwrap()).unwrap();
    }
}

#[tokio::test]
async fn two_side_by_side_do_not_collide() {
    let folder = open_folder();
    let options = Options::new(folder.path());
    let (first, second) = tokio::join!(start(options.clone()), start(options));
    assert_ne!(first.data_folder(), second.data_folder());
    create_database(&first.admin_url(), "same_name", None).await.unwrap();
    create_database(&second.admin_url(), "same_name", None).await.unwrap();
    drop(first);
    connect(&second.url("same_name")).await;
}

#[tokio::test]
async fn the_settings_are_those_that_tests_and_sandbox_need() {
    let folder = open_folder();
    for (durable, flushes) in [(false, "off"), (true, "on")] {
        let cluster = start(Options { durable, ..Options::new(folder.path()) }).await;
        let (client, _) = connect(&cluster.admin_url()).await;
        for (name, expected) in [
            ("fsync", flushes),
            ("synchronous_commit", flushes),
            ("full_page_writes", flushes),
            ("server_encoding", "UTF8"),
            ("max_connections", "300"),
            ("listen_addresses", "127.0.0.1"),
            ("TimeZone", "UTC"),
        ] {
            let row = client.query_one("SELECT current_setting($1)", &[&name]).await.unwrap();
            assert_eq!(row.get::<_, &str>(0), expected, "{name}");
        }
    }
}

#[tokio::test]
async fn a_library_is_loaded_where_the_server_has_it_and_left_out_where_it_has_not() {
    let folder = open_folder();
    let libraries = ["auto_explain", "no_such_library"].map(str::to_owned).into();
    let cluster = start(Options { libraries, ..Options::new(folder.path()) }).await;
    let (client, _) = connect(&cluster.admin_url()).await;
    let row = client.query_one("SELECT current_setting('shared_preload_libraries')", &[]).await.unwrap();
    // A fetched server may lack it.
    assert!(["auto_explain", ""].contains(&row.get::<_, &str>(0)), "{row:?}");
}

#[tokio::test]
async fn the_server_ends_when_its_owner_is_killed_and_the_next_owner_gets_its_folder() {
    let folder = open_folder();
    let (mut killed, address) = owner(folder.path());
    let (_client, ended) = connect(&address).await;
    kill_process(process(&killed), Signal::KILL).unwrap();
    killed.wait().unwrap();
    // The data must be available again at once, not be replaced by another numbered folder.
    let next = start(Options::new(folder.path())).await;
    assert!(next.data_folder().parent().unwrap().ends_with("0"));
    let _ = tokio::time::timeout(LIMIT, ended).await.expect("the server ends").unwrap();
}

#[tokio::test]
async fn the_server_ends_with_a_killed_owner_without_anybody_coming_after_it() {
    let folder = open_folder();
    let (mut killed, address) = owner(folder.path());
    let (_client, ended) = connect(&address).await;
    kill_process(process(&killed), Signal::KILL).unwrap();
    killed.wait().unwrap();
    let _ = tokio::time::timeout(LIMIT, ended).await.expect("the server ends").unwrap();
}

/// The processes of the group of the server in `data`: itself and the shells that watch over it.
#[cfg(target_os = "linux")]
fn shells_of(data: &Path) -> Vec<Pid> {
    let status = std::fs::read_to_string(data.join("postmaster.pid")).unwrap();
    let server: i32 = status.lines().next().unwrap().parse().unwrap();
    let group_of = |process: i32| {
        let fields = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        fields.rsplit_once(") ")?.1.split(' ').nth(2)?.parse::<i32>().ok()
    };
    let group = group_of(server);
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&process| process != server && group_of(process) == group)
        .filter_map(Pid::from_raw)
        .collect()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_lost_its_owner_and_its_shell_is_ended_by_the_next_owner() {
    let folder = open_folder();
    let (mut killed, address) = owner(folder.path());
    let (_client, ended) = connect(&address).await;
    let shells = shells_of(&folder.path().join("0/data"));
    assert!(shells.len() >= 2, "{shells:?}");
    for shell in shells {
        kill_process(shell, Signal::KILL).unwrap();
    }
    kill_process(process(&killed), Signal::KILL).unwrap();
    killed.wait().unwrap();
    assert!(!ended.is_finished());

    let next = start(Options::new(folder.path())).await;
    assert!(next.data_folder().parent().unwrap().ends_with("0"));
    let _ = tokio::time::timeout(LIMIT, ended).await.expect("the server ends").unwrap();
}

#[tokio::test]
async fn ctrl_c_in_the_terminal_ends_the_owner_and_then_the_server() {
    let folder = open_folder();
    let (mut interrupted, address) = owner(folder.path());
    let (client, ended) = connect(&address).await;
    // The terminal signals the whole group of its foreground program.
    kill_process_group(process(&interrupted), Signal::INT).unwrap();
    interrupted.wait().unwrap();
    let _ = tokio::time::timeout(LIMIT, ended).await.expect("the server ends").unwrap();
    assert!(client.is_closed());
}

#[tokio::test]
async fn the_server_ends_when_its_owner_panics() {
    let folder = open_folder();
    let cluster = start(Options::new(folder.path())).await;
    let (_client, ended) = connect(&cluster.admin_url()).await;
    let owner = std::thread::spawn(move || {
        let _cluster = cluster;
        std::panic::resume_unwind(Box::new("the owner's end"));
    });
    assert!(owner.join().is_err());
    let _ = tokio::time::timeout(LIMIT, ended).await.expect("the server ends").unwrap();
}

#[tokio::test]
async fn a_server_that_crashed_leaves_nothing_in_the_way() {
    let folder = open_folder();
    let cluster = start(Options { durable: true, ..Options::new(folder.path()) }).await;
    let (client, ended) = connect(&cluster.admin_url()).await;
    client.batch_execute("CREATE TABLE kept AS SELECT 7::bigint AS n").await.unwrap();
    let status = std::fs::read_to_string(cluster.data_folder().join("postmaster.pid")).unwrap();
    let server = Pid::from_raw(status.lines().next().unwrap().parse().unwrap()).unwrap();
    kill_process(server, Signal::KILL).unwrap();
    let _ = tokio::time::timeout(LIMIT, ended).await.expect("the server ends").unwrap();
    drop(cluster);

    let cluster = start(Options { durable: true, ..Options::new(folder.path()) }).await;
    let (client, _) = connect(&cluster.admin_url()).await;
    assert_eq!(number(&client, "SELECT n FROM kept").await, 7);
}

#[tokio::test]
async fn a_cluster_that_cannot_be_opened_is_made_anew_unless_it_is_durable() {
    let folder = open_folder();
    let cluster = start(Options::new(folder.path())).await;
    let damaged = cluster.data_folder().join("global/pg_control");
    cluster.stop().unwrap();
    std::fs::write(&damaged, "").unwrap();

    let durable = Options { durable: true, ..Options::new(folder.path()) };
    let refused = tokio::task::spawn_blocking(move || Cluster::start(&durable)).await.unwrap();
    assert!(matches!(refused, Err(Error::Program { program: "postgres", .. })), "{refused:?}");
    connect(&start(Options::new(folder.path())).await.admin_url()).await;
}

#[tokio::test]
async fn each_test_gets_its_own_copy_of_a_template_that_is_made_once() {
    let folder = open_folder();
    let cluster = start(Options::new(folder.path())).await;
    let admin = cluster.admin_url();
    let prepare = |address: String| async move {
        let (client, _) = connect(&address).await;
        client.batch_execute("CREATE TABLE t (n bigint); INSERT INTO t VALUES (1)").await
    };
    let (one, other) = tokio::join!(
        ensure_template(&admin, "template_of_t", None, prepare),
        ensure_template(&admin, "template_of_t", None, prepare),
    );
    one.unwrap();
    other.unwrap();

    let (a, b) = tokio::join!(
        create_database(&admin, "test-a", Some("template_of_t")),
        create_database(&admin, "test-b", Some("template_of_t")),
    );
    let (a, _) = connect(&a.unwrap()).await;
    let (b, _) = connect(&b.unwrap()).await;
    a.batch_execute("INSERT INTO t VALUES (2)").await.unwrap();
    assert_eq!(number(&a, "SELECT count(*) FROM t").await, 2);
    assert_eq!(number(&b, "SELECT count(*) FROM t").await, 1);

    drop_database(&admin, "test-a").await.unwrap();
    drop_database(&admin, "test-a").await.unwrap();
    let left = number(&b, "SELECT count(*) FROM pg_database WHERE datname LIKE 'test-%'").await;
    assert_eq!(left, 1);
}

#[tokio::test]
async fn a_large_template_is_copied_whole_by_many_at_once() {
    let folder = open_folder();
    let cluster = start(Options::new(folder.path())).await;
    let admin = cluster.admin_url();
    let prepare = |address: String| async move {
        let (client, _) = connect(&address).await;
        let rows = "SELECT n, repeat('x', 1000) AS text FROM generate_series(1, 40000) n";
        client.batch_execute(&format!("CREATE TABLE t AS {rows}")).await
    };
    ensure_template(&admin, "large", None, prepare).await.unwrap();

    let copies = tokio::join!(
        create_database(&admin, "one", Some("large")),
        create_database(&admin, "other", Some("large")),
    );
    for copy in [copies.0, copies.1] {
        let (client, _) = connect(&copy.unwrap()).await;
        assert_eq!(number(&client, "SELECT count(*) FROM t WHERE length(text) = 1000").await, 40_000);
        client.batch_execute("TRUNCATE t").await.unwrap();
    }
    let (third, _) = connect(&create_database(&admin, "third", Some("large")).await.unwrap()).await;
    assert_eq!(number(&third, "SELECT count(*) FROM t").await, 40_000);
    assert!(create_database(&admin, "third", Some("large")).await.is_err());
    assert!(create_database(&admin, "fourth", Some("nothing")).await.is_err());
}

#[tokio::test]
async fn a_preparation_that_fails_leaves_no_template() {
    let folder = open_folder();
    let cluster = start(Options::new(folder.path())).await;
    let admin = cluster.admin_url();
    let failed = ensure_template(&admin, "made_later", None, |_| async { Err("no such table") }).await;
    assert!(matches!(failed, Err(Error::Template(_))), "{failed:?}");
    ensure_template(&admin, "made_later", None, |_| async { Ok::<_, Error>(()) }).await.unwrap();
    create_database(&admin, "copy", Some("made_later")).await.unwrap();
}
