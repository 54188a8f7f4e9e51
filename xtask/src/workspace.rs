//! Cargo's metadata of this workspace.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, PackageId};

use crate::layers::Edge;
use crate::run::{answer, cargo, run};

/// Output of `cargo metadata`, with every feature on.
#[derive(Debug)]
pub(crate) struct Workspace(Metadata);

/// Returns the checkout that this was built from.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

impl Workspace {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let mut metadata = MetadataCommand::new();
        metadata.current_dir(root()).features(CargoOpt::AllFeatures);
        metadata.exec().map(Self).context("`cargo metadata` failed")
    }

    /// Returns the folder that cargo builds in.
    pub(crate) fn target_directory(&self) -> PathBuf {
        self.0.target_directory.clone().into_std_path_buf()
    }

    /// Lists the dependencies of all packages, by name.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let names: HashMap<&PackageId, &str> =
            self.0.packages.iter().map(|it| (&it.id, it.name.as_str())).collect();
        let name = |id: &PackageId| names.get(id).copied().unwrap_or(&id.repr).to_owned();
        let mut edges = Vec::new();
        for node in self.0.resolve.iter().flat_map(|resolve| &resolve.nodes) {
            for dependency in &node.deps {
                let only_tests = dependency.dep_kinds.iter().all(|it| it.kind == DependencyKind::Development);
                edges.push(Edge { from: name(&node.id), to: name(&dependency.pkg), only_tests });
            }
        }
        edges
    }

    /// Lists the folders of our own packages, from the root of the checkout.
    pub(crate) fn folders(&self) -> Vec<String> {
        let manifests = self.0.workspace_packages().into_iter().map(|it| it.manifest_path.as_std_path());
        let folders = manifests.filter_map(|path| path.parent()?.strip_prefix(root()).ok());
        folders.map(|folder| folder.to_string_lossy().into_owned()).collect()
    }

    /// Lists the features of our own packages as `package/feature`, but for `default`, and for one of one
    /// package.
    pub(crate) fn features_without(&self, (package, feature): (&str, &str)) -> Vec<String> {
        let packages = self.0.workspace_packages().into_iter();
        let named =
            packages.flat_map(|it| it.features.keys().map(move |feature| (it.name.as_str(), feature)));
        let kept =
            named.filter(|(of, named)| *named != "default" && (*of, named.as_str()) != (package, feature));
        kept.map(|(of, named)| format!("{of}/{named}")).collect()
    }

    /// Lists the names of our own packages.
    pub(crate) fn members(&self) -> Vec<String> {
        self.0.workspace_packages().iter().map(|it| it.name.to_string()).collect()
    }
}

/// A test that compiles quickly. Only with a test among the targets does cargo build the programs'
/// dependencies with the features that tests need.
pub(crate) const SOME_TEST: [&str; 2] = ["--test", "trust"];

/// Builds programs with the features of the tests, so that nothing is compiled twice for both. Returns the
/// folder of the programs.
pub(crate) fn built(
    command: &str,
    arguments: impl IntoIterator<Item: AsRef<OsStr>>,
) -> anyhow::Result<PathBuf> {
    let mut build = cargo();
    build.args([command, "--quiet", "--workspace", "--all-features"]).args(SOME_TEST);
    run(build.args(arguments).current_dir(root()))?;
    Ok(Workspace::read()?.target_directory().join("debug"))
}

/// Lists the packages built into the program with `features`, itself included.
pub(crate) fn shipped(features: &[&str]) -> anyhow::Result<Vec<String>> {
    let mut tree: Command = cargo();
    tree.args(["tree", "--package", "server", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    let text = answer(tree.args(features).current_dir(root()).stderr(Stdio::inherit()));
    let Some(text) = text else { bail!("`cargo tree` failed") };
    let mut names: Vec<String> =
        text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}
