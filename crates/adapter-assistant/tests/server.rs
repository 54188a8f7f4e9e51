//! The adapter against a server on loopback.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::time::Duration;

use adapter_assistant::{Config, ModelServer};
use domain::assistant::{
    ModelAnswer, ModelError, ModelMessage, ModelRequest, Tool, ToolCall, ports::LanguageModel,
};
use serde_json::{Value, json};
use tls_trust::Trust;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Answers one request, and tells what it was: its head, its body.
async fn server(answer: String) -> (String, JoinHandle<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = read(&mut stream).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        request
    });
    (base, served)
}

async fn read(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let length = stream.read(&mut chunk).await.unwrap();
        bytes.extend_from_slice(&chunk[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            return (head.to_lowercase(), body);
        }
    }
}

fn http(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
}

fn request() -> ModelRequest {
    let call =
        ToolCall { id: "c1".to_owned(), name: "searchProducts".to_owned(), arguments: "{}".to_owned() };
    ModelRequest {
        instructions: "be kind".to_owned(),
        said: vec![
            ModelMessage::Customer("canary-question".to_owned()),
            ModelMessage::Calls(vec![call]),
            ModelMessage::ToolResult { call: "c1".to_owned(), json: "{}".to_owned() },
        ],
        tools: vec![Tool::SearchProducts.description()],
        longest_answer: 800,
    }
}

async fn ask(base: &str, within: Duration) -> Result<ModelAnswer, ModelError> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config =
        Config { base_url: base.parse().unwrap(), key: Some("s3cret".into()), model: "small".to_owned() };
    ModelServer::new(config, &Trust::default()).unwrap().answer(&request(), within).await
}

const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_model_is_asked_in_the_wires_form_and_its_words_come_back() {
    let body = json!({
        "choices": [{ "message": { "role": "assistant", "content": " هلا " }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 12, "completion_tokens": 3 },
    });
    let (base, served) = server(http("200 OK", "", &body.to_string())).await;
    let answer = ask(&base, LONG).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.read_tokens), ("هلا", 12));
    let (head, asked) = served.await.unwrap();
    assert!(head.starts_with("post /v1/chat/completions") && head.contains("authorization: bearer s3cret"));
    let roles: Vec<_> = asked["messages"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(asked["tools"][0]["function"]["name"], "searchProducts");
}

#[tokio::test]
async fn broken_arguments_come_back_as_they_were_written() {
    for (arguments, read) in
        [(json!("{\"query\":"), "{\"query\":"), (json!(""), ""), (json!({"a": 1}), "{\"a\":1}")]
    {
        let call =
            json!({ "id": "c", "type": "function", "function": { "name": "x", "arguments": arguments } });
        let body = json!({ "choices": [{ "message": { "content": null, "tool_calls": [call] } }] });
        let (base, _served) = server(http("200 OK", "", &body.to_string())).await;
        let answer = ask(&base, LONG).await.unwrap();
        assert_eq!(answer.calls[0].arguments, read);
    }
}

#[tokio::test]
async fn whatever_goes_wrong_is_told_in_words_that_quote_nothing() {
    let cut = r#"{"choices":[{"message":{"content":"it is not"},"finish_reason":"length"}]}"#;
    for (answer, error) in [
        (
            http("429 Too Many Requests", "retry-after: 7\r\n", "canary"),
            ModelError::SlowDown { retry_after: Some(Duration::from_secs(7)) },
        ),
        (http("500 Internal Server Error", "", "canary"), ModelError::Refused { status: 500 }),
        (http("302 Found", "location: http://127.0.0.1:1/\r\n", ""), ModelError::Refused { status: 302 }),
        (http("200 OK", "", "canary"), ModelError::Unusable("it has not the shape of one")),
        (http("200 OK", "", r#"{"choices":[]}"#), ModelError::Unusable("it has no choice")),
        (http("200 OK", "", cut), ModelError::Unusable("it was cut")),
    ] {
        let (base, _served) = server(answer).await;
        let failed = ask(&base, LONG).await.unwrap_err();
        assert_eq!(failed, error);
        assert!(!failed.to_string().contains("canary") && !format!("{failed:?}").contains("canary"));
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_and_one_that_is_not_there_was_not_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    assert_eq!(ask(&base, Duration::from_millis(100)).await, Err(ModelError::TimedOut));
    drop(listener);
    assert_eq!(ask(&base, LONG).await, Err(ModelError::NotReached));
}
