//! Answers of a model, as genai has parsed them.

use domain::assistant::{ModelAnswer, ModelError, ModelState, ToolCall};
use genai::chat::{ChatResponse, ContentPart, Usage};
use serde_json::Value;

use crate::{
    Dialect,
    parts::{NOT_READ, check_whole, token_usage, tool_call},
    raw,
};

/// Beginning of the names that genai makes up for Gemini's calls without one.
const MADE_UP: &str = "call#";

/// Converts what genai has parsed.
pub(crate) fn of(dialect: Dialect, answer: ChatResponse) -> Result<ModelAnswer, ModelError> {
    let body = answer.captured_raw_body.unwrap_or_default();
    raw::is_given(dialect, &body)?;
    check_whole(dialect, answer.stop_reason.as_ref())?;
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
                    ..tool_call(id.as_deref(), Some(&call.fn_name), call.fn_arguments)
                });
            }
            _ => {}
        }
    }
    if calls.is_empty() && answer.stop_reason.is_some_and(|reason| NOT_READ.contains(&reason.raw())) {
        calls.push(tool_call(None, None, Value::Null));
    }
    let usage = token_usage(tokens(answer.usage.prompt_tokens), completed(&answer.usage))
        .or_else(|| raw::usage(&body));
    let text = text.trim().to_owned();
    Ok(raw::with_thoughts(dialect, &body, ModelAnswer { text, calls, usage }))
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
