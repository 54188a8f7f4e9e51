//! Options of an evaluation.

use std::{fmt, path::PathBuf};

/// A server of a language model. Its `Debug` shows no key.
#[derive(Clone)]
pub struct Model {
    /// Base URL of `chat/completions`.
    pub url: String,
    /// Name of the model at the server.
    pub name: String,
    pub key: Option<String>,
    /// Whether it plays the customers, too; otherwise they follow the scenarios' lines.
    pub plays_customers: bool,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("url", &self.url).field("name", &self.name).finish_non_exhaustive()
    }
}

/// Rounds in which the stand-in misbehaves.
#[derive(Debug, Clone)]
pub enum Faults {
    None,
    /// After the round without a fault, one for each fault, in which each scenario is played once.
    Each,
    /// No round without a fault, and one for each of these, in which each scenario is played as often as
    /// asked.
    Named(Vec<String>),
}

/// Options of an evaluation.
#[derive(Debug, Clone)]
pub struct Options {
    pub server: PathBuf,
    /// PostgreSQL for the sandboxes' databases; `None` for one of their own.
    pub database_url: Option<String>,
    /// Model that answers, beside the stand-in; `None` for the stand-in alone.
    pub model: Option<Model>,
    /// Number of times that each scenario is played.
    pub trials: u64,
    /// Faults of the stand-in to play with.
    pub faults: Faults,
    /// Parts of scenarios' names or themes to play; empty for all.
    pub only: Vec<String>,
    /// Conversations side by side.
    pub parallel: usize,
}
