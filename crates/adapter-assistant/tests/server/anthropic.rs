//! Anthropic's form, in the shapes of its reference.

use adapter_assistant::Dialect;
use domain::assistant::{ModelError, ModelMessage, ModelRequest, TokenUsage};
use serde_json::{Value, json};

use super::{LONG, ask_for, asked, called, http, read_of, request, server};

const ANTHROPIC: Dialect = Dialect::Anthropic;

fn message(content: &Value, stop_reason: &str) -> Value {
    json!({
        "id": "msg_01", "type": "message", "role": "assistant", "model": "small",
        "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {
            "input_tokens": 12, "output_tokens": 3,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 4
        },
    })
}

#[tokio::test]
async fn a_model_is_asked_in_the_wires_form_and_its_words_come_back() {
    let words = json!([{ "type": "text", "text": " هلا " }, { "type": "text", "text": "بيك" }]);
    let (answer, head, body) = asked(ANTHROPIC, &message(&words, "end_turn")).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("هلا بيك", 0));
    assert_eq!(answer.usage, Some(TokenUsage { read_tokens: 16, written_tokens: 3 }));
    assert!(head.starts_with("post /v1/messages http/1.1"), "{head}");
    for line in ["\r\nx-api-key: s3cret", "\r\nanthropic-version: 2023-06-01"] {
        assert!(head.contains(line), "{head}");
    }
    assert!(!head.contains("authorization"), "{head}");
    let text = |text: &str| json!({ "type": "text", "text": text });
    let call = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "searchProducts", "input": input });
    let result =
        |id: &str, content: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    let wanted = json!({
        "model": "small",
        "stream": false,
        "max_tokens": 800,
        "system": "be kind",
        "messages": [
            { "role": "user", "content": "(From the service, not the customer: the business wrote first.)" },
            { "role": "assistant", "content": "هلا" },
            { "role": "user", "content": "canary-question\n\nشكد" },
            { "role": "assistant", "content": [call("call_1", json!({ "query": "حليب" })), call("call_2", json!({}))] },
            { "role": "user", "content": [
                result("call_1", "{\"products\":[]}"),
                result("call_2", "{\"error\":\"no JSON\"}"),
                text("(From the service, not the customer: say no price)"),
            ] },
        ],
        "tools": [{
            "name": "searchProducts",
            "description": "finds products",
            "input_schema": { "type": "object", "properties": { "query": { "type": "string" } } },
        }],
    });
    assert_eq!(body, wanted);
}

#[tokio::test]
async fn calls_come_back_with_what_was_written_and_thoughts_go_with_them() {
    let thought = json!({ "type": "thinking", "thinking": "hm", "signature": "c2ln" });
    let content = json!([
        thought,
        { "type": "text", "text": "let me look" },
        { "type": "tool_use", "id": "toolu_1", "name": "searchProducts", "input": { "query": "حليب" } },
        { "type": "tool_use", "id": "toolu_2", "name": "searchProducts", "input": {} },
        { "type": "tool_use", "id": "toolu_3", "name": "searchProducts", "input": "{\"query\":" },
    ]);
    let answer = read_of(ANTHROPIC, &message(&content, "tool_use")).await.unwrap();
    let arguments: Vec<_> = answer.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["{\"query\":\"حليب\"}", "{}", "{\"query\":"]);
    let request = ModelRequest { said: vec![ModelMessage::Calls(answer.calls)], ..request() };
    let (base, served) = server(http("200 OK", "", &message(&json!([]), "end_turn").to_string())).await;
    assert!(ask_for(ANTHROPIC, &base, &request, LONG).await.unwrap().text.is_empty());
    let (_, body) = served.await.unwrap();
    let content = &body["messages"][1]["content"];
    assert_eq!((&content[0], &content[1]["type"]), (&thought, &json!("tool_use")));
}

#[tokio::test]
async fn a_model_without_tools_is_told_of_none_and_nothing_blank_is_said() {
    let said = vec![
        ModelMessage::Customer(" ".to_owned()),
        ModelMessage::Customer("هلا".to_owned()),
        ModelMessage::Calls(vec![called("x", "", "")]),
    ];
    let request = ModelRequest { said, tools: vec![], ..request() };
    let (base, served) = server(http("200 OK", "", &message(&json!([]), "end_turn").to_string())).await;
    ask_for(ANTHROPIC, &base, &request, LONG).await.unwrap();
    let (_, body) = served.await.unwrap();
    assert_eq!(body.get("tools"), None);
    assert_eq!(body["messages"][0]["content"], json!("هلا"));
}

#[tokio::test]
async fn what_was_cut_or_declined_is_no_answer() {
    let words = json!([{ "type": "text", "text": "it is not" }]);
    for (reason, problem) in [
        ("max_tokens", "it was cut"),
        ("model_context_window_exceeded", "it was cut"),
        ("refusal", "it was declined"),
    ] {
        assert_eq!(read_of(ANTHROPIC, &message(&words, reason)).await, Err(ModelError::Unusable(problem)));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_say_what_it_took_says_nothing_of_it() {
    let answer = |usage: Option<Value>| {
        let mut answer = message(&json!([{ "type": "text", "text": "هلا" }]), "end_turn");
        answer.as_object_mut().unwrap().remove("usage");
        if let Some(usage) = usage {
            answer["usage"] = usage;
        }
        answer
    };
    let of_words = json!({ "output_tokens": 3 });
    for usage in [None, Some(Value::Null), Some(json!({})), Some(of_words)] {
        let named = format!("{usage:?}");
        let read = read_of(ANTHROPIC, &answer(usage)).await.unwrap();
        assert_eq!((read.text.as_str(), read.usage), ("هلا", None), "{named}");
    }
}

#[tokio::test]
async fn what_a_server_of_ones_own_leaves_out_ends_no_answer() {
    let thought = json!({ "type": "thinking", "thinking": "hm" });
    let content = json!([
        thought,
        { "type": "text", "text": "let me look " },
        { "type": "tool_use", "name": "searchProducts", "input": { "query": "حليب" } },
        { "type": "tool_use", "id": "toolu_2" },
    ]);
    let answer = read_of(ANTHROPIC, &message(&content, "tool_use")).await.unwrap();
    let calls: Vec<_> =
        answer.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("searchProducts", "{\"query\":\"حليب\"}"), ("unreadable_call", "")]);
    assert_eq!(answer.text, "let me look");
    assert_eq!(answer.usage, Some(TokenUsage { read_tokens: 12, written_tokens: 3 }));
    assert_eq!(answer.calls[0].state.as_ref().unwrap().text, json!([thought]).to_string());
    let cut = read_of(ANTHROPIC, &message(&content, "max_tokens")).await;
    assert_eq!(cut, Err(ModelError::Unusable("it was cut")));
    for shapeless in [json!({}), json!({ "content": null }), json!({ "content": [{ "type": "thinking" }] })] {
        let read = read_of(ANTHROPIC, &shapeless).await;
        assert_eq!(read, Err(ModelError::Unusable("it has not the shape of one")), "{shapeless}");
    }
}
