//! Answers of a model, as genai has parsed them.

use domain::assistant::{ModelAnswer, ModelError, ModelState, TokenUsage, ToolCall};
use genai::chat::{ChatResponse, ContentPart, StopReason, Usage};
use serde_json::Value;

use crate::{Dialect, raw};

/// Error of an answer that was cut: half a sentence may say the opposite of the whole.
const CUT: ModelError = ModelError::Unusable("it was cut");
/// Error of an answer that the model, or a filter around it, held back.
pub(crate) const DECLINED: ModelError = ModelError::Unusable("it was declined");
/// Name for a call that has none, or that the server itself could not parse. There is no such tool, and the
/// model is told so.
const UNREADABLE: &str = "unreadable_call";
/// Gemini's reasons for stopping at a call that it could not parse.
const NOT_READ: [&str; 2] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];
/// Beginning of the names that genai makes up for Gemini's calls without one.
const MADE_UP: &str = "call#";

/// Converts what genai has parsed.
pub(crate) fn of(dialect: Dialect, answer: ChatResponse) -> Result<ModelAnswer, ModelError> {
    let body = answer.captured_raw_body.unwrap_or_default();
    raw::is_given(dialect, &body)?;
    whole(dialect, answer.stop_reason.as_ref())?;
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in answer.content {
        match part {
            ContentPart::Text(words) => text.push_str(&words),
            ContentPart::ToolCall(call) => {
                let signature = call.thought_signatures.and_then(|all| all.into_iter().next());
                let state = (dialect == Dialect::Gemini)
                    .then(|| ModelState { of: dialect.as_str(), text: signature.unwrap_or_default() });
                let id = Some(call.call_id).filter(|id| !id.starts_with(MADE_UP));
                calls.push(ToolCall {
                    state,
                    ..called(id.as_deref(), Some(&call.fn_name), call.fn_arguments)
                });
            }
            _ => {}
        }
    }
    if calls.is_empty() && answer.stop_reason.is_some_and(|reason| NOT_READ.contains(&reason.raw())) {
        calls.push(called(None, None, Value::Null));
    }
    let usage =
        used(tokens(answer.usage.prompt_tokens), completed(&answer.usage)).or_else(|| raw::usage(&body));
    let text = text.trim().to_owned();
    Ok(with_thoughts(dialect, &body, ModelAnswer { text, calls, usage }))
}

/// Adds an Anthropic model's thoughts to the first call.
pub(crate) fn with_thoughts(dialect: Dialect, body: &Value, mut answer: ModelAnswer) -> ModelAnswer {
    if dialect == Dialect::Anthropic
        && let (Some(first), Some(text)) = (answer.calls.first_mut(), raw::thoughts(body))
    {
        first.state = Some(ModelState { of: dialect.as_str(), text });
    }
    answer
}

/// Checks that an answer is whole, by the reason why the model stopped.
pub(crate) fn whole(dialect: Dialect, reason: Option<&StopReason>) -> Result<(), ModelError> {
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
pub(crate) fn called(id: Option<&str>, name: Option<&str>, arguments: Value) -> ToolCall {
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
pub(crate) fn used(read_tokens: u64, written_tokens: u64) -> Option<TokenUsage> {
    (read_tokens > 0).then_some(TokenUsage { read_tokens, written_tokens })
}

/// Returns the tokens of the answer; Gemini counts its thoughts separately, and genai leaves them out if it
/// said nothing.
fn completed(usage: &Usage) -> u64 {
    let thought = || usage.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    tokens(usage.completion_tokens.or_else(thought))
}

fn tokens(counted: Option<i32>) -> u64 {
    counted.and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}
