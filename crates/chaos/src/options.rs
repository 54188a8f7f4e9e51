//! Options of a run.

use std::{path::PathBuf, time::Duration};

/// Options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The service's program.
    pub server: PathBuf,
    /// Program of the release before: with it nothing is made to fail, and the nodes are upgraded from it to
    /// `server`, rolled back, and upgraded again.
    pub before: Option<PathBuf>,
    /// Folder of the database, the nodes' logs and people's files. It is emptied first.
    pub folder: PathBuf,
    /// Time during which things fail.
    pub length: Duration,
    /// Number of nodes, at least one.
    pub nodes: usize,
    /// Seed that decides what fails when, and who writes to whom.
    pub seed: u64,
    /// Whether the database's disk is filled up, too; this needs the right to mount a file system in memory.
    pub disk: bool,
    /// Library that gives each node a clock of its own, which then jumps, too.
    pub faketime: Option<PathBuf>,
}
