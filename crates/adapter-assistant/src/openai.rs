//! `/chat/completions`, as `OpenAI` and most servers of one's own have it.

use domain::assistant::{ModelAnswer, ModelError, ModelMessage, ModelRequest, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::shared::{CUT, CallNames, DECLINED, UNREADABLE, advice, arguments, read, used};

/// What the longest answer is called: most servers know this alone.
const LONGEST: &str = "max_tokens";
/// What newer models want it called, and refuse the other.
const NEWER_LONGEST: &str = "max_completion_tokens";

/// What the server is asked; `is_newer` where it wants the longest answer called as newer models do.
pub(crate) fn asked(model: &str, request: &ModelRequest, is_newer: bool) -> Value {
    let longest = if is_newer { NEWER_LONGEST } else { LONGEST };
    let first = json!({ "role": "system", "content": request.instructions });
    let messages: Vec<_> = std::iter::once(first).chain(messages(&request.said)).collect();
    let tools = request.tools.iter().map(|tool| {
        let function = json!({ "name": tool.name, "description": tool.purpose, "parameters": tool.schema });
        json!({ "type": "function", "function": function })
    });
    let tools: Vec<_> = tools.collect();
    let mut asked = json!({ "model": model, "messages": messages, longest: request.longest_answer });
    // Servers refuse an empty list.
    if !tools.is_empty()
        && let Value::Object(fields) = &mut asked
    {
        fields.insert("tools".to_owned(), tools.into());
    }
    asked
}

/// Whether a refusal is of what the longest answer is called.
pub(crate) fn wants_newer(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let said = |of: &str| body.pointer(of).and_then(Value::as_str).unwrap_or_default();
    said("/error/param") == LONGEST || said("/error/message").contains(NEWER_LONGEST)
}

/// A call without a name of its own gets one of ours.
fn messages(said: &[ModelMessage]) -> Vec<Value> {
    let mut names = CallNames::default();
    said.iter().map(|said| message(said, &mut names)).collect()
}

fn named(id: &str, otherwise: String) -> String {
    if id.is_empty() { otherwise } else { id.to_owned() }
}

fn message(message: &ModelMessage, names: &mut CallNames) -> Value {
    match message {
        ModelMessage::Customer(text) => json!({ "role": "user", "content": text }),
        ModelMessage::Business(text) => json!({ "role": "assistant", "content": text }),
        ModelMessage::Calls(calls) => {
            let calls = calls.iter().map(|call| {
                let function = json!({ "name": call.name, "arguments": call.arguments });
                json!({ "id": named(&call.id, names.of_call()), "type": "function", "function": function })
            });
            json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() })
        }
        ModelMessage::ToolResult { call, json: result } => {
            json!({ "role": "tool", "tool_call_id": named(call, names.of_result()), "content": result })
        }
        ModelMessage::Advice(text) => json!({ "role": "user", "content": advice(text) }),
    }
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    /// A text, or parts of one.
    #[serde(default)]
    content: Value,
    refusal: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    /// There is none in a call of what is no function.
    function: Option<Function>,
}

#[derive(Deserialize, Default)]
struct Function {
    name: Option<String>,
    #[serde(default)]
    arguments: Value,
}

/// Reads an answer.
pub(crate) fn answered(body: &[u8]) -> Result<ModelAnswer, ModelError> {
    let answer: Answer = read(body)?;
    let choice = answer.choices.into_iter().next().ok_or(ModelError::Unusable("it has no choice"))?;
    match choice.finish_reason.as_deref() {
        Some("length") => return Err(CUT),
        Some("content_filter") => return Err(DECLINED),
        _ if choice.message.refusal.is_some() => return Err(DECLINED),
        _ => {}
    }
    let calls = choice.message.tool_calls.unwrap_or_default().into_iter().map(|call| {
        let Function { name, arguments: written } = call.function.unwrap_or_default();
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| UNREADABLE.to_owned());
        ToolCall { id: call.id.unwrap_or_default(), name, arguments: arguments(written), state: None }
    });
    let usage = answer.usage.and_then(|usage| {
        let tokens = |of: &str| usage.get(of).and_then(Value::as_u64).unwrap_or_default();
        used(tokens("prompt_tokens"), tokens("completion_tokens"))
    });
    let text = words(&choice.message.content).trim().to_owned();
    Ok(ModelAnswer { text, calls: calls.collect(), usage })
}

/// The words of a content: it is a text, or has parts, of which some are texts.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let is_text = |part: &&Value| part.get("type").is_some_and(|kind| kind == "text");
            let texts = parts.iter().filter(is_text).filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}
