//! `cargo xtask test`: every test, with the PostgreSQL that they need.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use local_postgres::{Options, Postgres, user_cache_folder};

use crate::browser;
use crate::run::{answer, cargo, run, say};
use crate::statements::{FOLDER, FOLDER_VARIABLE, Recorded, judge};
use crate::workspace::{Workspace, root};

/// Environment variable with the URL of a database from which the tests create their own.
pub(crate) const DATABASE_URL: &str = "MESSAGING_TEST_DATABASE_URL";

/// Environment variable of `cargo test` with the number of concurrent tests.
const THREADS: &str = "RUST_TEST_THREADS";

/// Folder of Linux that is kept in memory. Each of some thousand tests makes a database and drops it, which
/// costs 0.06 s of a core there, and 0.3 s on a disk.
const MEMORY: &str = "/dev/shm";

/// Least memory, in KiB, that has to be free for it: several times what the tests' databases take at once.
const ENOUGH_MEMORY: u64 = 8 * 1024 * 1024;

/// Least room in it, in KiB: containers often have 64 MiB there, however much memory is free.
const ENOUGH_ROOM: u64 = 4 * 1024 * 1024;

/// Which tests to run.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Only this crate's tests (may be repeated); without it, those of the whole workspace.
    #[arg(short, long)]
    package: Vec<String>,
    /// The server to make databases on, instead of a private one: `postgres://user@host:port/database`.
    #[arg(long, env = DATABASE_URL, hide_env_values = true)]
    database_url: Option<String>,
    /// Handed to `cargo test` as it stands, such as a test's name.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    cargo: Vec<String>,
}

impl Arguments {
    /// Returns whether nothing narrows the run.
    fn everything(&self) -> bool {
        self.package.is_empty() && self.cargo.is_empty()
    }

    pub(crate) fn cargo_arguments(&self) -> Vec<&str> {
        let mut words = vec!["test", "--all-features"];
        if self.package.is_empty() {
            words.push("--workspace");
        }
        if self.everything() {
            // A run that takes half an hour shows all failures, not just the first.
            words.push("--no-fail-fast");
            // Not the docs, which hold no tests (`words.rs` sees to it): looking for them in each crate takes
            // as long as reading it.
            words.extend(["--lib", "--bins", "--tests"]);
        }
        for package in &self.package {
            words.extend(["-p", package]);
        }
        words.extend(self.cargo.iter().map(String::as_str));
        words
    }
}

pub(crate) fn all(arguments: &Arguments) -> anyhow::Result<()> {
    let target = Workspace::read()?.target_directory();
    let recorded = Recorded::fresh(target.join(FOLDER))?;
    let memory = in_memory(&target);
    let folder = memory.clone().unwrap_or_else(|| target.join("postgres/xtask"));
    let options = Options {
        // Leftovers of an interrupted run would only slow the next one.
        fresh: true,
        cache: user_cache_folder().map(|cache| cache.join("messaging-service/postgresql")),
        ..Options::new(folder)
    };
    let postgres =
        Postgres::open(arguments.database_url.clone(), &options).context("the tests need PostgreSQL")?;
    if matches!(postgres, Postgres::Private(_)) {
        say("a private PostgreSQL runs for the tests");
    }
    let outcome = run_on(&postgres, arguments, &recorded);
    if let (Some(_), Postgres::Private(cluster)) = (memory, &postgres) {
        let data = cluster.data_folder();
        drop(postgres);
        // It takes memory. What an interrupted run leaves is removed by the next.
        let _ = std::fs::remove_dir_all(data);
    }
    outcome
}

#[expect(clippy::disallowed_methods, reason = "whoever runs this says how many tests run at once")]
fn run_on(postgres: &Postgres, arguments: &Arguments, recorded: &Recorded) -> anyhow::Result<()> {
    let mut tests = cargo();
    tests.args(arguments.cargo_arguments()).current_dir(root());
    tests.env(DATABASE_URL, postgres.admin_url()).env(FOLDER_VARIABLE, recorded.folder());
    if std::env::var_os(THREADS).is_none() {
        // Most wait for the program more than they compute.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        tests.env(THREADS, (cores * 2).to_string());
    }
    run(&mut tests)?;
    let all = arguments.everything();
    judge(recorded, all)?;
    if all { browser::journeys_where_possible() } else { Ok(()) }
}

/// Returns the folder in memory for the tests of the checkout with this target directory, if there is enough.
fn in_memory(target: &Path) -> Option<PathBuf> {
    let checkout = target.to_str()?.replace('/', "-");
    let memory = available(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
    let room = last_figure(&answer(Command::new("df").args(["--output=avail", "-k", MEMORY]))?)?;
    (memory >= ENOUGH_MEMORY && room >= ENOUGH_ROOM)
        .then(|| Path::new(MEMORY).join(format!("messaging-service{checkout}")))
}

/// Reads the memory that programs may still have, in KiB, out of `/proc/meminfo`.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Reads the figure on the last line that `df` prints.
fn last_figure(printed: &str) -> Option<u64> {
    printed.lines().last()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{available, last_figure};

    #[test]
    fn the_room_is_read_in_kib() {
        assert_eq!(last_figure("   Avail\n24576000\n"), Some(24_576_000));
        assert_eq!(last_figure("   Avail\n"), None);
        assert_eq!(last_figure(""), None);
    }

    #[test]
    fn the_available_memory_is_read_in_kib() {
        let meminfo =
            "MemTotal:       24576000 kB\nMemFree: 1 kB\nMemAvailable:   17825792 kB\nBuffers: 5 kB\n";
        assert_eq!(available(meminfo), Some(17_825_792));
        assert_eq!(available("MemTotal:       24576000 kB\n"), None);
    }
}
