//! Messenger and Instagram, which are one platform: sends, pages, profiles, and the parsing of their
//! webhooks.
//!
//! [`PageNetwork`] implements the core's ports; [`webhook`] parses the network's posts.
//!
//! Invariants: nothing here keeps state but the pace of its sends; nothing here retries (the client does, and
//! only what certainly had no effect); no error text for a log contains a message, a recipient or a token.

mod failure;
mod media;
mod messages;
mod pages;
mod profiles;
mod receipts;
mod sending;
pub mod webhook;

pub use pages::instagram_fields;

use std::time::Duration;

use graph_client::{GraphClient, Pace};

/// Lists the fields of a page that the app is subscribed to when the page is connected.
pub fn subscribed_fields() -> impl Iterator<Item = &'static str> {
    pages::SUBSCRIBED.split(',')
}

/// Longest wait of a send for its turn; its caller waits as long.
const PATIENCE: Duration = Duration::from_secs(2);

/// The network behind the core's ports: sends, pages, profiles and files.
#[derive(Clone)]
pub struct PageNetwork {
    graph: GraphClient,
    pace: Pace,
}

impl PageNetwork {
    /// Builds the network behind `graph`, whose codes are those of Messenger.
    pub fn new(graph: GraphClient) -> Self {
        Self { graph, pace: Pace::new(PATIENCE) }
    }
}
