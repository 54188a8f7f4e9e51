//! What genai does not read of an answer: that there is none, that the model has declined, what it thought; and all of an
//! answer in which one call is broken, which genai gives up as a whole.

use domain::assistant::{ModelAnswer, ModelError, TokenUsage, ToolCall};
use genai::chat::StopReason;
use serde_json::Value;

use crate::{
    Dialect,
    answer::{DECLINED, called, used, whole, with_thoughts},
};

/// It cannot be read at all.
pub(crate) const SHAPELESS: ModelError = ModelError::Unusable("it has not the shape of one");
/// What an Anthropic model thinks before it calls tools.
const THOUGHTS: [&str; 2] = ["thinking", "redacted_thinking"];

/// Whether there is an answer, and the model has given it.
pub(crate) fn is_given(dialect: Dialect, body: &Value) -> Result<(), ModelError> {
    let (answer, refusal) = match dialect {
        Dialect::OpenAi => ("/choices/0/message", "/choices/0/message/refusal"),
        // It says so by why it stopped.
        Dialect::Anthropic => return Ok(()),
        Dialect::Gemini => ("/candidates/0", "/promptFeedback/blockReason"),
    };
    if body.pointer(refusal).is_some_and(|refusal| !refusal.is_null()) {
        return Err(DECLINED);
    }
    let answer = body.pointer(answer).filter(|answer| answer.is_object());
    answer.map(|_| ()).ok_or(ModelError::Unusable("it has no choice"))
}

/// What an Anthropic model thought, as it wants that back; `None` where it says nothing of it.
pub(crate) fn thoughts(body: &Value) -> Option<String> {
    let blocks =
        all(body.get("content")).iter().filter(|block| THOUGHTS.iter().any(|kind| is_of(block, kind)));
    let blocks: Vec<_> = blocks.cloned().collect();
    (!blocks.is_empty()).then(|| Value::Array(blocks).to_string())
}

/// Reads an answer that genai has given up: of a call that has no id, no name, or arguments that are no JSON, the model is to
/// be told.
pub(crate) fn answered(dialect: Dialect, body: &Value) -> Result<ModelAnswer, ModelError> {
    is_given(dialect, body)?;
    let (message, reason) = match dialect {
        Dialect::OpenAi => ("/choices/0/message", "/choices/0/finish_reason"),
        Dialect::Anthropic => ("", "/stop_reason"),
        // Its calls are read whatever they hold, so that nothing can be read of this one.
        Dialect::Gemini => return Err(SHAPELESS),
    };
    let reason = body.pointer(reason).and_then(Value::as_str);
    whole(dialect, reason.map(|reason| StopReason::from(reason.to_owned())).as_ref())?;
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

/// What an answer took, of which genai reads nothing either where one of the details is of another shape.
pub(crate) fn usage(body: &Value) -> Option<TokenUsage> {
    let usage = body.get("usage")?;
    let tokens =
        |names: [&str; 2]| names.iter().find_map(|name| usage.get(name)?.as_u64()).unwrap_or_default();
    used(tokens(["prompt_tokens", "input_tokens"]), tokens(["completion_tokens", "output_tokens"]))
}

/// A call of the `OpenAI` form, or a block of Anthropic's.
fn call(call: &Value) -> ToolCall {
    // There is no function in a call of what is none.
    let function = call.get("function").unwrap_or(call);
    let written = function.get("arguments").or_else(|| function.get("input"));
    called(text(call, "id"), text(function, "name"), written.cloned().unwrap_or_default())
}

/// The words of a content: it is a text, or has parts, of which some are texts.
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
