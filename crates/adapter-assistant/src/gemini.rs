//! Gemini's `generateContent`.

use std::collections::VecDeque;

use domain::assistant::{ModelAnswer, ModelError, ModelMessage, ModelRequest, ModelState, ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    Dialect,
    shared::{CUT, DECLINED, Sides, UNREADABLE, advice, arguments, object, read, used},
};

const CUSTOMER: &str = "user";
const MODEL: &str = "model";
/// Stands where a call has to be signed that another model has made, as the vendor documents it.
const MADE_ELSEWHERE: &str = "skip_thought_signature_validator";

/// What the server is asked.
pub(crate) fn asked(request: &ModelRequest) -> Value {
    let contents = contents(&request.said).into_iter();
    let mut asked = json!({
        "systemInstruction": { "parts": [{ "text": request.instructions }] },
        "contents": contents.map(|(role, parts)| json!({ "role": role, "parts": parts })).collect::<Vec<_>>(),
        "generationConfig": { "maxOutputTokens": request.longest_answer },
    });
    let tools = request.tools.iter().map(
        |tool| json!({ "name": tool.name, "description": tool.purpose, "parametersJsonSchema": tool.schema }),
    );
    let tools: Vec<_> = tools.collect();
    if !tools.is_empty()
        && let Value::Object(fields) = &mut asked
    {
        fields.insert("tools".to_owned(), json!([{ "functionDeclarations": tools }]));
    }
    asked
}

/// Results are told by the call's name and come in the order of the calls.
fn contents(said: &[ModelMessage]) -> Vec<(&'static str, Vec<Value>)> {
    let (mut sides, mut waiting) = (Sides::new(), VecDeque::new());
    for message in said {
        match message {
            ModelMessage::Customer(words) => sides.say(CUSTOMER, text(words)),
            ModelMessage::Business(words) => sides.say(MODEL, text(words)),
            ModelMessage::Advice(words) => sides.say(CUSTOMER, text(&advice(words))),
            ModelMessage::Calls(calls) => {
                waiting.extend(calls);
                sides.say(MODEL, calls.iter().enumerate().map(|(place, call)| called(call, place == 0)));
            }
            ModelMessage::ToolResult { json: result, .. } => {
                let Some(call) = waiting.pop_front() else { continue };
                let result: Value = serde_json::from_str(result).unwrap_or_default();
                let response = if result.is_object() { result } else { json!({ "result": result }) };
                let mut answer = json!({ "name": call.name, "response": response });
                name(&mut answer, call);
                sides.say(CUSTOMER, [json!({ "functionResponse": answer })]);
            }
        }
    }
    sides.beginning_with(CUSTOMER, |words| json!({ "text": words }))
}

fn text(words: &str) -> Option<Value> {
    (!words.trim().is_empty()).then(|| json!({ "text": words }))
}

/// A call and its result have the same id where the server gave one.
fn name(part: &mut Value, call: &ToolCall) {
    if let Value::Object(fields) = part
        && !call.id.is_empty()
    {
        fields.insert("id".to_owned(), call.id.clone().into());
    }
}

fn called(call: &ToolCall, first: bool) -> Value {
    let mut function = json!({ "name": call.name, "args": object(&call.arguments) });
    name(&mut function, call);
    let mut part = Map::from_iter([("functionCall".to_owned(), function)]);
    let own = call.state.as_ref().filter(|state| state.of == Dialect::Gemini.as_str());
    let signature = match own {
        Some(state) => state.text.as_str(),
        // Of calls side by side only the first is signed.
        None if first => MADE_ELSEWHERE,
        None => "",
    };
    if !signature.is_empty() {
        part.insert("thoughtSignature".to_owned(), signature.into());
    }
    Value::Object(part)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Content,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    thought_signature: Option<String>,
    function_call: Option<Call>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    args: Value,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage {
    #[serde(rename = "promptTokenCount")]
    prompt: u64,
    #[serde(rename = "toolUsePromptTokenCount")]
    tools: u64,
    #[serde(rename = "candidatesTokenCount")]
    words: u64,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: u64,
}

/// Reads an answer.
pub(crate) fn answered(body: &[u8]) -> Result<ModelAnswer, ModelError> {
    let answer: Answer = read(body)?;
    if answer.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
        return Err(DECLINED);
    }
    let candidate = answer.candidates.into_iter().next().ok_or(ModelError::Unusable("it has no choice"))?;
    let usage = answer.usage_metadata.and_then(|Usage { prompt, tools, words, thoughts }| {
        used(prompt.saturating_add(tools), words.saturating_add(thoughts))
    });
    let unreadable = match candidate.finish_reason.as_deref() {
        None | Some("STOP") => false,
        Some("MAX_TOKENS") => return Err(CUT),
        Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL") => true,
        // Safety, recitation, forbidden words: the words were held back, or only a part of them was.
        Some(_) => return Err(DECLINED),
    };
    let (mut text, mut calls) = (String::new(), Vec::new());
    for part in candidate.content.parts {
        if let Some(call) = part.function_call {
            let signature = part.thought_signature.unwrap_or_default();
            let state = Some(ModelState { of: Dialect::Gemini.as_str(), text: signature });
            calls.push(ToolCall { id: call.id, name: call.name, arguments: arguments(call.args), state });
        } else if !part.thought {
            text.push_str(part.text.as_deref().unwrap_or_default());
        }
    }
    if unreadable && calls.is_empty() {
        let name = UNREADABLE.to_owned();
        calls.push(ToolCall { id: String::new(), name, arguments: String::new(), state: None });
    }
    Ok(ModelAnswer { text: text.trim().to_owned(), calls, usage })
}

/// Whether a refusal is about the key: it has the status of a request that is wrong.
pub(crate) fn refuses_key(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let details = body.pointer("/error/details").and_then(Value::as_array);
    let reason = |detail: &Value| detail.get("reason").is_some_and(|reason| reason == "API_KEY_INVALID");
    details.is_some_and(|details| details.iter().any(reason))
}
