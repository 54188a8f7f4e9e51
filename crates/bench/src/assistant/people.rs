//! Customers of the bench's workspace.

use anyhow::Context;
use network_simulator::Simulator;
use serde_json::{Value, json};

/// Id at the network of the number that customers write to.
const NUMBER: &str = "106540352300000";
/// Digits before each person's own.
const PREFIX: &str = "96477";
const FIRST: usize = 40_000_000;

/// A customer, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Person(pub(super) usize);

impl Person {
    /// Returns their phone number, digits only.
    pub(super) fn digits(self) -> String {
        format!("{PREFIX}{:08}", FIRST + self.0)
    }

    pub(super) fn of_digits(digits: &str) -> Option<Self> {
        let own: usize = digits.trim_start_matches('+').strip_prefix(PREFIX)?.parse().ok()?;
        own.checked_sub(FIRST).map(Self)
    }

    pub(super) async fn writes(self, network: &Simulator, text: &str) -> anyhow::Result<()> {
        self.sends(network, json!({ "type": "text", "text": { "body": text } })).await
    }

    pub(super) async fn taps(self, network: &Simulator, button: &str) -> anyhow::Result<()> {
        let reply = json!({ "type": "button_reply", "button_reply": { "id": button, "title": "أؤكد" } });
        self.sends(network, json!({ "type": "interactive", "interactive": reply })).await
    }

    /// The network posts the message again until it is answered, so the service need not be running.
    async fn sends(self, network: &Simulator, message: Value) -> anyhow::Result<()> {
        let body = json!({ "channelId": NUMBER, "from": self.digits(), "name": "سارة", "message": message });
        network.person_writes(&body).await.map(drop).context("a person could not write")
    }
}
