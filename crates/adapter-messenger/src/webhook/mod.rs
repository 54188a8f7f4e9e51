//! The webhook that pages and Instagram accounts post to: who may post, and the parsing of posts.
//!
//! Parsing is tolerant. A part of an unexpected type is left out alone; an unknown one is named and passed
//! over.

mod content;
mod element;
mod reading;

use domain::{
    channels::ChannelKind,
    inbound::{
        NetworkUpdate,
        ports::{NetworkWebhook, UnreadablePayload},
    },
};
use graph_client::webhook::{Gate, object_of};

/// The webhook of one app.
pub struct PageWebhook {
    gate: Gate,
    /// Id of the app, which its own echoes carry; `None` if it is not known.
    app_id: Option<u64>,
}

impl PageWebhook {
    /// Creates a webhook behind `gate`; `app_id` tells the echoes of our own sends from others'.
    pub const fn new(gate: Gate, app_id: Option<u64>) -> Self {
        Self { gate, app_id }
    }
}

impl NetworkWebhook for PageWebhook {
    fn accepts_handshake(&self, token: &str) -> bool {
        self.gate.accepts_handshake(token)
    }

    fn is_signed(&self, raw: &[u8], signature: &str) -> bool {
        self.gate.is_signed(raw, signature)
    }

    fn network(&self, raw: &[u8]) -> Option<ChannelKind> {
        reading::network(&object_of(raw)?)
    }

    fn read(&self, raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
        reading::read(raw, self.app_id)
    }
}
