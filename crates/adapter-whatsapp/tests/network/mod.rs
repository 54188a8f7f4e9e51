//! The network over loopback HTTP: a scripted server for what goes wrong, the simulator for what goes right.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test support")]

mod accounts;
mod attached;
mod files;
mod scripted;
mod sending;
mod simulator;
mod templates;
mod texts;

use std::time::Duration;

use adapter_whatsapp::WhatsAppNetwork;
use graph_client::{Config, GraphClient, RetryPolicy, Surface};
use secrecy::SecretString;
use url::Url;

/// The network at `base_url`, asked once per call.
fn network_at(base_url: Url) -> WhatsAppNetwork {
    let retry = RetryPolicy { attempts: 1, base: Duration::ZERO, budget: Duration::ZERO };
    let config = Config {
        base_url,
        version: "v25.0".to_owned(),
        app_secret: None,
        surface: Surface::WhatsApp,
        timeout: Duration::from_secs(20),
        retry,
    };
    WhatsAppNetwork::new(GraphClient::new(config).unwrap())
}

fn token() -> SecretString {
    SecretString::from("a-token")
}
