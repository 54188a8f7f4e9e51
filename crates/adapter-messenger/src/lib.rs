//! Messenger and Instagram, which are one platform: sends, pages, profiles, and the parsing of their webhooks.
//!
//! [`PageNetwork`] is what the core asks; [`PageWebhook`] reads what the network posts.
//!
//! Invariants: nothing here keeps state but the pace of its sends; nothing here retries (the client does, and only what certainly had no
//! effect); no error text for a log holds a message, a recipient or a token.

mod failure;
mod media;
mod messages;
mod pages;
mod profiles;
mod receipts;
mod sending;
mod webhook;

pub use pages::instagram_fields;
pub use webhook::PageWebhook;

use std::time::Duration;

use graph_client::{GraphClient, Pace};

/// The fields of a page that it is subscribed to when it is connected.
pub fn subscribed_fields() -> impl Iterator<Item = &'static str> {
    pages::SUBSCRIBED.split(',')
}

/// How long a send waits for its turn; who asks for it waits as long.
const PATIENCE: Duration = Duration::from_secs(2);

/// The network, as the core's ports ask it: sends, pages, profiles and files.
#[derive(Clone)]
pub struct PageNetwork {
    graph: GraphClient,
    pace: Pace,
}

impl PageNetwork {
    /// The network behind `graph`, whose codes are those of Messenger.
    pub fn new(graph: GraphClient) -> Self {
        Self { graph, pace: Pace::new(PATIENCE) }
    }
}
