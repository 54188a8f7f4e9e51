//! The `WhatsApp` Cloud API: sends, templates, numbers, and the parsing of its webhooks.
//!
//! [`WhatsAppNetwork`] is what the core asks; [`WhatsAppWebhook`] reads what the network posts.
//!
//! Invariants: nothing here keeps state; nothing here retries (the client does, and only what certainly had no
//! effect); no error text for a log holds a message, a code, a recipient or a token.

mod accounts;
mod failure;
mod scrub;
mod sending;
mod templates;
mod webhook;

pub use webhook::WhatsAppWebhook;

use graph_client::GraphClient;

/// The network, as the core's ports ask it: sends, accounts and templates.
#[derive(Clone)]
pub struct WhatsAppNetwork {
    graph: GraphClient,
}

impl WhatsAppNetwork {
    /// The network behind `graph`, whose codes are those of `WhatsApp`.
    pub const fn new(graph: GraphClient) -> Self {
        Self { graph }
    }
}
