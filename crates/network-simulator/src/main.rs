//! The simulator as a program, with the demo's accounts.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::Parser;
use network_simulator::{Config, Error, Simulator, demo_accounts, demo_page};
use secrecy::SecretString;
use tracing_subscriber::EnvFilter;
use url::Url;

/// A stand-in for the Graph API of WhatsApp, Messenger and Instagram, on loopback.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8440)]
    port: u16,
    /// Signs the webhooks
    #[arg(long, default_value = "simulated-app-secret")]
    app_secret: SecretString,
    /// Sent in the handshake
    #[arg(long, default_value = "simulated-verify-token")]
    verify_token: SecretString,
    /// Where webhooks are posted (http); it can be set later with PUT /control/webhook
    #[arg(long)]
    webhook_url: Option<Url>,
    /// Where the team answers: the phones link to its conversations
    #[arg(long)]
    dashboard_url: Option<Url>,
    /// The token that sees the demo's accounts
    #[arg(long, default_value = "simulated-token")]
    token: SecretString,
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Error> {
    let mut config = Config::new(arguments.app_secret, arguments.verify_token);
    config.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    config.accounts = demo_accounts(&arguments.token)?;
    config.pages = vec![demo_page(&arguments.token)];
    config.webhook_url = arguments.webhook_url;
    config.dashboard_url = arguments.dashboard_url;
    let simulator = Simulator::start(config).await?;
    // If the pipe was closed, nobody wants to know.
    let _closed = writeln!(io::stdout(), "listening on {}", simulator.url());
    // Without a signal handler there is nothing to wait for.
    let _unavailable = tokio::signal::ctrl_c().await;
    simulator.stop().await;
    Ok(())
}
