//! `/chat/completions`, as `OpenAI` and most servers of one's own have it.

use domain::assistant::{ModelAnswer, ModelError, ModelMessage, ModelRequest, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::shared::{CUT, DECLINED, advice, arguments, read, used};

/// What the server is asked.
pub(crate) fn asked(model: &str, request: &ModelRequest) -> Value {
    let first = json!({ "role": "system", "content": request.instructions });
    let messages: Vec<_> = std::iter::once(first).chain(request.said.iter().map(message)).collect();
    let tools = request.tools.iter().map(|tool| {
        let function = json!({ "name": tool.name, "description": tool.purpose, "parameters": tool.schema });
        json!({ "type": "function", "function": function })
    });
    let tools: Vec<_> = tools.collect();
    let mut asked = json!({ "model": model, "messages": messages, "max_tokens": request.longest_answer });
    // Servers refuse an empty list.
    if !tools.is_empty()
        && let Value::Object(fields) = &mut asked
    {
        fields.insert("tools".to_owned(), tools.into());
    }
    asked
}

fn message(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::Customer(text) => json!({ "role": "user", "content": text }),
        ModelMessage::Business(text) => json!({ "role": "assistant", "content": text }),
        ModelMessage::Calls(calls) => {
            let calls = calls.iter().map(|call| {
                let function = json!({ "name": call.name, "arguments": call.arguments });
                json!({ "id": call.id, "type": "function", "function": function })
            });
            json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() })
        }
        ModelMessage::ToolResult { call, json: result } => {
            json!({ "role": "tool", "tool_call_id": call, "content": result })
        }
        ModelMessage::Advice(text) => json!({ "role": "user", "content": advice(text) }),
    }
}

#[derive(Deserialize)]
struct Answer {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
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
    let calls = choice.message.tool_calls.unwrap_or_default().into_iter().map(|call| ToolCall {
        id: call.id,
        name: call.function.name,
        arguments: arguments(call.function.arguments),
        state: None,
    });
    let usage = answer.usage.and_then(|usage| used(usage.prompt_tokens, usage.completion_tokens));
    let text = choice.message.content.unwrap_or_default().trim().to_owned();
    Ok(ModelAnswer { text, calls: calls.collect(), usage })
}
