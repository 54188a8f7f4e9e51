//! The wire's shapes: what a request says, and how an answer is written.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::mind::Answer;

/// How messages begin that the service writes in the middle of a turn.
const ADVICE: &str = "(From the service";

#[derive(Deserialize)]
struct Request {
    messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
struct ToolCall {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Tool {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
}

/// What a request shows of the conversation.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What the model is told to be.
    pub(crate) instructions: String,
    /// What the customer wrote before the newest burst, the oldest first.
    pub(crate) earlier: Vec<String>,
    /// What the customer wrote since the business last did.
    pub(crate) burst: Vec<String>,
    /// What the business wrote last.
    pub(crate) business: String,
    /// What tools came to in this turn: their names, what they returned.
    pub(crate) results: Vec<(String, Value)>,
    /// The tools that are offered.
    pub(crate) tools: Vec<String>,
    /// Words that were read.
    pub(crate) words: usize,
}

impl Seen {
    /// Reads a request's body.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let request: Request = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let mut seen = Self::default();
        let mut calls = HashMap::new();
        seen.tools = request.tools.into_iter().map(|tool| tool.function.name).collect();
        for message in request.messages {
            let content = message.content.unwrap_or_default();
            seen.words += count(&content);
            match message.role.as_str() {
                "system" => seen.instructions = content,
                "user" if content.starts_with(ADVICE) => {}
                "user" => seen.burst.push(content),
                "tool" => {
                    let called = calls.get(&message.tool_call_id.unwrap_or_default());
                    let name = called.cloned().ok_or("a tool's result belongs to no call")?;
                    seen.results.push((name, serde_json::from_str(&content).unwrap_or_default()));
                }
                "assistant" if message.tool_calls.is_empty() => {
                    seen.earlier.append(&mut seen.burst);
                    seen.results.clear();
                    seen.business = content;
                }
                "assistant" => {
                    calls.extend(message.tool_calls.into_iter().map(|call| (call.id, call.function.name)));
                }
                other => return Err(format!("there is no role `{other}`")),
            }
        }
        Ok(seen)
    }

    /// Whether the tool is offered.
    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered == tool)
    }

    /// What the tool returned last in this turn.
    pub(crate) fn result(&self, tool: &str) -> Option<&Value> {
        self.results.iter().rev().find(|(name, _)| name == tool).map(|(_, result)| result)
    }
}

/// An answer as it is sent.
pub(crate) fn written(answer: &Answer, seen: &Seen) -> Value {
    let calls: Vec<_> = answer
        .calls
        .iter()
        .enumerate()
        .map(|(at, call)| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            // One of its own within the conversation, as those of a model are.
            json!({ "id": format!("call_{}_{at}", seen.results.len()), "type": "function", "function": function })
        })
        .collect();
    let wrote =
        count(&answer.text) + answer.calls.iter().map(|call| 1 + count(&call.arguments)).sum::<usize>();
    let (content, reason) =
        if calls.is_empty() { (json!(answer.text), "stop") } else { (Value::Null, "tool_calls") };
    let mut message = json!({ "role": "assistant", "content": content });
    if !calls.is_empty()
        && let Value::Object(fields) = &mut message
    {
        fields.insert("tool_calls".to_owned(), calls.into());
    }
    json!({
        "id": "chatcmpl-stand-in",
        "object": "chat.completion",
        "model": "stand-in",
        "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": {
            "prompt_tokens": seen.words,
            "completion_tokens": wrote,
            "total_tokens": seen.words + wrote,
        },
    })
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}
