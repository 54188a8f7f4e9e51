//! What a model answers, as genai has read it.

use domain::assistant::{ModelAnswer, ModelError, ModelState, TokenUsage, ToolCall};
use genai::chat::{ChatResponse, ContentPart, StopReason, Usage};
use serde_json::Value;

use crate::{Dialect, raw};

/// An answer that was cut: half a sentence may say the opposite of the whole.
const CUT: ModelError = ModelError::Unusable("it was cut");
/// An answer that the model, or a filter around it, held back.
pub(crate) const DECLINED: ModelError = ModelError::Unusable("it was declined");
/// The name of a call that has none, or that the server itself could not read. There is no such tool, and the model is told
/// so.
const UNREADABLE: &str = "unreadable_call";
/// Why Gemini stopped where it could not read a call.
const NOT_READ: [&str; 2] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];
/// The beginning of the names that genai makes up for Gemini's calls without one.
const MADE_UP: &str = "call#";

/// Takes what genai has read.
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

/// The same answer, its first call with what an Anthropic model thought.
pub(crate) fn with_thoughts(dialect: Dialect, body: &Value, mut answer: ModelAnswer) -> ModelAnswer {
    if dialect == Dialect::Anthropic
        && let (Some(first), Some(text)) = (answer.calls.first_mut(), raw::thoughts(body))
    {
        first.state = Some(ModelState { of: dialect.as_str(), text });
    }
    answer
}

/// Whether an answer is whole, by why the model stopped.
pub(crate) fn whole(dialect: Dialect, reason: Option<&StopReason>) -> Result<(), ModelError> {
    match reason {
        Some(StopReason::MaxTokens(_)) => Err(CUT),
        Some(StopReason::ContentFilter(_)) => Err(DECLINED),
        // Whatever else stops Gemini holds its words back, or a part of them.
        Some(StopReason::Other(other))
            if dialect == Dialect::Gemini && !NOT_READ.contains(&other.as_str()) =>
        {
            Err(DECLINED)
        }
        _ => Ok(()),
    }
}

/// A call as a model wrote it.
pub(crate) fn called(id: Option<&str>, name: Option<&str>, arguments: Value) -> ToolCall {
    ToolCall {
        id: id.unwrap_or_default().to_owned(),
        name: name.filter(|name| !name.is_empty()).unwrap_or(UNREADABLE).to_owned(),
        // Some servers send an object where its text belongs, others nothing.
        arguments: match arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        },
        state: None,
    }
}

/// What an answer took, where its server says so: none is made of nothing that was read.
pub(crate) fn used(read_tokens: u64, written_tokens: u64) -> Option<TokenUsage> {
    (read_tokens > 0).then_some(TokenUsage { read_tokens, written_tokens })
}

/// Gemini counts what it thought apart, and genai leaves that out where it said nothing.
fn completed(usage: &Usage) -> u64 {
    let thought = || usage.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
    tokens(usage.completion_tokens.or_else(thought))
}

fn tokens(counted: Option<i32>) -> u64 {
    counted.and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}
