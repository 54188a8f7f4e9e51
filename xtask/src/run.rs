//! Running of programs, with what is run shown.

use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// Tells the person at the terminal what happens.
#[expect(clippy::print_stderr, reason = "this is a program for a terminal")]
pub(crate) fn say(what: &str) {
    eprintln!("xtask: {what}");
}

/// Environment of each [`cargo`], once set.
static ENVIRONMENT: OnceLock<Vec<(&'static str, OsString)>> = OnceLock::new();

/// Sets the environment of each cargo that runs from now on, so that none builds anew what another has built.
pub(crate) fn have_cargo_run_in(environment: Vec<(&'static str, OsString)>) {
    let _ = ENVIRONMENT.set(environment);
}

/// Returns the cargo of this checkout's toolchain.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.envs(ENVIRONMENT.get().into_iter().flatten().map(|(name, value)| (name, value)));
    cargo
}

/// Duration from which on a program's time is printed.
const LONG: Duration = Duration::from_secs(10);

/// Runs a program to its end; an error names it if it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let shown = shown(command);
    say(&shown);
    let begun = Instant::now();
    let status = command.status().with_context(|| format!("`{shown}` did not start"))?;
    let took = begun.elapsed();
    if took >= LONG {
        say(&format!("`{shown}` took {} s", took.as_secs()));
    }
    if !status.success() {
        bail!("`{shown}` failed");
    }
    Ok(())
}

/// Runs a program to its end and returns its output; `None` if it is missing or fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
