//! The log: to standard error, as text or JSON.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{ConfigError, LogConfig};

/// Starts the log of this process.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(config: &LogConfig) -> Result<(), ConfigError> {
    let wrong = || ConfigError {
        setting: "MESSAGING_LOG".to_owned(),
        problem: "must be a filter such as `info` or `info,adapter_webhooks=debug`".to_owned(),
    };
    let filter = EnvFilter::try_new(&config.filter).map_err(|_| wrong())?;
    let lines = fmt().with_env_filter(filter).with_writer(stderr);
    // A file or a collector would keep the colours as characters.
    let lines = lines.with_ansi(stderr().is_terminal());
    // A second start, as in tests, keeps the first log.
    let _ = if config.json { lines.json().try_init() } else { lines.try_init() };
    Ok(())
}
