//! The adapter against a server on loopback.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "server/anthropic.rs"]
mod anthropic;
#[path = "server/gemini.rs"]
mod gemini;
#[path = "server/openai.rs"]
mod openai;

use std::time::{Duration, Instant};

use adapter_assistant::{Config, Dialect, ModelServer};
use bounded_http::testing::{Flood, Flooder};
use domain::assistant::{
    ModelAnswer, ModelError, ModelMessage, ModelRequest, ToolCall, ToolDescription, ports::LanguageModel,
};
use secrecy::SecretString;
use serde_json::{Value, json};
use tls_trust::Trust;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Answers one request, and tells what it was: its head in lower case, its body.
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
    typed(status, &format!("content-type: application/json\r\n{headers}"), body)
}

/// The same, of the type that is among the headers.
fn typed(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{body}", body.len())
}

fn called(name: &str, id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), state: None }
}

/// A conversation with everything in it that there is: two calls side by side, one of them broken.
fn request() -> ModelRequest {
    let calls = vec![
        called("searchProducts", "c1", r#"{"query":"حليب"}"#),
        called("searchProducts", "c2", "{\"query\":"),
    ];
    let result =
        |call: &str, json: &str| ModelMessage::ToolResult { call: call.to_owned(), json: json.to_owned() };
    ModelRequest {
        instructions: "be kind".to_owned(),
        said: vec![
            ModelMessage::Business("هلا".to_owned()),
            ModelMessage::Customer("canary-question".to_owned()),
            ModelMessage::Customer("شكد".to_owned()),
            ModelMessage::Calls(calls),
            result("c1", r#"{"products":[]}"#),
            result("c2", r#"{"error":"no JSON"}"#),
            ModelMessage::Advice("say no price".to_owned()),
        ],
        tools: vec![ToolDescription {
            name: "searchProducts",
            purpose: "finds products",
            schema: json!({ "type": "object", "properties": { "query": { "type": "string" } } }),
        }],
        longest_answer: 800,
    }
}

async fn ask_for(
    dialect: Dialect,
    base: &str,
    request: &ModelRequest,
    within: Duration,
) -> Result<ModelAnswer, ModelError> {
    model(dialect, base, Some("s3cret"), "small").answer(request, within).await
}

fn model(dialect: Dialect, base: &str, key: Option<&str>, name: &str) -> ModelServer {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = Config {
        dialect,
        base_url: base.parse().unwrap(),
        key: key.map(SecretString::from),
        model: name.to_owned(),
    };
    ModelServer::new(config, &Trust::default()).unwrap()
}

/// An answer in a dialect's form that holds these words and nothing else.
fn words(dialect: Dialect, text: &str) -> Value {
    match dialect {
        Dialect::OpenAi => json!({ "choices": [{ "message": { "content": text } }] }),
        Dialect::Anthropic => json!({ "content": [{ "type": "text", "text": text }] }),
        Dialect::Gemini => json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] }),
    }
}

/// Asks a server that answers this, and tells what it was asked as well.
async fn asked(dialect: Dialect, answer: &Value) -> (Result<ModelAnswer, ModelError>, String, Value) {
    let (base, served) = server(http("200 OK", "", &answer.to_string())).await;
    let answer = ask_for(dialect, &base, &request(), LONG).await;
    let (head, body) = served.await.unwrap();
    (answer, head, body)
}

/// What a server answers is read.
async fn read_of(dialect: Dialect, answer: &Value) -> Result<ModelAnswer, ModelError> {
    asked(dialect, answer).await.0
}

