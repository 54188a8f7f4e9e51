//! The `OpenAI` form, in the shapes of its reference.

use adapter_assistant::{Config, Dialect, ModelServer};
use bytes::Bytes;
use domain::assistant::{ModelError, ModelMessage, ModelRequest, Picture, TokenUsage, ports::LanguageModel};
use serde_json::{Value, json};
use tls_trust::Trust;
use tokio::{io::AsyncWriteExt, net::TcpListener};

use super::{LONG, ask_for, asked, called, http, read, read_of, request, server};

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
        "stream": false,
        "max_tokens": 800,
        "messages": [
            { "role": "system", "content": "be kind" },
            { "role": "assistant", "content": "هلا" },
            { "role": "user", "content": "canary-question" },
            { "role": "user", "content": "شكد" },
            { "role": "assistant", "content": "", "tool_calls": [
                call("c1", "{\"query\":\"حليب\"}"), call("c2", "{}")
            ] },
            { "role": "tool", "tool_call_id": "c1", "content": "{\"products\":[]}" },
            { "role": "tool", "tool_call_id": "c2", "content": "{\"error\":\"no JSON\"}" },
            { "role": "user", "content": "(From the service, not the customer: say no price)" },
        ],
        "tools": [{ "type": "function", "function": {
            "name": "searchProducts",
            "description": "finds products",
            "parameters": { "type": "object", "properties": { "query": { "type": "string" } } },
            "strict": false,
        } }],
    });
    assert_eq!(body, wanted);
}

#[tokio::test]
async fn a_picture_is_sent_as_its_bytes_beside_the_words() {
    let picture = Picture { content_type: "image/png", bytes: Bytes::from_static(b"\x89PNG") };
    let said = vec![ModelMessage::Customer("شكد".to_owned()), ModelMessage::Pictures(vec![picture])];
    let (base, served) = server(http("400 Bad Request", "", "{}")).await;
    let answer = ask_for(OPENAI, &base, &ModelRequest { said, ..request() }, LONG).await;
    assert_eq!(answer, Err(ModelError::Refused { status: 400 }));
    let (_, body) = served.await.unwrap();
    let url = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw==" } });
    assert_eq!(body["messages"][1], json!({ "role": "user", "content": "شكد" }));
    assert_eq!(body["messages"][2], json!({ "role": "user", "content": [url] }));
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

#[tokio::test]
async fn a_call_without_a_name_or_a_function_is_one_of_no_tool_and_ends_no_answer() {
    for (call, id, arguments) in [
        (
            json!({ "id": "c", "type": "function", "function": { "name": null, "arguments": "{}" } }),
            "c",
            "{}",
        ),
        (json!({ "id": null, "type": "function", "function": { "name": "" } }), "", ""),
        (json!({ "type": "custom", "custom": { "name": "shell", "input": "ls" } }), "", ""),
    ] {
        let named = call.to_string();
        let message = json!({ "content": null, "tool_calls": [call] });
        let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
        let answer = read_of(OPENAI, &body).await.unwrap();
        let read = (answer.calls[0].id.as_str(), answer.calls[0].arguments.as_str());
        assert_eq!((answer.calls[0].name.as_str(), read), ("unreadable_call", (id, arguments)), "{named}");
    }
}

#[tokio::test]
async fn one_broken_call_takes_nothing_from_what_else_was_answered() {
    let call = |call: Value| json!({ "id": "c1", "function": call });
    let calls = json!([
        { "id": "c1", "type": "function", "function": { "name": "x", "arguments": " {\"a\": 1}" } },
        { "id": "c2", "type": "function", "function": { "name": "y", "arguments": "{\"query\":" } },
        call(json!({ "name": "z", "arguments": "{}" })),
        { "type": "function", "function": { "name": "no id" } },
        "canary",
    ]);
    let answer = |finish: &str| {
        json!({
            "choices": [{ "message": { "content": [{ "type": "text", "text": " هلا" }], "tool_calls": calls }, "finish_reason": finish }],
            "usage": { "prompt_tokens": 12, "completion_tokens": 3 },
        })
    };
    let read = read_of(OPENAI, &answer("tool_calls")).await.unwrap();
    let told: Vec<_> = read
        .calls
        .iter()
        .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()))
        .collect();
    let wanted = [
        ("c1", "x", " {\"a\": 1}"),
        ("c2", "y", "{\"query\":"),
        ("c1", "z", "{}"),
        ("", "no id", ""),
        ("", "unreadable_call", ""),
    ];
    assert_eq!(told, wanted);
    assert_eq!(
        (read.text.as_str(), read.usage),
        ("هلا", Some(TokenUsage { read_tokens: 12, written_tokens: 3 }))
    );
    for (finish, problem) in [("length", "it was cut"), ("content_filter", "it was declined")] {
        assert_eq!(read_of(OPENAI, &answer(finish)).await, Err(ModelError::Unusable(problem)));
    }
}

#[tokio::test]
async fn what_has_not_the_shape_of_an_answer_is_none() {
    for body in [
        json!([]),
        json!("canary"),
        json!({ "choices": null }),
        json!({ "choices": [null] }),
        json!({ "choices": [{}] }),
        json!({ "choices": [{ "message": null, "finish_reason": "stop" }] }),
        json!({ "choices": [{ "message": { "tool_calls": { "canary": 1 } } }] }),
        json!({ "error": { "message": "canary" } }),
    ] {
        let answer = read_of(OPENAI, &body).await;
        assert!(matches!(answer, Err(ModelError::Unusable(_))), "{body}");
    }
}

