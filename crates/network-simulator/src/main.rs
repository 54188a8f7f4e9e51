//! The simulator as a program, with the demo's accounts.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::Parser;
use network_simulator::{Config, Error, Simulator, demo_accounts, demo_page};
use secrecy::SecretString;
use simulator_kit::{run_program, until_interrupted};
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
    let arguments = Arguments::parse();
    run_program(async move {
        let mut config = Config::new(arguments.app_secret, arguments.verify_token);
        config.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
        config.accounts = demo_accounts(&arguments.token)?;
        config.pages = vec![demo_page(&arguments.token)];
        config.webhook_url = arguments.webhook_url;
        config.dashboard_url = arguments.dashboard_url;
        let simulator = Simulator::start(config).await?;
        until_interrupted(&format!("listening on {}", simulator.url())).await;
        simulator.stop().await;
        Ok::<_, Error>(())
    })
    .await
}
