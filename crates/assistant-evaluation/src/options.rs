//! Options of an evaluation.

use std::path::PathBuf;

use anyhow::Context;

/// A server of a language model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Base URL of `chat/completions`.
    pub url: String,
    /// Name of the model at the server.
    pub name: String,
    /// File with its API key.
    pub key_file: Option<PathBuf>,
}

impl Model {
    pub(crate) fn key(&self) -> anyhow::Result<Option<String>> {
        let Some(file) = &self.key_file else { return Ok(None) };
        let key = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Ok(Some(key.trim().to_owned()))
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
    /// Model that answers and plays the customers; `None` for the stand-in, with customers by rules.
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
