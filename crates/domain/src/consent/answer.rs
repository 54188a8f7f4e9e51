//! A customer's answer to a draft.

/// Answer of a customer's burst of messages to a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Every message says yes.
    Yes,
    /// At least one message says no, and all others say yes or no.
    No,
    /// At least one message says something else, or there is none.
    Other,
}
