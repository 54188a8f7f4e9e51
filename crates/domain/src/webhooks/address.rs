//! Registered webhook addresses: their secrets, settings and health.

use std::fmt;

use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    events::EventType,
    hex::hex,
    ids::{MemberId, WebhookAddressId},
    vault::Vault,
};

/// Consecutive final failures that disable an address (docs/use/rest-api.md, "Limits").
pub const DISABLE_AFTER: u32 = 50;

/// Secret that signs an address's deliveries: `whsec_` and 256 random bits in hex. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// Generates a new secret.
    pub fn generate(vault: &dyn Vault) -> Self {
        Self(format!("whsec_{}", hex(&vault.random())))
    }

    /// Returns the secret in clear, to show it once and to sign.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for WebhookSecret {
    fn from(secret: String) -> Self {
        Self(secret)
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

/// Whether an address is delivered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressState {
    Enabled,
    /// Events are held in the log until the owner resumes the address; pings and single re-sends go out once.
    Disabled,
}

impl AddressState {
    /// Returns the name in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
        }
    }
}

/// A registered address as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAddress {
    pub id: WebhookAddressId,
    pub url: String,
    pub events: Vec<EventType>,
    pub health: AddressHealth,
    /// Whether the Standard Webhooks headers are sent as well.
    pub standard_headers: bool,
    /// Time until which the secret before the last rotation still signs beside the new one.
    pub previous_secret_until: Option<OffsetDateTime>,
    /// Member who registered the address; `None` for an operator.
    pub creator: Option<MemberId>,
    pub created_at: OffsetDateTime,
}

/// Changed settings of an address; `None` leaves one as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressSettings {
    pub events: Option<Vec<EventType>>,
    /// Whether the Standard Webhooks headers are sent as well.
    pub standard_headers: Option<bool>,
}

/// Change of a registered address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressChange {
    /// New settings.
    Settings(AddressSettings),
    /// New URL under the same secret. Queued deliveries go there.
    Move { url: String },
    /// Disables the address; events are held in its log meanwhile.
    Pause {
        /// Shown to the owner.
        reason: String,
    },
    /// Enables the address and resets its failures. Held deliveries stay held until they are sent again.
    Resume,
    /// Replaces the secret.
    Rotate {
        secret: WebhookSecret,
        /// Time until which the old secret signs as well; `None` if it stops at once.
        previous_until: Option<OffsetDateTime>,
    },
    /// Removes the address; queued deliveries are not attempted any more.
    Delete,
}

/// State of an address with the failures that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressHealth {
    pub state: AddressState,
    /// Final failures since the last success.
    pub consecutive_failures: u32,
    /// Shown to the owner; `None` while the address is enabled.
    pub disabled_reason: Option<String>,
}

impl AddressHealth {
    /// Returns the health after a delivery succeeded (`None`) or failed for good (the last failure in words).
    pub fn after(self, last_failure: Option<&str>) -> Self {
        let Some(words) = last_failure else {
            return Self { consecutive_failures: 0, ..self };
        };
        let consecutive_failures = self.consecutive_failures.saturating_add(1);
        if self.state == AddressState::Disabled || consecutive_failures < DISABLE_AFTER {
            return Self { consecutive_failures, ..self };
        }
        let reason = format!("{consecutive_failures} deliveries in a row failed for good; the last: {words}");
        Self { state: AddressState::Disabled, consecutive_failures, disabled_reason: Some(reason) }
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressHealth, AddressState, DISABLE_AFTER};

    fn fail(health: AddressHealth, times: u32) -> AddressHealth {
        (0..times).fold(health, |health, _| health.after(Some("status 500")))
    }

    #[test]
    fn fifty_final_failures_in_a_row_disable_an_address_and_say_why() {
        let fresh =
            AddressHealth { state: AddressState::Enabled, consecutive_failures: 0, disabled_reason: None };
        let almost = fail(fresh, DISABLE_AFTER - 1);
        assert_eq!(almost.state, AddressState::Enabled);
        let recovered = fail(almost.clone().after(None), DISABLE_AFTER - 1);
        assert_eq!(recovered.state, AddressState::Enabled);
        let disabled = fail(almost, 1);
        assert_eq!(disabled.state, AddressState::Disabled);
        assert!(disabled.disabled_reason.is_some_and(|reason| reason.contains("status 500")));
    }
}
