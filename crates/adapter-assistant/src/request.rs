//! Requests to a model, as genai takes them: one conversation for all wire formats.

use std::collections::VecDeque;

use domain::assistant::{ModelMessage, ModelRequest, Picture, ToolCall};
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, Tool, ToolResponse};
use serde_json::{Map, Value, json};

use crate::Dialect;

/// Signature for calls that another model has made, as Gemini's vendor documents it.
const MADE_ELSEWHERE: &str = "skip_thought_signature_validator";

pub(crate) fn chat(dialect: Dialect, request: &ModelRequest) -> ChatRequest {
    let messages = match dialect {
        Dialect::OpenAi => messages(dialect, &request.said).collect(),
        Dialect::Anthropic | Dialect::Gemini => sides(messages(dialect, &request.said)),
    };
    let chat = ChatRequest::new(messages).with_system(&request.instructions);
    // Servers refuse an empty list.
    if request.tools.is_empty() {
        return chat;
    }
    let tools = request.tools.iter();
    chat.with_tools(
        tools
            .map(|tool| Tool::new(tool.name).with_description(tool.purpose).with_schema(tool.schema.clone())),
    )
}

/// Builds the options: the model's whole name in place of the one that genai is given ([`crate::NAMELESS`]),
/// and the longest answer; `is_newer` if the server wants that field named as for newer models.
pub(crate) fn options(dialect: Dialect, model: &str, longest: u32, is_newer: bool) -> ChatOptions {
    let options = ChatOptions::default().with_capture_raw_body(true);
    match dialect {
        Dialect::OpenAi if is_newer => {
            options.with_extra_body(json!({ "model": model, "max_completion_tokens": longest }))
        }
        Dialect::OpenAi | Dialect::Anthropic => {
            options.with_max_tokens(longest).with_extra_body(json!({ "model": model }))
        }
        // Its name is in the URL.
        Dialect::Gemini => options.with_max_tokens(longest),
    }
}

/// Converts the messages. Results are matched to the calls in their order, which is how a turn makes them;
/// one without a call is left out.
fn messages(dialect: Dialect, said: &[ModelMessage]) -> impl Iterator<Item = ChatMessage> {
    let (mut called, mut waiting) = (0, VecDeque::new());
    said.iter().filter_map(move |message| {
        Some(match message {
            ModelMessage::Customer(words) => ChatMessage::user(words),
            ModelMessage::Business(words) => ChatMessage::assistant(words),
            ModelMessage::Pictures(pictures) => {
                ChatMessage::user(pictures.iter().map(picture).collect::<Vec<_>>())
            }
            ModelMessage::Advice(words) => ChatMessage::user(advice(words)),
            ModelMessage::Calls(calls) => {
                let mut parts = calls.first().map(|call| thoughts(dialect, call)).unwrap_or_default();
                for (place, call) in calls.iter().enumerate() {
                    called += 1;
                    let id = call_id(dialect, call, called);
                    waiting.push_back((id.clone(), &call.name));
                    parts.push(ContentPart::ToolCall(genai::chat::ToolCall {
                        call_id: id,
                        fn_name: call.name.clone(),
                        fn_arguments: object(&call.arguments),
                        thought_signatures: signature(dialect, call, place == 0).map(|one| vec![one]),
                    }));
                }
                ChatMessage::assistant(parts)
            }
            ModelMessage::ToolResult { json, .. } => {
                let (id, name) = waiting.pop_front()?;
                ChatMessage::tool(ToolResponse::new(id, json).with_fn_name(name))
            }
        })
    })
}

fn picture(picture: &Picture) -> ContentPart {
    let bytes = data_encoding::BASE64.encode(&picture.bytes);
    ContentPart::from_binary_base64(picture.content_type, bytes, None)
}

/// Returns the id of a call. Anthropic takes no other server's ids, so each gets one of ours; `OpenAI`'s form
/// needs one for each; Gemini gets its own back.
fn call_id(dialect: Dialect, call: &ToolCall, place: u32) -> String {
    let ours = match dialect {
        Dialect::OpenAi => call.id.is_empty(),
        Dialect::Anthropic => true,
        Dialect::Gemini => false,
    };
    if ours { format!("call_{place}") } else { call.id.clone() }
}

/// Parses the arguments of a call. Anything but an object becomes an empty one: the call's result tells the
/// model what was wrong, and servers that parse the arguments again would refuse the whole conversation.
fn object(arguments: &str) -> Value {
    let read = serde_json::from_str(arguments).ok().filter(Value::is_object);
    read.unwrap_or_else(|| Value::Object(Map::new()))
}

/// Returns an Anthropic model's thoughts before its calls: it wants them back, unchanged.
fn thoughts(dialect: Dialect, call: &ToolCall) -> Vec<ContentPart> {
    let own =
        call.state.as_ref().filter(|state| dialect == Dialect::Anthropic && state.of == dialect.as_str());
    let blocks: Option<Vec<Value>> = own.and_then(|state| serde_json::from_str(&state.text).ok());
    blocks.unwrap_or_default().into_iter().map(|block| ContentPart::from_custom(block, None)).collect()
}

/// Returns Gemini's signature of a call. Of parallel calls only the first has to be signed.
fn signature(dialect: Dialect, call: &ToolCall, is_first: bool) -> Option<String> {
    if dialect != Dialect::Gemini {
        return None;
    }
    match call.state.as_ref().filter(|state| state.of == dialect.as_str()) {
        Some(state) => Some(state.text.clone()).filter(|signature| !signature.is_empty()),
        None => is_first.then(|| MADE_ELSEWHERE.to_owned()),
    }
}

/// Merges consecutive messages of one side, the customer's first: Anthropic and Gemini accept nothing else.
/// Blank ones are left out, since they are refused.
fn sides(messages: impl Iterator<Item = ChatMessage>) -> Vec<ChatMessage> {
    let is_blank = |part: &ContentPart| part.as_text().is_some_and(|words| words.trim().is_empty());
    let mut said: Vec<ChatMessage> = Vec::new();
    for message in messages {
        let role = if message.role == ChatRole::Assistant { ChatRole::Assistant } else { ChatRole::User };
        let parts = message.content.into_iter().filter(|part| !is_blank(part));
        match said.last_mut() {
            Some(last) if last.role == role => last.content.extend(parts),
            _ => {
                let parts: Vec<_> = parts.collect();
                if !parts.is_empty() {
                    said.push(ChatMessage::new(role, parts));
                }
            }
        }
    }
    if said.first().is_some_and(|first| first.role == ChatRole::Assistant) {
        said.insert(0, ChatMessage::user(advice("the business wrote first.")));
    }
    said
}

/// Marks what the service says in the middle of a turn: many models accept instructions only at the
/// beginning.
fn advice(text: &str) -> String {
    format!("(From the service, not the customer: {text})")
}
