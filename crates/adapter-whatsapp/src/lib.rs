//! The `WhatsApp` Cloud API: sends, templates, numbers, and the parsing of its webhooks.
//!
//! [`WhatsAppNetwork`] is what the core asks; [`WhatsAppWebhook`] reads what the network posts.
//!
//! Invariants: nothing here keeps state but the pace of its sends; nothing here retries (the client does, and only what certainly had no
//! effect); no error text for a log holds a message, a code, a recipient or a token.

mod accounts;
mod failure;
mod hash;
mod media;
mod receipts;
mod scrub;
mod sending;
mod sign_up;
mod templates;
mod tokens;
mod webhook;

pub use sign_up::{CodeExchange, NoExchange};
pub use webhook::{WhatsAppWebhook, subscribed_fields};

use std::{sync::Arc, time::Duration};

use domain::attachments::ports::ObjectStore;

use graph_client::{GraphClient, Pace, Rate};
use secrecy::SecretString;

/// How many messages a second a number may send, unless the network has raised it
/// (docs/run/networks.md, "Rates").
const NUMBER_RATE: u32 = 80;
/// How long a send waits for its turn; who asks for it waits as long.
const PATIENCE: Duration = Duration::from_secs(2);

/// The network, as the core's ports ask it: sends, accounts, templates and files.
#[derive(Clone)]
pub struct WhatsAppNetwork {
    graph: GraphClient,
    pace: Pace,
    number_rate: Rate,
    /// Whether another process sends what somebody waits for.
    shares_numbers: bool,
    files: Option<Arc<dyn ObjectStore>>,
    app_token: Option<SecretString>,
}

impl WhatsAppNetwork {
    /// The network behind `graph`, whose codes are those of `WhatsApp`.
    pub fn new(graph: GraphClient) -> Self {
        let number_rate = Rate::per_second(NUMBER_RATE);
        let pace = Pace::new(PATIENCE);
        Self { graph, pace, number_rate, shares_numbers: false, files: None, app_token: None }
    }

    /// The same, where the network takes so many messages a second from each number.
    pub fn with_number_rate(self, per_second: u32) -> Self {
        Self { number_rate: Rate::per_second(per_second), ..self }
    }

    /// The same, where another process sends from the same numbers what somebody waits for: broadcasts leave it half of each
    /// number's rate.
    pub fn sharing_numbers(self) -> Self {
        Self { shares_numbers: true, ..self }
    }

    /// The same, with where the files are kept that it uploads.
    pub fn with_files(self, files: Arc<dyn ObjectStore>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The same, where the app can ask in its own name.
    pub fn with_app_token(self, app_token: SecretString) -> Self {
        Self { app_token: Some(app_token), ..self }
    }
}
