//! A simulator as a program.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

/// Runs a program to its end, with its log on the standard error; a failure is logged.
pub async fn run_program<E: Display>(program: impl Future<Output = Result<(), E>>) -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    match program.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints where the simulator listens, and waits for Ctrl-C.
pub async fn until_interrupted(listens: &str) {
    // If the pipe was closed, nobody wants to know.
    let _closed = writeln!(io::stdout(), "{listens}");
    // Without a signal handler there is nothing to wait for.
    let _unavailable = tokio::signal::ctrl_c().await;
}
