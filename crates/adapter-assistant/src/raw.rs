//! The parts of an answer that genai does not parse: its absence, a refusal by the model, its thoughts; and
//! all of an answer with one broken call, which genai gives up as a whole.

use domain::assistant::{ModelAnswer, ModelError, ModelState, TokenUsage, ToolCall};
use genai::chat::StopReason;
use serde_json::Value;

use crate::{
    Dialect,
    parts::{DECLINED, check_whole, token_usage, tool_call},
};

/// Error of an unreadable answer.
pub(crate) const SHAPELESS: ModelError = ModelError::Unusable("it has not the shape of one");
/// Kinds of an Anthropic model's thoughts before it calls tools.
const THOUGHTS: [&str; 2] = ["thinking", "redacted_thinking"];

/// Checks that there is an answer which the model has not declined.
pub(crate) fn is_given(dialect: Dialect, body: &Value) -> Result<(), ModelError> {
    let (answer, refusal) = match dialect {
        Dialect::OpenAi => ("/choices/0/message", "/choices/0/message/refusal"),
        // Declining is its reason for stopping.
        Dialect::Anthropic => return Ok(()),
        Dialect::Gemini => ("/candidates/0", "/promptFeedback/blockReason"),
    };
    if body.pointer(refusal).is_some_and(|refusal| !refusal.is_null()) {
        return Err(DECLINED);
    }
    let answer = body.pointer(answer).filter(|answer| answer.is_object());
    answer.map(|_| ()).ok_or(ModelError::Unusable("it has no choice"))
}

/// Returns an Anthropic model's thoughts, in the form in which it wants them back; `None` if there are none.
fn thoughts(body: &Value) -> Option<String> {
    let blocks =
        all(body.get("content")).iter().filter(|block| THOUGHTS.iter().any(|kind| is_of(block, kind)));
    let blocks: Vec<_> = blocks.cloned().collect();
    (!blocks.is_empty()).then(|| Value::Array(blocks).to_string())
}

/// Adds an Anthropic model's thoughts to the first call.
pub(crate) fn with_thoughts(dialect: Dialect, body: &Value, mut answer: ModelAnswer) -> ModelAnswer {
    if dialect == Dialect::Anthropic
        && let (Some(first), Some(text)) = (answer.calls.first_mut(), thoughts(body))
    {
        first.state = Some(ModelState { of: dialect.as_str(), text });
    }
    answer
}

/// Parses an answer that genai has given up: the model is to be told of a call without an id or a name, or
/// with arguments that are no JSON.
pub(crate) fn answered(dialect: Dialect, body: &Value) -> Result<ModelAnswer, ModelError> {
    is_given(dialect, body)?;
    let (message, reason) = match dialect {
        Dialect::OpenAi => ("/choices/0/message", "/choices/0/finish_reason"),
        Dialect::Anthropic => ("", "/stop_reason"),
        // genai parses its calls whatever they contain, so an answer that it gave up cannot be parsed here.
        Dialect::Gemini => return Err(SHAPELESS),
    };
    let reason = body.pointer(reason).and_then(Value::as_str);
    check_whole(dialect, reason.map(|reason| StopReason::from(reason.to_owned())).as_ref())?;
    let message = body.pointer(message).ok_or(SHAPELESS)?;
    let content = message.get("content");
    let blocks = all(content).iter().filter(|block| is_of(block, "tool_use"));
    let calls: Vec<_> = all(message.get("tool_calls")).iter().chain(blocks).map(call).collect();
    let text = words(content);
    if calls.is_empty() && text.is_empty() {
        return Err(SHAPELESS);
    }
    Ok(with_thoughts(dialect, body, ModelAnswer { text, calls, usage: usage(body) }))
}

/// Returns the token usage, of which genai parses nothing if one of the details has another shape.
pub(crate) fn usage(body: &Value) -> Option<TokenUsage> {
    let usage = body.get("usage")?;
    let tokens =
        |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.as_u64()).unwrap_or_default();
    token_usage(tokens(["prompt_tokens", "input_tokens"]), tokens(["completion_tokens", "output_tokens"]))
}

/// Parses a call of the `OpenAI` form, or a block of Anthropic's.
fn call(call: &Value) -> ToolCall {
    // A block has no `function` within.
    let function = call.get("function").unwrap_or(call);
    let written = function.get("arguments").or_else(|| function.get("input"));
    tool_call(text(call, "id"), text(function, "name"), written.cloned().unwrap_or_default())
}

/// Returns the text of a content, which is a text or has parts, of which some are texts.
fn words(content: Option<&Value>) -> String {
    let whole = content.and_then(Value::as_str);
    let parts = all(content).iter().filter(|part| is_of(part, "text")).filter_map(|part| text(part, "text"));
    whole.into_iter().chain(parts).collect::<String>().trim().to_owned()
}

fn all(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn is_of(part: &Value, kind: &str) -> bool {
    text(part, "type") == Some(kind)
}

fn text<'a>(of: &'a Value, field: &str) -> Option<&'a str> {
    of.get(field)?.as_str()
}
