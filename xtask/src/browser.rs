//! `cargo xtask browser`: the dashboard's pages in a real Chromium, and the types of their scripts and of the
//! examples.
//!
//! Both need Node, which this project does not use otherwise. If it or Chromium is missing, one line says how
//! to install it; on a build machine, which sets `CI`, they have to be there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;

use crate::run::{answer, run, say};
use crate::workspace::{built, root};

/// Debian's path of Chromium; `CHROMIUM` names another.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Oldest Node that playwright supports.
const OLDEST_NODE: u32 = 20;

/// Which journeys to make.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Also take a picture of every page in every mode, into `target/screenshots`.
    #[arg(long)]
    screenshots: bool,
    /// Only journeys whose name fits this regular expression, such as `keyboard` or `inbox`.
    filter: Option<String>,
}

/// Builds the service and makes the journeys; a missing tool is an error.
pub(crate) fn journeys(arguments: &Arguments) -> anyhow::Result<()> {
    needed()?;
    make(arguments)
}

/// Makes the journeys as a part of all tests; without Node or Chromium says that they were not made.
pub(crate) fn journeys_where_possible() -> anyhow::Result<()> {
    match missing(&[node(), chromium()]) {
        Some(missing) => left_out("the journeys in a browser were not made", &missing),
        None => make(&Arguments::default()),
    }
}

/// Type-checks the pages' scripts, the journeys and the examples in TypeScript.
pub(crate) fn types() -> anyhow::Result<()> {
    if let Some(missing) = missing(&[node()]) {
        return left_out("the types of the pages' scripts and of the examples were not checked", &missing);
    }
    install()?;
    // Pages run in a browser alone, journeys and examples know of Node as well.
    for project in ["tsconfig.json", "tsconfig.pages.json", "tsconfig.examples.json"] {
        run(Command::new(folder().join("node_modules/.bin/tsc"))
            .args(["--noEmit", "--project", project])
            .current_dir(folder()))?;
    }
    Ok(())
}

pub(crate) fn folder() -> PathBuf {
    root().join("tests/browser")
}

/// Installs what the journeys are written with, once for each version of the lock file.
fn install() -> anyhow::Result<()> {
    let locked = modified(&folder().join("package-lock.json"));
    let installed = modified(&folder().join("node_modules/.package-lock.json"));
    if installed.is_none() || installed < locked {
        say("installing what the journeys in a browser are written with, once");
        run(Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(folder()))?;
    }
    Ok(())
}

/// Installs what drives a browser.
pub(crate) fn prepare() -> anyhow::Result<()> {
    needed()?;
    install()
}

/// Fails if a browser cannot be driven, with how to install what is missing.
fn needed() -> anyhow::Result<()> {
    match missing(&[node(), chromium()]) {
        Some(missing) => bail!("{missing}"),
        None => Ok(()),
    }
}

fn make(arguments: &Arguments) -> anyhow::Result<()> {
    install()?;
    // Built as for the tests, which run before: otherwise half of the dependencies would be built again, for
    // other features.
    let programs = built("test", ["--test", "end_to_end", "--no-run"])?;
    let mut node = Command::new("node");
    node.arg("--test-reporter=spec");
    if let Some(filter) = &arguments.filter {
        node.arg(format!("--test-name-pattern={filter}"));
    }
    node.arg("main.js").env("SERVER", programs.join("messaging-service"));
    if arguments.screenshots {
        let pictures = programs.with_file_name("screenshots");
        std::fs::create_dir_all(&pictures)?;
        say(&format!("pictures go to {}", pictures.display()));
        node.env("SCREENSHOTS", pictures);
    }
    run(node.current_dir(folder()))
}

/// Whether a tool is installed, and how it would be.
type Tool = (bool, &'static str);

fn node() -> Tool {
    let version = answer(Command::new("node").arg("--version")).unwrap_or_default();
    let npm = answer(Command::new("npm").arg("--version")).is_some();
    (
        npm && is_new_enough(&version),
        "Node 20 or newer with npm (`apt-get install nodejs npm`, or https://nodejs.org)",
    )
}

/// Returns whether a version such as `v20.1.0` is new enough for the journeys.
fn is_new_enough(version: &str) -> bool {
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= OLDEST_NODE)
}

#[expect(clippy::disallowed_methods, reason = "whoever runs this says where the browser is")]
fn chromium() -> Tool {
    let program = std::env::var_os("CHROMIUM").map_or_else(|| PathBuf::from(CHROMIUM), PathBuf::from);
    (program.exists(), "Chromium (`apt-get install chromium`, or name its program in `CHROMIUM`)")
}

fn missing(tools: &[Tool]) -> Option<String> {
    let missing: Vec<_> = tools.iter().filter(|(here, _)| !here).map(|(_, how)| *how).collect();
    (!missing.is_empty()).then(|| format!("not here: {}", missing.join(" and ")))
}

/// Fails on a build machine, which has everything; elsewhere says what was left out.
#[expect(clippy::disallowed_methods, reason = "build machines say so by `CI`")]
fn left_out(what: &str, missing: &str) -> anyhow::Result<()> {
    if std::env::var_os("CI").is_some() {
        bail!("{what}; {missing}");
    }
    say(&format!("{what}; {missing}"));
    Ok(())
}

fn modified(file: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(file).and_then(|about| about.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::{is_new_enough, missing};

    #[test]
    fn a_node_is_taken_from_20_on() {
        let versions = ["v20.1.0\n", "v24.0.0", "v18.19.0\n", "", "what"];
        assert_eq!(versions.map(is_new_enough), [true, true, false, false, false]);
    }

    #[test]
    fn whatever_is_missing_is_named_with_how_to_install_it() {
        assert_eq!(missing(&[(true, "Node"), (true, "Chromium")]), None);
        assert_eq!(missing(&[(true, "Node"), (false, "Chromium")]).unwrap(), "not here: Chromium");
        assert_eq!(missing(&[(false, "Node"), (false, "Chromium")]).unwrap(), "not here: Node and Chromium");
    }
}
