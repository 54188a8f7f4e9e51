//! The `OpenAI` form, in the shapes of its reference.

use adapter_assistant::Dialect;
use domain::assistant::{ModelError, TokenUsage};
use serde_json::{Value, json};

use super::{asked, read_of};

const OPENAI: Dialect = Dialect::OpenAi;

#[tokio::test]
async fn a_model_is_asked_in_the_wires_form_and_its_words_come_back() {
    let answer = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "small",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": " هلا ", "refusal": null, "annotations": [] },
            "logprobs": null, "finish_reason": "stop"
        }],
        "usage": { "prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15 },
    });
    let (answer, head, body) = asked(OPENAI, &answer).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "هلا");
    assert_eq!(answer.usage, Some(TokenUsage { read_tokens: 12, written_tokens: 3 }));
    assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
    assert!(head.contains("\r\nauthorization: bearer s3cret"), "{head}");
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "searchProducts", "arguments": arguments } });
    let wanted = json!({
        "model": "small",
        "max_tokens": 800,
        "messages": [
            { "role": "system", "content": "be kind" },
            { "role": "assistant", "content": "هلا" },
            { "role": "user", "content": "canary-question" },
            { "role": "user", "content": "شكد" },
            { "role": "assistant", "content": null, "tool_calls": [
                call("c1", "{\"query\":\"حليب\"}"), call("c2", "{\"query\":")
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "{\"products\":[]}" },
            { "role": "tool", "tool_call_id": "c2", "content": "{\"error\":\"no JSON\"}" },
            { "role": "user", "content": "(From the service, not the customer: say no price)" },
        ],
        "tools": [{ "type": "function", "function": {
            "name": "searchProducts",
            "description": "finds products",
            "parameters": { "type": "object", "properties": { "query": { "type": "string" } } },
        } }],
    });
    assert_eq!(body, wanted);
}

#[tokio::test]
async fn broken_arguments_come_back_as_they_were_written() {
    for (arguments, read) in [
        (json!("{\"query\":"), "{\"query\":"),
        (json!(""), ""),
        (json!({"a": 1}), "{\"a\":1}"),
        (json!(null), ""),
    ] {
        let call =
            json!({ "id": "c", "type": "function", "function": { "name": "x", "arguments": arguments } });
        let body = json!({ "choices": [{ "message": { "content": null, "tool_calls": [call] } }] });
        assert_eq!(read_of(OPENAI, &body).await.unwrap().calls[0].arguments, read);
    }
}

#[tokio::test]
async fn what_was_cut_or_declined_is_no_answer() {
    let choice = |message, finish| json!({ "choices": [{ "message": message, "finish_reason": finish }] });
    for (answer, problem) in [
        (choice(json!({ "content": "it is not" }), "length"), "it was cut"),
        (choice(json!({ "content": "it" }), "content_filter"), "it was declined"),
        (choice(json!({ "content": null, "refusal": "canary" }), "stop"), "it was declined"),
        (json!({ "choices": [] }), "it has no choice"),
    ] {
        assert_eq!(read_of(OPENAI, &answer).await, Err(ModelError::Unusable(problem)));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_say_what_it_took_says_nothing_of_it() {
    let answer = |usage: Option<Value>| {
        let message = json!({ "role": "assistant", "content": "هلا" });
        let mut answer = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] });
        if let Some(usage) = usage {
            answer["usage"] = usage;
        }
        answer
    };
    let of_words = json!({ "prompt_tokens": 0, "completion_tokens": 3 });
    for usage in [None, Some(Value::Null), Some(json!({})), Some(of_words)] {
        let named = format!("{usage:?}");
        let read = read_of(OPENAI, &answer(usage)).await.unwrap();
        assert_eq!((read.text.as_str(), read.usage), ("هلا", None), "{named}");
    }
}
