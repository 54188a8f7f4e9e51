//! What cargo tells about this workspace.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Context;
use serde::Deserialize;

use crate::layers::Edge;
use crate::run::{answer, cargo};

/// `cargo metadata`, as far as it is read here.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    packages: Vec<Package>,
    #[serde(rename = "workspace_members")]
    members: HashSet<String>,
    resolve: Resolve,
    pub(crate) target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
struct Kind {
    kind: Option<String>,
}

/// The checkout that this was built from.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

impl Workspace {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let mut metadata = cargo();
        metadata.args(["metadata", "--format-version", "1", "--all-features"]).current_dir(root());
        let text = answer(metadata.stderr(Stdio::inherit())).context("`cargo metadata` failed")?;
        serde_json::from_str(&text).context("reading what `cargo metadata` answers")
    }

    /// Every dependency of every package, by name.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let names: HashMap<_, _> =
            self.packages.iter().map(|it| (it.id.as_str(), it.name.as_str())).collect();
        let name = |id: &str| names.get(id).copied().unwrap_or(id).to_owned();
        let mut edges = Vec::new();
        for node in &self.resolve.nodes {
            for dependency in &node.deps {
                let only_tests = dependency.dep_kinds.iter().all(|it| it.kind.as_deref() == Some("dev"));
                edges.push(Edge { from: name(&node.id), to: name(&dependency.pkg), only_tests });
            }
        }
        edges
    }

    /// The names of our own packages.
    pub(crate) fn members(&self) -> Vec<String> {
        let ours = self.packages.iter().filter(|it| self.members.contains(&it.id));
        ours.map(|it| it.name.clone()).collect()
    }
}
