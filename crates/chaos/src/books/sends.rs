//! Requests of the API's clients, and the outcomes that they were told.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A template send that is recorded.
    Notice,
    /// A one-time code, of which nothing is stored.
    Code,
    /// A text in a conversation.
    Reply,
}

/// Last reported outcome of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No final outcome yet.
    Open,
    /// 201, with the message's id.
    Sent(String),
    /// Another final answer: its status and code.
    Refused(u16, String),
    /// 504: nobody knows yet.
    Unknown,
}

/// One send under one idempotency key.
#[derive(Debug, Clone)]
pub(crate) struct Send {
    pub(crate) number: u64,
    pub(crate) kind: Kind,
    pub(crate) outcome: Outcome,
    /// Different ids in later answers.
    pub(crate) other_ids: Vec<String>,
    /// Number of requests.
    pub(crate) asked: usize,
    /// Path and body for repeating the request, while that may be needed.
    pub(crate) request: Option<(&'static str, Value)>,
}
