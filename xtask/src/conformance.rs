//! `cargo xtask conformance`: the documents against rules that are not ours, and a sandbox, driven by its own
//! document, with clients that are not ours.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::run::{answer, cargo, run, say};
use crate::workspace::{Workspace, root};
use crate::{generators, redocly};

/// Version of schemathesis that the options below are written for.
const SCHEMATHESIS: &str = "4.32.5";

/// Checks applied to every answer. The first is our own.
const CHECKS: &str = "no_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance,negative_data_rejection,unsupported_method,\
    allow_header_conformance,ignored_auth";

/// File with our own check.
const OWN_CHECKS: &str = "xtask/src/generators/checks.py";

/// Below the 600 requests a minute that a key may make: more would be 429s, which show nothing new.
const RATE: &str = "590/m";

/// How to drive it.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Most generated requests for each route and phase.
    #[arg(long, default_value_t = 40)]
    examples: u32,
    /// Most seconds in all.
    #[arg(long, default_value_t = 170)]
    seconds: u32,
    /// Handed to schemathesis as it stands, such as `--seed 7`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    schemathesis: Vec<String>,
}

/// The fields read from the sandbox's message that it is ready.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    base_url: String,
    api_key: String,
}

pub(crate) fn drive(arguments: &Arguments) -> anyhow::Result<()> {
    let target = Workspace::read()?.target_directory();
    redocly::lint(&target.join("tools"))?;
    let schemathesis = schemathesis(&target.join("tools"))?;
    run(cargo().args(["build", "--quiet", "-p", "server"]).current_dir(root()))?;
    let (sandbox, ready) = Sandbox::start(&target.join("debug/messaging-service"))?;
    say(&format!("a sandbox answers at {}", ready.base_url));
    generators::compile(&target.join("tools"), &ready.base_url, &ready.api_key)?;
    let outcome = Command::new("timeout")
        .arg(format!("{}s", arguments.seconds))
        .arg(schemathesis)
        .args(["run", "--no-color", "--workers", "2", "--checks", CHECKS, "--rate-limit", RATE])
        .args(["--max-examples", &arguments.examples.to_string(), "--suppress-health-check", "all"])
        .args(["--warnings", "off", "--header", &format!("Authorization: Bearer {}", ready.api_key)])
        .args(&arguments.schemathesis)
        .arg(format!("{}/v1/openapi.json", ready.base_url))
        .env("SCHEMATHESIS_HOOKS", root().join(OWN_CHECKS))
        .current_dir(&target)
        .status();
    drop(sandbox);
    match outcome.context("`timeout` did not start")?.code() {
        Some(0) => Ok(()),
        // Exit code of `timeout` for a program that it had to end.
        Some(124) => bail!("schemathesis took more than {} s", arguments.seconds),
        _ => bail!("the service and its document differ"),
    }
}

/// Returns the program of the pinned schemathesis, installed once.
fn schemathesis(tools: &Path) -> anyhow::Result<PathBuf> {
    let folder = tools.join(format!("schemathesis-{SCHEMATHESIS}"));
    let program = folder.join("bin/schemathesis");
    let version = answer(Command::new(&program).arg("--version")).unwrap_or_default();
    if !version.contains(SCHEMATHESIS) {
        say("installing schemathesis into target/tools, once");
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("Python 3 with its module `venv` is needed")?;
        run(Command::new(folder.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .arg(format!("schemathesis=={SCHEMATHESIS}")))?;
    }
    Ok(program)
}

/// A running sandbox, asked to end when dropped.
struct Sandbox(Child);

impl Sandbox {
    fn start(program: &Path) -> anyhow::Result<(Self, Ready)> {
        let mut child = Command::new(program)
            .args(["sandbox", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("the sandbox did not start")?;
        let printed = child.stdout.take();
        let sandbox = Self(child);
        let mut line = String::new();
        let mut printed = BufReader::new(printed.context("the sandbox has no output")?);
        printed.read_line(&mut line)?;
        let ready = serde_json::from_str(&line).context("the sandbox did not say where it is")?;
        // It prints every event; somebody has to read them.
        std::thread::spawn(move || std::io::copy(&mut printed, &mut std::io::sink()));
        Ok((sandbox, ready))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // A kill would leave its PostgreSQL to be cleaned up by the next run.
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}
