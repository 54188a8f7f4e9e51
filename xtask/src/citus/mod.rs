//! `cargo xtask citus`: whether the store runs on a Citus cluster, each workspace on its one node.
//!
//! Needs the URL of a coordinator with workers, and creates databases of its own on every node.

mod cluster;
mod routes;
mod values;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

use crate::run::{cargo, run, say};
use crate::statements::{FOLDER, FOLDER_VARIABLE, Recorded, of_tables, on_a_cluster};
use crate::test::DATABASE_URL;
use crate::workspace::{Workspace, root};

/// Test target of the server for what only a cluster can show.
pub(crate) const ON_A_CLUSTER: &str = "sharded";

/// Test target of the store. Tests of query plans are about one server.
const STORE_TESTS: &str = "stores";

/// Where, and what to try there.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A database of the coordinator's that has the extension and knows its workers, for a user who may make
    /// databases: `postgres://user@host:port/database`. The workers are reached as it names them, by the same
    /// user.
    #[arg(long)]
    url: String,
    /// In how many shards the tables are, where statements are routed.
    #[arg(long, default_value_t = 8)]
    shards: u16,
    /// Run no tests: look at the routes of what the last `cargo xtask test` or `cargo xtask citus` has left.
    #[arg(long)]
    only_routes: bool,
    /// A shell command that stops a worker, told which by `WORKER_HOST` and `WORKER_PORT`. Without it a
    /// worker is stopped for the test's database alone: it lets nobody connect to it.
    #[arg(long, requires = "start_worker")]
    stop_worker: Option<String>,
    /// The one that starts it again.
    #[arg(long, requires = "stop_worker")]
    start_worker: Option<String>,
    /// How many tests run at once: each has a database on every node.
    #[arg(long, default_value_t = 2)]
    threads: u16,
    /// Handed to the end-to-end tests as it stands, such as `--skip a_test`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    tests: Vec<String>,
}

pub(crate) fn try_out(arguments: &Arguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    say(&runtime.block_on(cluster::check(&arguments.url))?);
    let target = Workspace::read()?.target_directory();
    let folder = target.join("statements-on-citus");
    let mut failed = Vec::new();
    let recorded = if arguments.only_routes {
        vec![Recorded::at(folder), Recorded::at(target.join(FOLDER))]
    } else {
        let recorded = Recorded::fresh(folder)?;
        failed.extend(tests(arguments, &recorded));
        vec![recorded, Recorded::at(target.join(FOLDER))]
    };
    // With the features of the tests, so that it is built once.
    let server = ["build", "--quiet", "--workspace", "--all-features", "--bin", "messaging-service"];
    run(cargo().args(server).current_dir(root()))?;
    let (mut texts, mut types) = (Vec::new(), BTreeMap::new());
    for recorded in &recorded {
        texts.extend(recorded.executed()?);
        types.extend(recorded.types()?);
    }
    texts.sort();
    texts.dedup();
    let statements: Vec<(String, Vec<u32>)> = of_tables(texts)?
        .into_iter()
        .map(|text| {
            let types = types.remove(&text).unwrap_or_default();
            (on_a_cluster(&text), types)
        })
        .collect();
    if statements.is_empty() {
        bail!("no statement is known yet: run it without --only-routes");
    }
    let program = target.join("debug/messaging-service");
    let faults = runtime.block_on(routed(arguments, &program, &statements))?;
    failed.extend(
        (faults > 0).then(|| format!("{faults} statements have no route to one node, and no reason")),
    );
    if failed.is_empty() { Ok(()) } else { bail!("{}", failed.join("; ")) }
}

/// Runs the tests on the cluster; lists those that failed.
fn tests(arguments: &Arguments, recorded: &Recorded) -> Vec<String> {
    let on_cluster = |package: &str, target: &str, threads: u16, more: &[&str]| {
        let mut tests = cargo();
        tests.args(["test", "--all-features", "--no-fail-fast", "-p", package]).current_dir(root());
        tests.args(["--test", target]);
        tests.args(["--", "--test-threads", &threads.to_string()]).args(more);
        tests.env(DATABASE_URL, &arguments.url).env(FOLDER_VARIABLE, recorded.folder());
        if let (Some(stop), Some(start)) = (&arguments.stop_worker, &arguments.start_worker) {
            tests.env("MESSAGING_TEST_STOP_WORKER", stop).env("MESSAGING_TEST_START_WORKER", start);
        }
        run(&mut tests)
    };
    let more: Vec<&str> = arguments.tests.iter().map(String::as_str).collect();
    let ran = [
        on_cluster("adapter-postgres", STORE_TESTS, arguments.threads, &[]),
        // One after the other: everybody else on the cluster would miss a stopped worker.
        on_cluster("server", ON_A_CLUSTER, 1, &["--nocapture"]),
        on_cluster("server", "end_to_end", arguments.threads, &more),
    ];
    ran.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect()
}

/// Prints the route of each statement on a database of its own; returns the number of those without an
/// acceptable one.
async fn routed(
    arguments: &Arguments,
    program: &Path,
    statements: &[(String, Vec<u32>)],
) -> anyhow::Result<usize> {
    let program = PathBuf::from(program);
    let database = cluster::Database::distributed(&arguments.url, &program, arguments.shards).await?;
    let found =
        routes::of_all(&database.url, statements).await.context("asking for the routes of statements");
    database.drop().await?;
    Ok(routes::tell(&found?))
}
