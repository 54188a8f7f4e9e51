//! What a language model is asked and answers. None of it is printed: it is made of what people wrote.

use std::{fmt, time::Duration};

use serde_json::Value;

/// What a model is asked.
#[derive(Clone, PartialEq)]
pub struct ModelRequest {
    /// What it is told to be.
    pub instructions: String,
    /// What was said, the oldest first.
    pub said: Vec<ModelMessage>,
    /// The tools that it may call.
    pub tools: Vec<ToolDescription>,
    /// Tokens of the longest answer.
    pub longest_answer: u32,
}

/// One message to a model.
#[derive(Clone, PartialEq)]
pub enum ModelMessage {
    /// The customer's.
    Customer(String),
    /// The business's: the assistant's or a person's.
    Business(String),
    /// Calls that the model asked for.
    Calls(Vec<ToolCall>),
    /// What a call came to, in JSON.
    ToolResult {
        /// Which call.
        call: String,
        /// The JSON.
        json: String,
    },
    /// What the service tells the model in the middle of a turn.
    Advice(String),
}

/// A tool, as a model is told of it.
#[derive(Clone, PartialEq)]
pub struct ToolDescription {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

/// A call that a model asks for. The arguments are as the model wrote them and may be no JSON at all.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The model's name for this call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub arguments: String,
    /// What its server wants back with the call.
    pub state: Option<ModelState>,
}

/// What a model's server says of a call for itself alone, such as what the model thought before it. Only servers of the
/// same form understand it.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelState {
    /// The form of the wire that it is of.
    pub of: &'static str,
    /// Its text; empty where the server has nothing to say.
    pub text: String,
}

/// What a model answered.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The words; empty where it only calls tools.
    pub text: String,
    /// The calls that it asks for.
    pub calls: Vec<ToolCall>,
    /// What it took, where its server says so.
    pub usage: Option<TokenUsage>,
}

/// What was used of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Tokens that it read.
    pub read_tokens: u64,
    /// Tokens that it wrote.
    pub written_tokens: u64,
}

impl TokenUsage {
    /// Both together.
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
    /// It took longer than it may.
    #[error("the model did not answer in time")]
    TimedOut,
    /// It asks for patience.
    #[error("the model asks to be asked later")]
    SlowDown {
        /// When it says that it may be asked again.
        retry_after: Option<Duration>,
    },
    /// It refused.
    #[error("the model's server answered with status {status}")]
    Refused {
        /// The status.
        status: u16,
    },
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
    /// Whether another model may be asked: not where the workspace may not ask any.
    pub const fn another_may_answer(&self) -> bool {
        !matches!(self, Self::BudgetSpent | Self::NotCounted)
    }

    /// Whether the model certainly used nothing.
    pub const fn took_nothing(&self) -> bool {
        match self {
            Self::NotReached
            | Self::SlowDown { .. }
            | Self::Refused { .. }
            | Self::KeyRefused
            | Self::BudgetSpent
            | Self::NotCounted => true,
            Self::TimedOut | Self::Unusable(_) => false,
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
