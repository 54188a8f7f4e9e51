//! The webhook that `WhatsApp` posts to: who may post, and the parsing of posts.
//!
//! Parsing is tolerant. A part of an unexpected type is left out alone; an unknown one is named and passed
//! over.

mod account;
mod content;
mod fields;
mod message;
mod person;
mod reading;
mod status;

pub use fields::subscribed_fields;

use domain::{
    channels::ChannelKind,
    inbound::{
        NetworkUpdate,
        ports::{NetworkWebhook, UnreadablePayload},
    },
};
use graph_client::webhook::{Gate, object_of};

/// The webhook of one app.
pub struct WhatsAppWebhook {
    gate: Gate,
}

impl WhatsAppWebhook {
    /// Value of `object` in posts about a business account.
    pub const OBJECT: &str = "whatsapp_business_account";

    /// Creates a webhook behind `gate`.
    pub const fn new(gate: Gate) -> Self {
        Self { gate }
    }
}

impl NetworkWebhook for WhatsAppWebhook {
    fn accepts_handshake(&self, token: &str) -> bool {
        self.gate.accepts_handshake(token)
    }

    fn is_signed(&self, raw: &[u8], signature: &str) -> bool {
        self.gate.is_signed(raw, signature)
    }

    fn network(&self, raw: &[u8]) -> Option<ChannelKind> {
        (object_of(raw)? == Self::OBJECT).then_some(ChannelKind::Whatsapp)
    }

    fn read(&self, raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
        reading::read(raw)
    }
}
