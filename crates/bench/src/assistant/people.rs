//! Customers of the bench's workspace.

use anyhow::Context;
use network_simulator::Simulator;
use serde_json::{Value, json};

/// The number that customers write to, by its id at the network.
const NUMBER: &str = "106540352300000";
/// Before every person's own digits.
const PREFIX: &str = "96477";
const FIRST: usize = 40_000_000;

/// Somebody who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Person(pub(super) usize);

impl Person {
    /// Their number, digits only.
    pub(super) fn digits(self) -> String {
        format!("{PREFIX}{:08}", FIRST + self.0)
    }

    /// Whose the digits are.
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

    /// The network posts it again until it is answered, so that it matters to nobody whether the service runs.
    async fn sends(self, network: &Simulator, message: Value) -> anyhow::Result<()> {
        let body = json!({ "channelId": NUMBER, "from": self.digits(), "name": "سارة", "message": message });
        network.person_writes(&body).await.map(drop).context("a person could not write")
    }
}
