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
    content: Option<Content>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Deserialize)]
struct ImageUrl {
    url: String,
}

impl Content {
    /// Returns the words, and the number of pictures that come with the message itself.
    fn read(self) -> Result<(String, usize), String> {
        let (mut words, mut pictures) = (String::new(), 0);
        let parts = match self {
            Self::Text(text) => vec![Part::Text { text }],
            Self::Parts(parts) => parts,
        };
        for part in parts {
            match part {
                Part::Text { text } => words.push_str(&text),
                Part::ImageUrl { image_url } if image_url.url.starts_with("data:image/") => pictures += 1,
                Part::ImageUrl { .. } => return Err("a picture is no data URL".to_owned()),
            }
        }
        Ok((words, pictures))
    }
}

#[derive(Deserialize)]
struct ToolCall {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Tool {
    function: Described,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
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
    /// Number of pictures in it.
    pub(crate) pictures: usize,
    /// The business's last message.
    pub(crate) business: String,
    /// Results of tools in this turn, each with the tool's name.
    pub(crate) results: Vec<(String, Value)>,
    pub(crate) tools: Vec<String>,
    /// Whether the tool `answer` takes the act `lead`.
    pub(crate) notes_leads: bool,
    /// Size of all that is asked, in bytes.
    pub(crate) bytes: usize,
}

impl Seen {
    /// Parses a request's body.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let request: Request = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let mut seen = Self::default();
        let mut calls = HashMap::new();
        for Tool { function: tool } in request.tools {
            seen.bytes += tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
            let acts = tool.parameters.pointer("/properties/acts/description").and_then(Value::as_str);
            seen.notes_leads |= acts.is_some_and(|acts| acts.lines().any(|act| act.starts_with("lead(")));
            seen.tools.push(tool.name);
        }
        for message in request.messages {
            let (content, pictures) = message.content.map(Content::read).transpose()?.unwrap_or_default();
            let called =
                message.tool_calls.iter().map(|it| it.function.name.len() + it.function.arguments.len());
            seen.bytes += content.len() + called.sum::<usize>();
            match message.role.as_str() {
                "system" => seen.instructions = content,
                "user" if content.starts_with(ADVICE) => {}
                "user" if pictures > 0 => seen.pictures += pictures,
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
                    seen.pictures = 0;
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
    let called = answer.calls.iter().map(|call| call.name.len() + call.arguments.len());
    let (read, wrote) = (tokens(seen.bytes), tokens(answer.text.len() + called.sum::<usize>()));
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
            "prompt_tokens": read,
            "completion_tokens": wrote,
            "total_tokens": read + wrote,
        },
    })
}

/// Returns about how many tokens so many bytes are: some four, of English and JSON as of Arabic.
const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}
