//! A registered address: its secret, and when it is given up on.

use std::fmt;

use time::OffsetDateTime;

use super::EventType;
use crate::{
    access::hex,
    ids::{MemberId, WebhookAddressId},
    vault::Vault,
};

/// After so many final failures in a row an address is disabled (docs/rest-api.md, "Limits").
pub const DISABLE_AFTER: u32 = 50;

/// It is the secret that signs an address's deliveries: `whsec_` and 256 random bits. It prints nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret(String);

impl WebhookSecret {
    /// Makes a fresh secret.
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

/// It says whether an address is delivered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressState {
    /// Events are delivered.
    Enabled,
    /// Events are only logged, until the owner resumes it.
    Disabled,
}

impl AddressState {
    /// Returns its name in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
        }
    }
}

/// It is a registered address as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAddress {
    pub id: WebhookAddressId,
    pub url: String,
    /// The address is told of these.
    pub events: Vec<EventType>,
    pub health: AddressHealth,
    /// It says whether the Standard Webhooks headers are sent as well.
    pub standard_headers: bool,
    /// It says until when the secret before the last rotation still signs beside the new one.
    pub previous_secret_until: Option<OffsetDateTime>,
    /// Who registered it; `None` for an operator.
    pub creator: Option<MemberId>,
    /// It was registered then.
    pub created_at: OffsetDateTime,
}

/// It says how an address is to be told; `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressSettings {
    /// The address is told of these.
    pub events: Option<Vec<EventType>>,
    /// It says whether the Standard Webhooks headers are sent as well.
    pub standard_headers: Option<bool>,
}

/// An owner changes this of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressChange {
    /// The owner changes how it is told.
    Settings(AddressSettings),
    /// It is at another place, under the same secret. What is owed to it goes there.
    Move { url: String },
    /// It is not delivered to any more; what happens meanwhile is held in its log.
    Pause {
        /// It says why, in words.
        reason: String,
    },
    /// It is delivered to again, its failures forgotten. What was held stays held until it is sent again.
    Resume,
    /// The address gets another secret.
    Rotate {
        secret: WebhookSecret,
        /// It says until when the one before signs as well; `None` when it stops at once.
        previous_until: Option<OffsetDateTime>,
    },
    /// It is gone, and nothing owed to it is attempted any more.
    Delete,
}

/// It says how an address has been answering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressHealth {
    /// It says whether the address is delivered to.
    pub state: AddressState,
    /// There were so many final failures since the last success.
    pub consecutive_failures: u32,
    /// It is disabled for this reason.
    pub disabled_reason: Option<String>,
}

impl AddressHealth {
    /// Returns the health after a delivery succeeded, or failed for good (`last_failure` in words).
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