#[tokio::test]
async fn words_in_parts_are_read_and_a_usage_of_another_shape_is_none() {
    let parts = json!([
        { "type": "thinking", "thinking": [{ "type": "text", "text": "canary" }] },
        { "type": "text", "text": "هلا " }, { "type": "text", "text": "بيك" },
    ]);
    for (content, text) in [(parts, "هلا بيك"), (json!(null), ""), (json!(7), ""), (json!([]), "")] {
        for (usage, read_tokens) in [
            (json!({ "prompt_tokens": 12, "completion_tokens": null }), Some(12)),
            (json!({ "prompt_tokens": null, "completion_tokens": 3 }), None),
            (json!({ "prompt_tokens": 12.5, "completion_tokens": 3 }), None),
            (json!("12"), None),
            (json!({ "prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": 7 }), Some(12)),
        ] {
            let body = json!({ "choices": [{ "message": { "content": content } }], "usage": usage });
            let answer = read_of(OPENAI, &body).await.unwrap();
            let told = answer.usage.map(|usage| usage.read_tokens);
            assert_eq!((answer.text.as_str(), told), (text, read_tokens), "{content} {usage}");
        }
    }
}

#[tokio::test]
async fn calls_that_another_server_has_given_no_name_get_one_each() {
    let result = |call: &str| ModelMessage::ToolResult { call: call.to_owned(), json: "{}".to_owned() };
    let asked = ModelRequest {
        said: vec![
            ModelMessage::Customer("شكد".to_owned()),
            ModelMessage::Calls(vec![called("x", "", "{}"), called("x", "", "{}")]),
            result(""),
            result(""),
            ModelMessage::Calls(vec![called("x", "c9", "{}"), called("x", "", "{}")]),
            result("c9"),
            result(""),
        ],
        ..request()
    };
    let answer = json!({ "choices": [{ "message": { "content": "هلا" } }] }).to_string();
    let (base, served) = server(http("200 OK", "", &answer)).await;
    ask_for(OPENAI, &base, &asked, LONG).await.unwrap();
    let (_, body) = served.await.unwrap();
    let messages = body["messages"].as_array().unwrap();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let calls: Vec<_> = calls.map(|call| call["id"].as_str().unwrap()).collect();
    let results: Vec<_> = messages.iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
    assert_eq!(calls, ["call_1", "call_2", "c9", "call_4"]);
    assert_eq!(results, calls);
}

/// A server that gives these answers one after another, and what it was asked in them.
async fn server_of(answers: Vec<String>) -> (ModelServer, tokio::task::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let mut bodies = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            bodies.push(read(&mut stream).await.1);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        bodies
    });
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config =
        Config { dialect: OPENAI, base_url: base.parse().unwrap(), key: None, model: "small".to_owned() };
    (ModelServer::new(config, &Trust::default()).unwrap(), served)
}

/// What the longest answer was called in each.
fn longest(bodies: &[Value]) -> Vec<(&Value, &Value)> {
    bodies.iter().map(|body| (&body["max_tokens"], &body["max_completion_tokens"])).collect()
}

#[tokio::test]
async fn a_server_that_wants_the_longest_answer_called_otherwise_is_asked_so_at_once_and_from_then_on() {
    let refusals = [
        json!({ "message": "canary", "param": "max_tokens", "code": "unsupported_parameter" }),
        json!({ "message": "Use 'max_completion_tokens' instead.", "code": "invalid_request_body" }),
    ];
    for error in refusals {
        let answer = json!({ "choices": [{ "message": { "content": "هلا" } }] }).to_string();
        let refused = http("400 Bad Request", "", &json!({ "error": error }).to_string());
        let answers = vec![refused, http("200 OK", "", &answer), http("200 OK", "", &answer)];
        let (model, served) = server_of(answers).await;
        for _ in 0..2 {
            assert_eq!(model.answer(&request(), LONG).await.unwrap().text, "هلا");
        }
        let (none, most) = (&Value::Null, &json!(800));
        assert_eq!(longest(&served.await.unwrap()), [(most, none), (none, most), (none, most)]);
    }
}

#[tokio::test]
async fn a_server_that_refuses_either_name_of_the_longest_answer_is_asked_by_the_first_again() {
    let error = json!({ "message": "max_tokens is too large", "param": "max_tokens" });
    let refused = http("400 Bad Request", "", &json!({ "error": error }).to_string());
    let unknown =
        http("400 Bad Request", "", &json!({ "error": { "message": "unknown field" } }).to_string());
    let answer = json!({ "choices": [{ "message": { "content": "هلا" } }] }).to_string();
    let (model, served) = server_of(vec![refused, unknown, http("200 OK", "", &answer)]).await;
    assert_eq!(model.answer(&request(), LONG).await, Err(ModelError::Refused { status: 400 }));
    assert_eq!(model.answer(&request(), LONG).await.unwrap().text, "هلا");
    let (none, most) = (&Value::Null, &json!(800));
    assert_eq!(longest(&served.await.unwrap()), [(most, none), (none, most), (most, none)]);
}
