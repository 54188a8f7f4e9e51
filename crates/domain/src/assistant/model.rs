//! Requests to a language model, and its answers. Their `Debug` shows nothing of what people wrote.

use std::{fmt, time::Duration};

use bytes::Bytes;
use serde_json::Value;

/// A request to a model.
#[derive(Clone, PartialEq)]
pub struct ModelRequest {
    pub instructions: String,
    /// Conversation so far, oldest first.
    pub said: Vec<ModelMessage>,
    pub tools: Vec<ToolDescription>,
    /// Limit of the answer, in tokens.
    pub longest_answer: u32,
}

/// One message to a model.
#[derive(Clone, PartialEq)]
pub enum ModelMessage {
    Customer(String),
    /// What the customer has shown beside their last words.
    Pictures(Vec<Picture>),
    /// Written by the assistant or a team member.
    Business(String),
    Calls(Vec<ToolCall>),
    ToolResult {
        call: String,
        json: String,
    },
    /// Note from the service to the model in the middle of a turn.
    Advice(String),
}

/// A picture of a customer's.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub content_type: &'static str,
    pub bytes: Bytes,
}

/// Description of a tool for a model.
#[derive(Clone, PartialEq)]
pub struct ToolDescription {
    pub name: &'static str,
    pub purpose: &'static str,
    pub schema: Value,
}

/// A call that a model asks for. The arguments are as the model wrote them and may be no JSON at all.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: String,
    /// Data that the model's server wants back with the call.
    pub state: Option<ModelState>,
}

/// Data that a model's server attaches to a call for itself alone, such as the model's thoughts before it.
/// Only servers of the same wire form understand it.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelState {
    /// Wire form of the server.
    pub of: &'static str,
    /// Empty if the server has nothing to say.
    pub text: String,
}

/// An answer of a model.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// Empty if the model only calls tools.
    pub text: String,
    pub calls: Vec<ToolCall>,
    /// `None` if the model's server does not say.
    pub usage: Option<TokenUsage>,
}

/// Tokens used of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    pub read_tokens: u64,
    pub written_tokens: u64,
}

impl TokenUsage {
    /// Returns the sum of both.
    pub const fn and(self, other: Self) -> Self {
        Self {
            read_tokens: self.read_tokens.saturating_add(other.read_tokens),
            written_tokens: self.written_tokens.saturating_add(other.written_tokens),
        }
    }
}

/// Reason a model did not answer. Its text holds nothing of what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody answered; the request may be sent once more.
    #[error("the model was not reached")]
    NotReached,
    /// The connection broke after the request: nobody knows what it took, and it may be sent once more.
    #[error("the connection to the model broke")]
    Broken,
    #[error("the model did not answer in time")]
    TimedOut,
    /// The model's server limits the rate of requests.
    #[error("the model asks to be asked later")]
    SlowDown {
        /// Pause that the server asks for; `None` if it names none.
        retry_after: Option<Duration>,
    },
    #[error("the model's server answered with status {status}")]
    Refused { status: u16 },
    #[error("the model's server refused the key")]
    KeyRefused,
    #[error("the tokens of the day are spent")]
    BudgetSpent,
    /// The tokens could not be reserved, so the model was not asked.
    #[error("the tokens could not be counted")]
    NotCounted,
    #[error("the model's answer cannot be used: {0}")]
    Unusable(&'static str),
}

impl ModelError {
    /// Returns whether another model may be asked; not if the workspace may not ask any.
    pub const fn another_may_answer(&self) -> bool {
        !matches!(self, Self::BudgetSpent | Self::NotCounted)
    }

    /// Returns whether the model certainly used no tokens.
    pub const fn took_nothing(&self) -> bool {
        match self {
            Self::NotReached
            | Self::SlowDown { .. }
            | Self::Refused { .. }
            | Self::KeyRefused
            | Self::BudgetSpent
            | Self::NotCounted => true,
            Self::Broken | Self::TimedOut | Self::Unusable(_) => false,
        }
    }
}

macro_rules! not_printed {
    ($($name:ident),+) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    )+};
}

not_printed!(ModelRequest, ModelMessage, Picture, ToolDescription, ToolCall, ModelState, ModelAnswer);
