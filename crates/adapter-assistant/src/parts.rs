//! Parts of an answer that are the same whether genai has parsed it or not.

use domain::assistant::{ModelError, TokenUsage, ToolCall};
use genai::chat::StopReason;
use serde_json::Value;

use crate::Dialect;

/// Error of an answer that was cut: half a sentence may say the opposite of the whole.
const CUT: ModelError = ModelError::Unusable("it was cut");
/// Error of an answer that the model, or a filter around it, held back.
pub(crate) const DECLINED: ModelError = ModelError::Unusable("it was declined");
/// Name for a call that has none, or that the server itself could not parse. There is no such tool, and the
/// model is told so.
const UNREADABLE: &str = "unreadable_call";
/// Gemini's reasons for stopping at a call that it could not parse.
pub(crate) const NOT_READ: [&str; 2] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

/// Checks that an answer is whole, by the reason why the model stopped.
pub(crate) fn check_whole(dialect: Dialect, reason: Option<&StopReason>) -> Result<(), ModelError> {
    match reason {
        Some(StopReason::MaxTokens(_)) => Err(CUT),
        Some(StopReason::ContentFilter(_)) => Err(DECLINED),
        // Any other reason means that Gemini holds its text back, or a part of it.
        Some(StopReason::Other(other))
            if dialect == Dialect::Gemini && !NOT_READ.contains(&other.as_str()) =>
        {
            Err(DECLINED)
        }
        _ => Ok(()),
    }
}

/// Builds a call as the model wrote it.
pub(crate) fn tool_call(id: Option<&str>, name: Option<&str>, arguments: Value) -> ToolCall {
    ToolCall {
        id: id.unwrap_or_default().to_owned(),
        name: name.filter(|name| !name.is_empty()).unwrap_or(UNREADABLE).to_owned(),
        // Some servers send an object instead of its text, others nothing.
        arguments: match arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        },
        state: None,
    }
}

/// Returns the token usage, if the server reports it: no answer is made from zero tokens.
pub(crate) fn token_usage(read_tokens: u64, written_tokens: u64) -> Option<TokenUsage> {
    (read_tokens > 0).then_some(TokenUsage { read_tokens, written_tokens })
}
