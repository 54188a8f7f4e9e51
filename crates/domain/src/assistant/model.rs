//! What a language model is asked and answers. None of it is printed: it is made of what people wrote.

use std::{fmt, time::Duration};

use serde_json::Value;

/// A model is asked this.
#[derive(Clone, PartialEq)]
pub struct ModelRequest {
    pub instructions: String,
    /// It holds what was said, the oldest first.
    pub said: Vec<ModelMessage>,
    /// The model may call these tools.
    pub tools: Vec<ToolDescription>,
    /// The longest answer has so many tokens.
    pub longest_answer: u32,
}

/// It is one message to a model.
#[derive(Clone, PartialEq)]
pub enum ModelMessage {
    Customer(String),
    /// The assistant or a person of the team wrote it.
    Business(String),
    /// The model asked for these calls.
    Calls(Vec<ToolCall>),
    ToolResult {
        call: String,
        json: String,
    },
    /// The service tells this to the model in the middle of a turn.
    Advice(String),
}

/// A model is told this of a tool.
#[derive(Clone, PartialEq)]
pub struct ToolDescription {
    pub name: &'static str,
    pub purpose: &'static str,
    /// It is the JSON schema of the tool's arguments.
    pub schema: Value,
}

/// It is a call that a model asks for. The arguments are as the model wrote them and may be no JSON at all.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub arguments: String,
    /// The model's server wants this back with the call.
    pub state: Option<ModelState>,
}

/// It is what a model's server says of a call for itself alone, such as what the model thought before it.
/// Only servers of the same form understand it.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelState {
    /// It is of this form of the wire.
    pub of: &'static str,
    /// The text is empty where the server has nothing to say.
    pub text: String,
}

/// A model answered this.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text is empty where the model only calls tools.
    pub text: String,
    pub calls: Vec<ToolCall>,
    /// What it took, where its server says so.
    pub usage: Option<TokenUsage>,
}

/// It says what was used of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// The model read so many tokens.
    pub read_tokens: u64,
    /// The model wrote so many tokens.
    pub written_tokens: u64,
}

impl TokenUsage {
    /// Adds both together.
    pub const fn and(self, other: Self) -> Self {
        Self {
            read_tokens: self.read_tokens.saturating_add(other.read_tokens),
            written_tokens: self.written_tokens.saturating_add(other.written_tokens),
        }
    }
}

/// A model did not answer. Its text holds nothing of what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Nobody answered; it may be asked once more.
    #[error("the model was not reached")]
    NotReached,
    /// The connection broke once it was asked, so that nobody knows what it took; it may be asked once more.
    #[error("the connection to the model broke")]
    Broken,
    /// It took longer than it may.
    #[error("the model did not answer in time")]
    TimedOut,
    /// It asks for patience.
    #[error("the model asks to be asked later")]
    SlowDown {
        /// It says when it may be asked again, where it says so.
        retry_after: Option<Duration>,
    },
    /// It refused.
    #[error("the model's server answered with status {status}")]
    Refused { status: u16 },
    /// It refused the key.
    #[error("the model's server refused the key")]
    KeyRefused,
    /// The workspace's day has no tokens left for it.
    #[error("the tokens of the day are spent")]
    BudgetSpent,
    /// The tokens could not be counted, so that nothing was asked.
    #[error("the tokens could not be counted")]
    NotCounted,
    /// Its answer cannot be read.
    #[error("the model's answer cannot be used: {0}")]
    Unusable(&'static str),
}

impl ModelError {
    /// Says whether another model may be asked: not where the workspace may not ask any.
    pub const fn another_may_answer(&self) -> bool {
        !matches!(self, Self::BudgetSpent | Self::NotCounted)
    }

    /// Says whether the model certainly used nothing.
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

not_printed!(ModelRequest, ModelMessage, ToolDescription, ToolCall, ModelState, ModelAnswer);
