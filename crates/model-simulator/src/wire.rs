//! Wire format: parsing of requests, serializing of answers.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;

/// Beginning of the messages that the service inserts in the middle of a turn.
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
    /// Text of the system message.
    pub(crate) instructions: String,
    /// Messages of the customer before the newest burst, oldest first.
    pub(crate) earlier: Vec<String>,
    /// The business's message before each of these.
    pub(crate) answered: Vec<String>,
    /// Messages of the customer since the business's last one.
    pub(crate) burst: Vec<String>,
    /// The business's last message.
    pub(crate) business: String,
    /// Results of tools in this turn, each with the tool's name.
    pub(crate) results: Vec<(String, Value)>,
    pub(crate) tools: Vec<String>,
    /// Number of words in the request.
    pub(crate) words: usize,
}

impl Seen {
    /// Parses a request's body.
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
                    seen.answered.extend(seen.burst.iter().map(|_| seen.business.clone()));
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

    pub(crate) fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered == tool)
    }

    /// Returns the tool's last result in this turn.
    pub(crate) fn result(&self, tool: &str) -> Option<&Value> {
        self.results.iter().rev().find(|(name, _)| name == tool).map(|(_, result)| result)
    }
}

pub(crate) fn written(answer: &Answer, seen: &Seen) -> Value {
    let calls: Vec<_> = answer
        .calls
        .iter()
        .enumerate()
        .map(|(at, call)| {
            let function = json!({ "name": call.name, "arguments": call.arguments });
            // An id that is unique within the conversation, as a model's are.
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
