//! Gemini's form, in the shapes of its reference.

use adapter_assistant::Dialect;
use domain::assistant::{ModelError, ModelMessage, ModelRequest, TokenUsage};
use serde_json::{Value, json};

use super::{LONG, ask_for, asked, http, read_of, request, server};

const GEMINI: Dialect = Dialect::Gemini;

fn candidate(parts: &Value, finish_reason: &str) -> Value {
    json!({
        "candidates": [{
            "content": { "role": "model", "parts": parts }, "finishReason": finish_reason, "index": 0,
        }],
        "usageMetadata": {
            "promptTokenCount": 12, "candidatesTokenCount": 3, "thoughtsTokenCount": 5, "totalTokenCount": 20
        },
        "modelVersion": "small", "responseId": "r1",
    })
}

#[tokio::test]
async fn a_model_is_asked_in_the_wires_form_and_its_words_come_back() {
    let words = json!([{ "text": "hm", "thought": true }, { "text": " هلا " }, { "text": "بيك", "thoughtSignature": "c2ln" }]);
    let (answer, head, body) = asked(GEMINI, &candidate(&words, "STOP")).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("هلا بيك", 0));
    assert_eq!(answer.usage, Some(TokenUsage { read_tokens: 12, written_tokens: 8 }));
    assert!(head.starts_with("post /v1/models/small:generatecontent http/1.1"), "{head}");
    assert!(head.contains("\r\nx-goog-api-key: s3cret") && !head.contains("authorization"), "{head}");
    let text = |text: &str| json!({ "text": text });
    let call = |id: &str, args: Value| json!({ "id": id, "name": "searchProducts", "args": args });
    let result = |id: &str, content: &str| {
        let response = json!({ "name": "searchProducts", "content": content });
        json!({ "functionResponse": { "id": id, "name": "searchProducts", "response": response } })
    };
    let wanted = json!({
        "systemInstruction": { "parts": [text("be kind")] },
        "generationConfig": { "maxOutputTokens": 800 },
        "contents": [
            { "role": "user", "parts": [text("(From the service, not the customer: the business wrote first.)")] },
            { "role": "model", "parts": [text("هلا")] },
            { "role": "user", "parts": [text("canary-question"), text("شكد")] },
            { "role": "model", "parts": [
                {
                    "functionCall": call("c1", json!({ "query": "حليب" })),
                    "thoughtSignature": "skip_thought_signature_validator",
                },
                { "functionCall": call("c2", json!({})) },
            ] },
            { "role": "user", "parts": [
                result("c1", "{\"products\":[]}"),
                result("c2", "{\"error\":\"no JSON\"}"),
                text("(From the service, not the customer: say no price)"),
            ] },
        ],
        "tools": [{ "functionDeclarations": [{
            "name": "searchProducts",
            "description": "finds products",
            "parametersJsonSchema": { "type": "object", "properties": { "query": { "type": "string" } } },
        }] }],
    });
    assert_eq!(body, wanted);
}

#[tokio::test]
async fn calls_are_given_back_as_they_were_signed() {
    let parts = json!([
        { "functionCall": { "name": "searchProducts", "args": { "query": "حليب" } }, "thoughtSignature": "c2ln" },
        { "functionCall": { "id": "g2", "name": "searchProducts" } },
    ]);
    let answer = read_of(GEMINI, &candidate(&parts, "STOP")).await.unwrap();
    let calls: Vec<_> = answer.calls.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("", "{\"query\":\"حليب\"}"), ("g2", "")]);
    let result = ModelMessage::ToolResult { call: String::new(), json: "[1]".to_owned() };
    let said = vec![ModelMessage::Calls(answer.calls), result];
    let (base, served) = server(http("200 OK", "", &candidate(&json!([]), "STOP").to_string())).await;
    ask_for(GEMINI, &base, &ModelRequest { said, ..request() }, LONG).await.unwrap();
    let (_, body) = served.await.unwrap();
    let call = |call: Value| json!({ "functionCall": call });
    let mut signed = call(json!({ "name": "searchProducts", "args": { "query": "حليب" } }));
    signed["thoughtSignature"] = "c2ln".into();
    let second = call(json!({ "id": "g2", "name": "searchProducts", "args": {} }));
    assert_eq!(body["contents"][1]["parts"], json!([signed, second]));
    let response =
        json!({ "name": "searchProducts", "response": { "name": "searchProducts", "content": "[1]" } });
    assert_eq!(body["contents"][2]["parts"], json!([{ "functionResponse": response }]));
}

#[tokio::test]
async fn a_call_that_the_server_could_not_read_is_one_that_the_model_is_told_of() {
    let answer = json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0 }] });
    let calls = read_of(GEMINI, &answer).await.unwrap().calls;
    assert_eq!(
        (calls.len(), calls[0].name.as_str(), calls[0].arguments.as_str()),
        (1, "unreadable_call", "")
    );
}

#[tokio::test]
async fn what_was_cut_or_declined_is_no_answer() {
    let words = json!([{ "text": "it is not" }]);
    for (answer, problem) in [
        (candidate(&words, "MAX_TOKENS"), "it was cut"),
        (candidate(&words, "SAFETY"), "it was declined"),
        (candidate(&words, "PROHIBITED_CONTENT"), "it was declined"),
        (json!({ "promptFeedback": { "blockReason": "SAFETY" } }), "it was declined"),
        (json!({ "usageMetadata": { "promptTokenCount": 1 } }), "it has no choice"),
    ] {
        assert_eq!(read_of(GEMINI, &answer).await, Err(ModelError::Unusable(problem)));
    }
}

#[tokio::test]
async fn a_wrong_key_is_told_from_a_wrong_request() {
    let refusal = json!({ "error": {
        "code": 400, "message": "API key not valid. canary", "status": "INVALID_ARGUMENT",
        "details": [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID" }],
    } });
    let (base, _served) = server(http("400 Bad Request", "", &refusal.to_string())).await;
    assert_eq!(ask_for(GEMINI, &base, &request(), LONG).await, Err(ModelError::KeyRefused));
}

#[tokio::test]
async fn an_answer_that_does_not_say_what_it_took_says_nothing_of_it() {
    let answer = |usage: Option<Value>| {
        let mut answer = candidate(&json!([{ "text": "هلا" }]), "STOP");
        answer.as_object_mut().unwrap().remove("usageMetadata");
        if let Some(usage) = usage {
            answer["usageMetadata"] = usage;
        }
        answer
    };
    let of_words = json!({ "candidatesTokenCount": 3 });
    for usage in [None, Some(Value::Null), Some(json!({})), Some(of_words)] {
        let named = format!("{usage:?}");
        let read = read_of(GEMINI, &answer(usage)).await.unwrap();
        assert_eq!((read.text.as_str(), read.usage), ("هلا", None), "{named}");
    }
}

#[tokio::test]
async fn what_was_thought_counts_where_nothing_was_said() {
    let mut answer = candidate(&json!([]), "STOP");
    answer["usageMetadata"] =
        json!({ "promptTokenCount": 12, "toolUsePromptTokenCount": 2, "thoughtsTokenCount": 5 });
    let read = read_of(GEMINI, &answer).await.unwrap();
    assert_eq!(read.usage, Some(TokenUsage { read_tokens: 14, written_tokens: 5 }));
}
