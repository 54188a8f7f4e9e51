//! Anthropic's `/messages`.

use domain::assistant::{ModelAnswer, ModelError, ModelMessage, ModelRequest, ModelState, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Dialect,
    shared::{CUT, CallNames, DECLINED, Sides, advice, arguments, object, read, used},
};

/// The version of the form that is spoken here.
pub(crate) const VERSION: &str = "2023-06-01";
const CUSTOMER: &str = "user";
const MODEL: &str = "assistant";
/// What a model thought before it called tools: it wants that back with the calls, unchanged.
const THOUGHTS: [&str; 2] = ["thinking", "redacted_thinking"];

/// What the server is asked.
pub(crate) fn asked(model: &str, request: &ModelRequest) -> Value {
    let tools = request
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.purpose, "input_schema": tool.schema }));
    let messages = messages(&request.said).into_iter();
    let mut asked = json!({
        "model": model,
        "max_tokens": request.longest_answer,
        "system": request.instructions,
        "messages": messages.map(|(role, content)| json!({ "role": role, "content": content })).collect::<Vec<_>>(),
    });
    let tools: Vec<_> = tools.collect();
    if !tools.is_empty()
        && let Value::Object(fields) = &mut asked
    {
        fields.insert("tools".to_owned(), tools.into());
    }
    asked
}

/// Each call gets a name of ours, since another server's may be none that this one takes.
fn messages(said: &[ModelMessage]) -> Vec<(&'static str, Vec<Value>)> {
    let (mut sides, mut names) = (Sides::new(), CallNames::default());
    for message in said {
        match message {
            ModelMessage::Customer(words) => sides.say(CUSTOMER, text(words)),
            ModelMessage::Business(words) => sides.say(MODEL, text(words)),
            ModelMessage::Advice(words) => sides.say(CUSTOMER, text(&advice(words))),
            ModelMessage::Calls(calls) => {
                sides.say(MODEL, calls.first().map(thoughts).unwrap_or_default());
                for call in calls {
                    let (id, input) = (names.of_call(), object(&call.arguments));
                    sides.say(
                        MODEL,
                        [json!({ "type": "tool_use", "id": id, "name": call.name, "input": input })],
                    );
                }
            }
            ModelMessage::ToolResult { json: result, .. } => {
                let id = names.of_result();
                sides.say(CUSTOMER, [json!({ "type": "tool_result", "tool_use_id": id, "content": result })]);
            }
        }
    }
    sides.beginning_with(CUSTOMER, |words| json!({ "type": "text", "text": words }))
}

/// Blank texts are refused.
fn text(words: &str) -> Option<Value> {
    (!words.trim().is_empty()).then(|| json!({ "type": "text", "text": words }))
}

fn thoughts(call: &ToolCall) -> Vec<Value> {
    let state = call.state.as_ref().filter(|state| state.of == Dialect::Anthropic.as_str());
    state.and_then(|state| serde_json::from_str(&state.text).ok()).unwrap_or_default()
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Value>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default, rename = "input_tokens")]
    read: u64,
    #[serde(default, rename = "output_tokens")]
    written: u64,
    #[serde(rename = "cache_creation_input_tokens")]
    cached_now: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    cached_before: Option<u64>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    input: Value,
}

/// Reads an answer.
pub(crate) fn answered(body: &[u8]) -> Result<ModelAnswer, ModelError> {
    let answer: Answer = read(body)?;
    match answer.stop_reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => return Err(CUT),
        Some("refusal") => return Err(DECLINED),
        _ => {}
    }
    let (mut text, mut calls, mut thoughts) = (String::new(), Vec::new(), Vec::new());
    for block in answer.content {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => text.push_str(block.get("text").and_then(Value::as_str).unwrap_or_default()),
            Some("tool_use") => {
                let call: Call = serde_json::from_value(block)
                    .map_err(|_| ModelError::Unusable("it has not the shape of one"))?;
                let arguments = arguments(call.input);
                calls.push(ToolCall { id: call.id, name: call.name, arguments, state: None });
            }
            Some(kind) if THOUGHTS.contains(&kind) => thoughts.push(block),
            _ => {}
        }
    }
    if let Some(first) = calls.first_mut()
        && !thoughts.is_empty()
    {
        let text = Value::Array(thoughts).to_string();
        first.state = Some(ModelState { of: Dialect::Anthropic.as_str(), text });
    }
    let usage = answer.usage.and_then(|Usage { read, written, cached_now, cached_before }| {
        let cached = [cached_now, cached_before].into_iter().flatten();
        used(cached.fold(read, u64::saturating_add), written)
    });
    Ok(ModelAnswer { text: text.trim().to_owned(), calls, usage })
}
