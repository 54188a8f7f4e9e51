//! The `WhatsApp` Cloud API: sends, templates, numbers, and the parsing of its webhooks.
//!
//! [`WhatsAppNetwork`] implements the core's ports; [`webhook`] parses the network's posts.
//!
//! Invariants: nothing here keeps state but the pace of its sends; nothing here retries (the client does, and
//! only what certainly had no effect); no error text for a log contains a message, a code, a recipient or a
//! token.

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
pub mod webhook;

pub use sign_up::{CodeExchange, NoExchange};
pub use webhook::subscribed_fields;

use std::{sync::Arc, time::Duration};

use domain::attachments::ports::ObjectStore;

use graph_client::{GraphClient, Pace, Rate};
use secrecy::SecretString;

/// Messages per second that a number may send, unless the network has raised it (docs/run/networks.md,
/// "Rates").
const NUMBER_RATE: u32 = 80;
/// Longest wait of a send for its turn; its caller waits as long.
const PATIENCE: Duration = Duration::from_secs(2);

/// The network behind the core's ports: sends, accounts, templates and files.
#[derive(Clone)]
pub struct WhatsAppNetwork {
    graph: GraphClient,
    pace: Pace,
    number_rate: Rate,
    /// Whether another process sends interactive messages from the same numbers.
    shares_numbers: bool,
    files: Option<Arc<dyn ObjectStore>>,
    app_token: Option<SecretString>,
}

impl WhatsAppNetwork {
    /// Builds the network behind `graph`, whose codes are those of `WhatsApp`.
    pub fn new(graph: GraphClient) -> Self {
        let number_rate = Rate::per_second(NUMBER_RATE);
        let pace = Pace::new(PATIENCE);
        Self { graph, pace, number_rate, shares_numbers: false, files: None, app_token: None }
    }

    /// Sets the messages per second that the network accepts from each number.
    pub fn with_number_rate(self, per_second: u32) -> Self {
        Self { number_rate: Rate::per_second(per_second), ..self }
    }

    /// Leaves half of each number's rate to another process, which sends interactive messages from the same
    /// numbers: for broadcasts.
    pub fn sharing_numbers(self) -> Self {
        Self { shares_numbers: true, ..self }
    }

    /// Sets the store of the files that it uploads.
    pub fn with_files(self, files: Arc<dyn ObjectStore>) -> Self {
        Self { files: Some(files), ..self }
    }

    /// Sets the token by which the app asks in its own name.
    pub fn with_app_token(self, app_token: SecretString) -> Self {
        Self { app_token: Some(app_token), ..self }
    }
}
