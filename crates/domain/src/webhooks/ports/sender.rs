//! Attempts at registered addresses.

use async_trait::async_trait;

use super::{
    super::schedule::{AttemptOutcome, Failure},
    DueDelivery,
};

/// Error for an address that may not be called, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ForbiddenAddress(pub String);

/// Guard of the addresses that may be called.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressGuard: Send + Sync {
    /// Checks a typed URL: its scheme, its host, and every IP address that the host resolves to.
    async fn check(&self, url: &str) -> Result<(), ForbiddenAddress>;
}

/// Outcome of an attempt, with the receiver's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    pub outcome: AttemptOutcome,
    /// Beginning of the answer's body, [`crate::webhooks::ANSWER_KEPT`] bytes at most; empty if there was
    /// none.
    pub answer: Vec<u8>,
    /// Whether an answer came and ended within its limits of time and size.
    pub is_whole: bool,
}

impl From<AttemptOutcome> for Attempted {
    /// Creates an attempt without a body.
    fn from(outcome: AttemptOutcome) -> Self {
        let is_whole = !matches!(outcome, Err(Failure::Timeout | Failure::Call(_)));
        Self { outcome, answer: Vec::new(), is_whole }
    }
}

/// Error for an attempt that this machine could not make, for instance for want of open files. Nothing was
/// sent, and the receiver is not at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotMade(pub String);

/// Sender of attempts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliverySender: Send + Sync {
    /// Signs and posts a delivery within [`crate::webhooks::ATTEMPT_LIMIT`]; returns the receiver's answer.
    async fn attempt(&self, delivery: &DueDelivery) -> Result<Attempted, NotMade>;
}
