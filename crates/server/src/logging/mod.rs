//! Log to standard error, as text or JSON.

mod outages;

use std::io::{IsTerminal, stderr};

use tracing::{Dispatch, Level};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterFn, filter_fn},
    fmt::{self, MakeWriter},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::{
    config::{ConfigError, LogConfig},
    telemetry::Telemetry,
};

pub use outages::count_outages;

/// Starts the log of this process and, with `telemetry`, its traces, whatever the log's filter.
///
/// # Errors
/// When the filter cannot be parsed.
pub fn start(config: &LogConfig, telemetry: Option<&Telemetry>) -> Result<(), ConfigError> {
    // A second start, as in tests, keeps the first log.
    let _ = logged(config, telemetry, stderr)?.try_init();
    Ok(())
}

fn logged<W>(config: &LogConfig, telemetry: Option<&Telemetry>, to: W) -> Result<Dispatch, ConfigError>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let wrong = || ConfigError {
        setting: "MESSAGING_LOG".to_owned(),
        problem: "is a filter that cannot be read".to_owned(),
    };
    let filter = || EnvFilter::try_new(&config.filter).map_err(|_| wrong());
    let lines = fmt::layer().with_writer(to);
    // A file or a collector would keep the colours as characters. On a terminal, NO_COLOR is heeded unless
    // overruled.
    let lines = if stderr().is_terminal() { lines } else { lines.with_ansi(false) };
    let lines = if config.json { lines.json().boxed() } else { lines.boxed() };
    let registry = tracing_subscriber::registry().with(quoting_nobody());
    Ok(match telemetry {
        // One filter for all: what is not logged costs nothing.
        None => registry.with(lines).with(outages::layer()).with(filter()?).into(),
        Some(telemetry) => registry
            .with(lines.with_filter(filter()?))
            .with(outages::layer().with_filter(filter()?))
            .with(telemetry.layer())
            .into(),
    })
}

/// Drops lines of three libraries, whatever the filter: `genai` quotes answers of language models;
/// `actix_http` logs each request that is not HTTP as an error, so that anybody could write errors into the
/// log (such requests are answered, counted and logged by [`adapter_http`]); `actix_server` logs which
/// runtime it found.
fn quoting_nobody() -> FilterFn {
    filter_fn(|line| match line.target().split("::").next() {
        Some("genai" | "actix_server") => false,
        Some("actix_http") => *line.level() != Level::ERROR,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Seek},
        sync::Arc,
    };

    use tracing::{dispatcher, error, trace};

    use super::{LogConfig, logged};

    #[test]
    fn what_models_say_and_errors_that_strangers_cause_are_in_no_log_whatever_is_to_be_logged() {
        for filter in ["trace", "info,genai=trace", "genai::webc::web_client=trace"] {
            for json in [false, true] {
                let mut file = tempfile::tempfile().unwrap();
                let to = Arc::new(file.try_clone().unwrap());
                let log = logged(&LogConfig { filter: filter.to_owned(), json }, None, to).unwrap();
                dispatcher::with_default(&log, || {
                    trace!(target: "genai::webc::web_client", "AI Response body: canary");
                    error!(target: "genai", "canary");
                    error!(target: "genai::webc::web_client", "canary");
                    error!(target: "genai::webc::web_client::ours", "canary");
                    error!(target: "actix_http::h1::dispatcher", "stream error: canary");
                    error!("one of ours");
                });
                let mut lines = String::new();
                file.rewind().unwrap();
                file.read_to_string(&mut lines).unwrap();
                let is_ours = lines.contains("one of ours") || filter.starts_with("genai");
                assert!(is_ours && !lines.contains("canary"), "{filter}: {lines}");
            }
        }
    }
}
