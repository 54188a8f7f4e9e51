//! What the log says of a request, and what it never says.

#![expect(clippy::unwrap_used, reason = "test support")]

use std::{
    io,
    sync::{Arc, Mutex},
};

use domain::{access::Caller, sending::ports::SendFailure, testing::a_caller};
use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;
use uuid::Uuid;

use crate::{
    sending::{ledger, network},
    service::{KEY, Ports},
    wire::answer,
};

/// Everything that any test of this process logs, at the finest level.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Lines {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_one_line_without_numbers_codes_or_keys() {
    let lines = Lines::default();
    tracing_subscriber::fmt().json().with_max_level(tracing::Level::TRACE).with_writer(lines.clone()).init();
    let workspace = Uuid::from_u128(0xfeed);
    let caller = Caller { workspace: workspace.into(), ..a_caller() };
    let cut = SendFailure::Unknown { reason: "the connection broke".to_owned() };
    let ports = Ports { ledger: ledger(), network: network(Err(cut)), ..Ports::with_key(caller, 1) };
    let service = ports.start();

    let body = json!({ "to": "07709876543", "template": "login_code", "code": "c0de-canary" });
    let path = "/v1/messages/template";
    let request = service.call("POST", path).header("Idempotency-Key", "key-canary").json(&body);
    let open = answer(request).await;
    open.assert_error(504, "Gateway Timeout");
    let mistyped = answer(service.call("GET", "/v1/contacts?serach=canary")).await;
    mistyped.assert_error(400, "Bad Request");

    let text = lines.text();
    for secret in ["7709876543", "canary", KEY] {
        assert!(!text.contains(secret), "the log holds {secret}");
    }
    let of_this_request: Vec<Value> = text
        .lines()
        .filter(|line| line.contains(&workspace.to_string()) && line.contains("\"request\""))
        .filter(|line| line.contains("/v1/messages/template"))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [line] = of_this_request.as_slice() else { panic!("{of_this_request:?}") };
    let fields = &line["fields"];
    assert_eq!(fields["method"], "POST");
    assert_eq!(fields["route"], "/v1/messages/template");
    assert_eq!(fields["status"], 504);
    assert_eq!(fields["key"], json!(a_caller().key));
    assert_eq!(fields["request_id"].as_str(), open.header("x-request-id"));
    assert!(fields["duration_ms"].is_number());

    let id = open.body["details"]["id"].as_str().unwrap();
    let told: Vec<&str> = text.lines().filter(|line| line.contains("the connection broke")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(id) && told[0].contains("WARN"), "{told:?}");
}
