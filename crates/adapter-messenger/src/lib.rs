//! Messenger and Instagram, which are one platform: sends, pages, profiles, and the parsing of their webhooks.
//!
//! [`PageNetwork`] is what the core asks; [`PageWebhook`] reads what the network posts.
//!
//! Invariants: nothing here keeps state; nothing here retries (the client does, and only what certainly had no
//! effect); no error text for a log holds a message, a recipient or a token.

mod failure;
mod pages;
mod profiles;
mod sending;
mod webhook;

pub use webhook::PageWebhook;

use graph_client::GraphClient;

/// The network, as the core's ports ask it: sends, pages and profiles.
#[derive(Clone)]
pub struct PageNetwork {
    graph: GraphClient,
}

impl PageNetwork {
    /// The network behind `graph`, whose codes are those of Messenger.
    pub const fn new(graph: GraphClient) -> Self {
        Self { graph }
    }
}
