//! A customer's answer to a draft.

/// Answer of a customer's burst of messages to a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The last message says yes, and every other one that or words of assent.
    Yes,
    /// Almost a yes, worth asking again: words of assent alone, or a yes beside a word that is not known.
    Near,
    /// At least one message says no, and all others are answers, too.
    No,
    /// At least one message says something else, or there is none.
    Other,
}
