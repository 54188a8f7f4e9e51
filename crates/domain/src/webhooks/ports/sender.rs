//! Calling customers' addresses.

use async_trait::async_trait;

use super::DueDelivery;
use crate::webhooks::AttemptOutcome;

/// Why an address may not be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ForbiddenAddress(pub String);

/// Whether an address that a customer typed may be called.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressGuard: Send + Sync {
    /// Checks scheme, host, and every address the host resolves to.
    async fn check(&self, url: &str) -> Result<(), ForbiddenAddress>;
}

/// What an attempt came to, with what the receiver said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    /// The status of a 2xx answer, or why there was none.
    pub outcome: AttemptOutcome,
    /// The beginning of the answer's body, [`crate::webhooks::ANSWER_KEPT`] bytes at most; empty where there was
    /// none.
    pub answer: Vec<u8>,
}

impl From<AttemptOutcome> for Attempted {
    /// Without a body.
    fn from(outcome: AttemptOutcome) -> Self {
        Self { outcome, answer: Vec::new() }
    }
}

/// An attempt was not made for a want of this machine, such as of open files: nothing was sent, and it is no fault of the
/// receiver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotMade(pub String);

/// Makes one attempt: signs and posts, within [`crate::webhooks::ATTEMPT_LIMIT`].
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliverySender: Send + Sync {
    /// What the receiver answered.
    ///
    /// # Errors
    /// [`NotMade`].
    async fn attempt(&self, delivery: &DueDelivery) -> Result<Attempted, NotMade>;
}
