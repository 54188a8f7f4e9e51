//! Calling customers' addresses.

use async_trait::async_trait;

use super::DueDelivery;
use crate::webhooks::{AttemptOutcome, Failure};

/// The address may not be called; the text says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ForbiddenAddress(pub String);

/// It says whether an address that a customer typed may be called.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressGuard: Send + Sync {
    /// Checks scheme, host, and every address the host resolves to.
    async fn check(&self, url: &str) -> Result<(), ForbiddenAddress>;
}

/// It says what an attempt came to, with what the receiver said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    /// It is the status of a 2xx answer, or why there was none.
    pub outcome: AttemptOutcome,
    /// It is the beginning of the answer's body, [`crate::webhooks::ANSWER_KEPT`] bytes at most; empty where
    /// there was none.
    pub answer: Vec<u8>,
    /// Whether there was an answer, and it ended within its bounds.
    pub is_whole: bool,
}

impl From<AttemptOutcome> for Attempted {
    /// Makes one without a body.
    fn from(outcome: AttemptOutcome) -> Self {
        let is_whole = !matches!(outcome, Err(Failure::Timeout | Failure::Call(_)));
        Self { outcome, answer: Vec::new(), is_whole }
    }
}

/// An attempt was not made for a want of this machine, such as of open files: nothing was sent, and it is no fault of the
/// receiver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotMade(pub String);

/// It makes one attempt: it signs and posts, within [`crate::webhooks::ATTEMPT_LIMIT`].
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliverySender: Send + Sync {
    /// Returns what the receiver answered.
    ///
    /// # Errors
    /// [`NotMade`].
    async fn attempt(&self, delivery: &DueDelivery) -> Result<Attempted, NotMade>;
}
