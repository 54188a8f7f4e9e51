//! The log: to standard error, as text or JSON.

mod outages;

use std::io::{IsTerminal, stderr};

use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    config::{ConfigError, LogConfig},
    telemetry::Telemetry,
};

pub use outages::count_outages;

/// Starts the log of this process, and with `telemetry` its traces, whatever the log says.
///
/// # Errors
/// When the filter cannot be read.
pub fn start(config: &LogConfig, telemetry: Option<&Telemetry>) -> Result<(), ConfigError> {
    let wrong = || ConfigError {
        setting: "MESSAGING_LOG".to_owned(),
        problem: "is a filter that cannot be read".to_owned(),
    };
    let filter = || EnvFilter::try_new(&config.filter).map_err(|_| wrong());
    let lines = fmt::layer().with_writer(stderr);
    // A file or a collector would keep the colours as characters. On a terminal NO_COLOR is heeded unless it is overruled.
    let lines = if stderr().is_terminal() { lines } else { lines.with_ansi(false) };
    let lines = if config.json { lines.json().boxed() } else { lines.boxed() };
    // A second start, as in tests, keeps the first log.
    let registry = tracing_subscriber::registry();
    let _ = match telemetry {
        // One filter for all: what is not logged costs nothing.
        None => registry.with(lines).with(outages::layer()).with(filter()?).try_init(),
        Some(telemetry) => registry
            .with(lines.with_filter(filter()?))
            .with(outages::layer().with_filter(filter()?))
            .with(telemetry.layer())
            .try_init(),
    };
    Ok(())
}
