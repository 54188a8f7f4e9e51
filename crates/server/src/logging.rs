//! The log: to standard error, as text or JSON.

mod outages;

use std::io::{IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::{ConfigError, LogConfig};

pub use outages::count_outages;

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
    // A file or a collector would keep the colours as characters.
    let lines = fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
    let lines = if config.json { lines.json().boxed() } else { lines.boxed() };
    // A second start, as in tests, keeps the first log.
    let _ = tracing_subscriber::registry().with(lines).with(outages::layer()).with(filter).try_init();
    Ok(())
}
