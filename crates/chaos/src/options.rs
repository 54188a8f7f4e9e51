//! What a run is made with.

use std::{path::PathBuf, time::Duration};

/// What a run is made with.
#[derive(Debug, Clone)]
pub struct Options {
    /// The service's program.
    pub server: PathBuf,
    /// The program of the release before: instead of failing, everything works, and the nodes are rolled from it to
    /// `server`, back, and forward again.
    pub before: Option<PathBuf>,
    /// For the database, the nodes' logs and people's files. It is emptied first.
    pub folder: PathBuf,
    /// How long things fail.
    pub length: Duration,
    /// How many nodes serve, at least one.
    pub nodes: usize,
    /// Decides what fails when, and who writes to whom.
    pub seed: u64,
    /// Whether the database's disk is filled, too; this needs the right to mount a file system in memory.
    pub disk: bool,
    /// The library that gives each node a clock of its own, which jumps then, too.
    pub faketime: Option<PathBuf>,
}
