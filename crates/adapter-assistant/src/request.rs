//! What a model is asked, as genai takes it: one conversation for all forms of the wire.

use std::collections::VecDeque;

use domain::assistant::{ModelMessage, ModelRequest, ToolCall};
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, Tool, ToolResponse};
use serde_json::{Map, Value, json};

use crate::Dialect;

/// Stands where Gemini wants a call signed that another model has made, as the vendor documents it.
const MADE_ELSEWHERE: &str = "skip_thought_signature_validator";

/// What is asked.
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

/// How it is asked: the model's whole name in place of the one that genai is told ([`crate::NAMELESS`]), and the longest
/// answer; `is_newer` where the server wants that called as newer models do.
pub(crate) fn options(dialect: Dialect, model: &str, longest: u32, is_newer: bool) -> ChatOptions {
    let options = ChatOptions::default().with_capture_raw_body(true);
    match dialect {
        Dialect::OpenAi if is_newer => {
            options.with_extra_body(json!({ "model": model, "max_completion_tokens": longest }))
        }
        Dialect::OpenAi | Dialect::Anthropic => {
            options.with_max_tokens(longest).with_extra_body(json!({ "model": model }))
        }
        // Its name is in the address.
        Dialect::Gemini => options.with_max_tokens(longest),
    }
}

/// Results are told of the calls in their order, which is how a turn makes them; one without a call is left out.
fn messages(dialect: Dialect, said: &[ModelMessage]) -> impl Iterator<Item = ChatMessage> {
    let (mut called, mut waiting) = (0, VecDeque::new());
    said.iter().filter_map(move |message| {
        Some(match message {
            ModelMessage::Customer(words) => ChatMessage::user(words),
            ModelMessage::Business(words) => ChatMessage::assistant(words),
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

/// What a call is called. Anthropic takes no other server's names, so that each gets one of ours; `OpenAI`'s form has one for
/// each; Gemini is told of its own.
fn call_id(dialect: Dialect, call: &ToolCall, place: u32) -> String {
    let ours = match dialect {
        Dialect::OpenAi => call.id.is_empty(),
        Dialect::Anthropic => true,
        Dialect::Gemini => false,
    };
    if ours { format!("call_{place}") } else { call.id.clone() }
}

/// The arguments of a call as an object. What is none is empty: the call's result tells the model what was wrong with it,
/// and servers that read the arguments again would refuse all of the conversation.
fn object(arguments: &str) -> Value {
    let read = serde_json::from_str(arguments).ok().filter(Value::is_object);
    read.unwrap_or_else(|| Value::Object(Map::new()))
}

/// What an Anthropic model thought before its calls: it wants that back, unchanged.
fn thoughts(dialect: Dialect, call: &ToolCall) -> Vec<ContentPart> {
    let own =
        call.state.as_ref().filter(|state| dialect == Dialect::Anthropic && state.of == dialect.as_str());
    let blocks: Option<Vec<Value>> = own.and_then(|state| serde_json::from_str(&state.text).ok());
    blocks.unwrap_or_default().into_iter().map(|block| ContentPart::from_custom(block, None)).collect()
}

/// How Gemini has signed a call. Of calls side by side only the first has to be signed.
fn signature(dialect: Dialect, call: &ToolCall, is_first: bool) -> Option<String> {
    if dialect != Dialect::Gemini {
        return None;
    }
    match call.state.as_ref().filter(|state| state.of == dialect.as_str()) {
        Some(state) => Some(state.text.clone()).filter(|signature| !signature.is_empty()),
        None => is_first.then(|| MADE_ELSEWHERE.to_owned()),
    }
}

/// One message for all that one side says in a row, the customer's first: Anthropic and Gemini know no others. What is blank
/// is left out, since it is refused.
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

/// What the service says in the middle of a turn: many models know instructions only at the beginning.
fn advice(text: &str) -> String {
    format!("(From the service, not the customer: {text})")
}