const LONG: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_server_that_floods_is_given_up_in_time() {
    let within = Duration::from_secs(1);
    for flood in [Flood::Interims, Flood::Fields, Flood::Body, Flood::Crumbs, Flood::Drip, Flood::Reset] {
        let began = Instant::now();
        let base = Flooder::start(flood).unwrap().url();
        let answered = ask_for(Dialect::OpenAi, &base, &request(), within).await;
        assert!(
            matches!(answered, Err(ModelError::Broken | ModelError::TimedOut)),
            "{flood:?}: {answered:?}"
        );
        // The flood has no end. A busy machine may be late, but whoever waited for its end would wait for ever.
        assert!(began.elapsed() < within * 10, "{flood:?}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn whatever_goes_wrong_is_told_in_words_that_quote_nothing() {
    for dialect in Dialect::ALL {
        for (answer, error) in [
            (
                http("429 Too Many Requests", "retry-after: 7\r\n", "canary"),
                ModelError::SlowDown { retry_after: Some(Duration::from_secs(7)) },
            ),
            (http("500 Internal Server Error", "", "canary"), ModelError::Refused { status: 500 }),
            (http("529 Overloaded", "", "canary"), ModelError::Refused { status: 529 }),
            (http("400 Bad Request", "", r#"{"error":"canary"}"#), ModelError::Refused { status: 400 }),
            (http("401 Unauthorized", "", "canary"), ModelError::KeyRefused),
            (http("403 Forbidden", "", "canary"), ModelError::KeyRefused),
            (http("302 Found", "location: http://127.0.0.1:1/\r\n", ""), ModelError::Refused { status: 302 }),
            (http("200 OK", "", "canary"), ModelError::Unusable("it has not the shape of one")),
            (
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"canary"
                    .to_owned(),
                ModelError::Broken,
            ),
            (String::new(), ModelError::Broken),
            (
                typed("200 OK", "content-type: text/html\r\n", "<p>canary"),
                ModelError::Unusable("it has not the shape of one"),
            ),
        ] {
            let (base, _served) = server(answer).await;
            let failed = ask_for(dialect, &base, &request(), LONG).await.unwrap_err();
            assert_eq!(failed, error, "{dialect:?}");
            let told = format!("{failed} {failed:?}");
            assert!(!told.contains("canary") && !told.contains("s3cret"), "{told}");
        }
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up_and_one_that_is_not_there_was_not_reached() {
    for dialect in Dialect::ALL {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = ask_for(dialect, &base, &request(), Duration::from_millis(100)).await;
        assert_eq!(asked, Err(ModelError::TimedOut));
        drop(listener);
        assert_eq!(ask_for(dialect, &base, &request(), LONG).await, Err(ModelError::NotReached));
    }
}

#[tokio::test]
async fn a_dialect_is_read_by_its_name_and_no_configuration_shows_its_key() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::read(dialect.as_str()), Some(dialect));
        let config = Config {
            dialect,
            base_url: dialect.vendor().parse().unwrap(),
            key: Some("s3cret".into()),
            model: "small".to_owned(),
        };
        assert!(!format!("{:?}", ModelServer::new(config, &Trust::default())).contains("s3cret"));
    }
    assert_eq!(Dialect::read("OpenAI"), None);
}

/// A library reads of a name how hard to think, and what else to ask for.
#[tokio::test]
async fn a_models_name_is_sent_whole_and_changes_nothing_else() {
    for dialect in Dialect::ALL {
        let mut small = None;
        for name in [
            "small",
            "house-max",
            "qwen-none",
            "o3-mini-high",
            "gpt-5.6",
            "claude-3-opus",
            "gemini-3-low",
            "a::b-zero",
        ] {
            let (base, served) = server(http("200 OK", "", &words(dialect, "هلا").to_string())).await;
            let answer = model(dialect, &base, Some("s3cret"), name).answer(&request(), LONG).await;
            assert_eq!(answer.unwrap().text, "هلا");
            let (head, mut body) = served.await.unwrap();
            if dialect == Dialect::Gemini {
                assert!(
                    head.starts_with(&format!("post /v1/models/{name}:generatecontent http/1.1")),
                    "{head}"
                );
            } else {
                assert_eq!(body["model"].take(), name);
            }
            assert_eq!(*small.get_or_insert_with(|| body.clone()), body, "{dialect:?} {name}");
        }
    }
}

#[tokio::test]
async fn a_server_is_sent_no_key_where_there_is_none_and_asked_for_nothing_packed() {
    for dialect in Dialect::ALL {
        let (base, served) = server(http("200 OK", "", &words(dialect, "هلا").to_string())).await;
        model(dialect, &base, None, "small").answer(&request(), LONG).await.unwrap();
        let (head, _) = served.await.unwrap();
        for header in ["authorization", "x-api-key", "x-goog-api-key", "accept-encoding", "user-agent"] {
            assert!(!head.contains(&format!("\r\n{header}:")), "{head}");
        }
    }
}

#[tokio::test]
async fn an_answer_is_read_whatever_its_type_is_called() {
    let types = ["", "content-type: Application/JSON\r\n", "content-type: text/json\r\n"];
    let utf8 = "content-type: application/json; charset=utf-8\r\n";
    for dialect in Dialect::ALL {
        // Gemini is asked of its vendor, who calls it what it is.
        let others = types.iter().filter(|_| dialect != Dialect::Gemini);
        for header in others.chain([&utf8]) {
            let (base, _served) = server(typed("200 OK", header, &words(dialect, "هلا").to_string())).await;
            let answer = ask_for(dialect, &base, &request(), LONG).await;
            assert_eq!(answer.unwrap().text, "هلا", "{dialect:?} {header}");
        }
    }
}
