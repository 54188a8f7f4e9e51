//! What the clients of the API asked for, and what they were told.

use serde_json::Value;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A template that is recorded.
    Notice,
    /// A one-time code, of which nothing is kept.
    Code,
    /// A text into a conversation.
    Reply,
}

/// The last that was told of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing that ends it.
    Open,
    /// 201, with the message's id.
    Sent(String),
    /// Another answer that ends it: its status and code.
    Refused(u16, String),
    /// 504: nobody knows, for now.
    Unknown,
}

/// One send under one key.
#[derive(Debug, Clone)]
pub(crate) struct Send {
    pub(crate) number: u64,
    pub(crate) kind: Kind,
    pub(crate) outcome: Outcome,
    /// The ids that its answers named, when they were not all the same.
    pub(crate) other_ids: Vec<String>,
    /// How often it was asked for.
    pub(crate) asked: usize,
    /// Path and body to ask with again, as long as it may be needed.
    pub(crate) request: Option<(&'static str, Value)>,
}
