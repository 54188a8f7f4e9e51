//! Traces and metrics for a collector: what reaches it, and what never does.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use actix_web::{App, HttpResponse, HttpServer, dev::ServerHandle, web};
use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::any_value::Value as Held,
    trace::v1::{Span, span::SpanKind},
};
use prost::Message as _;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    assistant::{Chat, on, start_with},
    life::Team,
    support::{Answer, Service, World, eventually},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const STEP: &str = "00f067aa0ba902b7";

/// Requests to a collector: signal and body.
type Kept = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A collector on loopback, which keeps what it is sent.
struct Collector {
    url: String,
    kept: Kept,
    server: ServerHandle,
}

impl Collector {
    fn start() -> Self {
        let kept = Kept::default();
        let shared = Arc::clone(&kept);
        let server = HttpServer::new(move || {
            let kept = Arc::clone(&shared);
            let take = move |path: web::Path<String>, body: web::Bytes| {
                kept.lock().unwrap().push((path.into_inner(), body.to_vec()));
                async { HttpResponse::Ok().content_type("application/x-protobuf").finish() }
            };
            App::new()
                .app_data(web::PayloadConfig::new(16 * 1024 * 1024))
                .route("/v1/{signal}", web::post().to(take))
        })
        .workers(1)
        .disable_signals()
        .bind("127.0.0.1:0")
        .unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, kept, server: handle }
    }

    fn of(&self, signal: &str) -> Vec<Vec<u8>> {
        let kept = self.kept.lock().unwrap();
        kept.iter().filter(|(path, _)| path == signal).map(|(_, body)| body.clone()).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let requests = self.of("traces").into_iter().map(|body| {
            ExportTraceServiceRequest::decode(body.as_slice()).expect("what OTLP says of traces")
        });
        let resources = requests.flat_map(|request| request.resource_spans);
        resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
    }

    /// The names of the spans that belong to the same trace as the only one of this name, which began it.
    fn below(&self, name: &str) -> Vec<String> {
        let spans = self.spans();
        let [first] = &spans.iter().filter(|span| span.name == name).collect::<Vec<_>>()[..] else {
            panic!("one {name} is wanted: {spans:#?}")
        };
        assert!(first.parent_span_id.is_empty(), "{first:#?}");
        let of_it = spans.iter().filter(|span| span.trace_id == first.trace_id && span.name != name);
        of_it.map(|span| span.name.clone()).collect()
    }

    fn says_nothing_of(&self, secrets: &[&str]) {
        for body in [self.of("traces"), self.of("metrics")].concat() {
            let text = String::from_utf8_lossy(&body);
            for secret in secrets {
                assert!(!text.contains(secret), "{secret} went to the collector: {text}");
            }
        }
    }

    fn metrics(&self) -> BTreeSet<String> {
        let requests = self.of("metrics").into_iter().map(|body| {
            ExportMetricsServiceRequest::decode(body.as_slice()).expect("what OTLP says of metrics")
        });
        let resources = requests.flat_map(|request| request.resource_metrics);
        let metrics = resources.flat_map(|resource| resource.scope_metrics).flat_map(|scope| scope.metrics);
        metrics.map(|metric| metric.name).collect()
    }
}

/// An attribute's text or number; null where the span has none.
fn attribute(span: &Span, key: &str) -> Value {
    let found = span.attributes.iter().find(|attribute| attribute.key == key);
    match found.and_then(|attribute| attribute.value.clone()?.value) {
        Some(Held::StringValue(text)) => json!(text),
        Some(Held::IntValue(number)) => json!(number),
        Some(other) => panic!("{key}: {other:?}"),
        None => Value::Null,
    }
}

/// Holds a span to the attributes that the stable names of OpenTelemetry ask of its kind.
fn holds(span: &Span, kind: SpanKind, attributes: &[(&str, Value)]) {
    assert_eq!(span.kind(), kind, "{span:#?}");
    for (key, value) in attributes {
        assert_eq!(attribute(span, key), *value, "{key}: {span:#?}");
    }
}

/// Holds calls to one call each by HTTP below them, and that to the stable names.
fn have_called(calls: &[&Span], spans: &[Span]) {
    assert!(!calls.is_empty(), "{spans:#?}");
    for call in calls {
        let below = spans.iter().filter(|span| span.parent_span_id == call.span_id && span.name == "POST");
        let [http] = &below.collect::<Vec<_>>()[..] else { panic!("one below {call:#?}: {spans:#?}") };
        let answered = [
            ("http.request.method", json!("POST")),
            ("http.response.status_code", json!(200)),
            ("url.full", Value::Null),
            ("error.type", Value::Null),
        ];
        holds(http, SpanKind::Client, &answered);
        assert!(attribute(http, "server.address").is_string(), "{http:#?}");
        assert!(attribute(http, "server.port").is_i64(), "{http:#?}");
    }
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Sends a notice and a code as a caller that is being traced, and answers once the notice's events are
/// delivered.
async fn sent(world: &World) -> Vec<String> {
    let notice = json!({ "to": "0770 123 4567", "template": "order_ready", "variables": ["Sara", "A-1042"] });
    let code = json!({ "to": "0770 123 4567", "template": "login_code", "code": "424242" });
    for body in [notice, code] {
        let request = world.api().request(Method::POST, "/v1/messages/template").json(&body);
        let request = request.header("traceparent", format!("00-{TRACE}-{STEP}-01"));
        let answer = Answer::to(request).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
    }
    // Of a code nobody is told that it was sent.
    let delivery = world.receiver.next_of("message.sent").await;
    let headers = delivery.headers.iter().filter(|(name, _)| name == "traceparent");
    headers.map(|(_, value)| value.clone()).collect()
}

#[tokio::test]
async fn a_callers_trace_goes_on_through_the_send_to_the_receiver_and_holds_nothing_of_it() {
    let mut world = World::new().await;
    let collector = Collector::start();
    let to_it =
        [("MESSAGING_OTLP_URL", collector.url.as_str()), ("MESSAGING_LOG", "off,messaging_service=info")];
    world.service = Service::start_with(&world.secrets, &to_it).await;
    world.simulator.set_webhook_url(Some(world.service.network_webhook())).unwrap();
    let headers = sent(&world).await;
    assert!(world.service.terminate(), "{:?}", world.service.log());
    collector.server.stop(false).await;

    let spans: Vec<Span> =
        collector.spans().into_iter().filter(|span| hex(&span.trace_id) == TRACE).collect();
    let named = |name: &str| -> Vec<&Span> { spans.iter().filter(|span| span.name == name).collect() };
    let requests = named("POST /v1/messages/template");
    assert!(
        requests.len() == 2 && requests.iter().all(|span| hex(&span.parent_span_id) == STEP),
        "{spans:#?}"
    );
    let below = |span: &&Span| requests.iter().any(|request| request.span_id == span.parent_span_id);
    assert_eq!((named("network").iter().filter(|span| below(span)).count(), named("network").len()), (2, 2));
    assert!(!named("deliver").is_empty() && named("deliver").iter().all(below), "{spans:#?}");
    // The receiver is told of the step that called it.
    assert_eq!(headers.len(), 1);
    for header in &headers {
        let step = header.split('-').nth(2).unwrap();
        assert!(header.starts_with(&format!("00-{TRACE}-")), "{header}");
        assert!(named("deliver").iter().any(|span| hex(&span.span_id) == step), "{header}");
    }

    let answered = [
        ("http.request.method", json!("POST")),
        ("url.path", json!("/v1/messages/template")),
        ("url.scheme", json!("http")),
        ("http.route", json!("/v1/messages/template")),
        ("http.response.status_code", json!(201)),
        ("error.type", Value::Null),
    ];
    for request in &requests {
        holds(request, SpanKind::Server, &answered);
    }
    have_called(&named("network"), &spans);
    have_called(&named("deliver"), &spans);
    let statements: Vec<&Span> =
        spans.iter().filter(|span| attribute(span, "db.system.name") == "postgresql").collect();
    for statement in &statements {
        holds(statement, SpanKind::Client, &[("db.query.summary", json!(statement.name))]);
        assert!(attribute(statement, "db.namespace").is_string(), "{statement:#?}");
        assert!(!format!("{statement:?}").contains('$'), "{statement:#?}");
    }
    let made = |begins: &str| {
        statements.iter().filter(|span| below(span)).any(|statement| statement.name.starts_with(begins))
    };
    for begins in ["SELECT ", "INSERT ", "COMMIT"] {
        assert!(made(begins), "{begins}: {statements:#?}");
    }

    let metrics = collector.metrics();
    for name in [
        "messaging_http_requests_total",
        "messaging_http_request_duration_seconds",
        "messaging_webhook_attempts_total",
    ] {
        assert!(metrics.contains(name), "{metrics:?}");
    }
    collector.says_nothing_of(&[
        "7701234567",
        "Sara",
        "A-1042",
        "424242",
        "token-of-the-demo",
        "appsecret_proof",
        "whsec_",
        "msk_",
    ]);
}

#[tokio::test]
async fn a_turn_of_the_assistant_is_a_trace_with_the_model_the_shop_and_the_network_and_without_a_word() {
    let mut chat = Chat::new(&on()).await;
    let collector = Collector::start();
    chat.counter.world.service.kill();
    "trace".clone_into(&mut chat.counter.world.secrets.log);
    start_with(&mut chat.counter, &chat.model, &[("MESSAGING_OTLP_URL", collector.url.as_str())]).await;
    chat.writes("شكد سعر حفاضات بامبرز؟").await;
    let turn = chat.turn(1).await;
    assert_eq!(turn["outcome"], json!("answered"), "{turn}");
    let service = &mut chat.counter.world.service;
    assert!(service.terminate(), "{:?}", service.log());
    collector.server.stop(false).await;

    let below = collector.below("turn");
    for name in ["model", "system", "network"] {
        assert!(below.iter().any(|found| found == name), "{name}: {below:?}");
    }
    let metrics = collector.metrics();
    for name in [
        "messaging_assistant_turns_total",
        "messaging_model_answers_total",
        "messaging_model_answer_seconds",
        "messaging_system_calls_total",
        "messaging_system_call_seconds",
        "messaging_network_calls_total",
        "messaging_network_call_seconds",
        "messaging_network_update_wait_seconds",
    ] {
        assert!(metrics.contains(name), "{name}: {metrics:?}");
    }
    collector.says_nothing_of(&["حفاضات", "14500", "7701234567", "سارة", "token-of-the-demo"]);
}

#[tokio::test]
async fn a_broadcast_is_a_trace_with_its_calls_to_the_network() {
    let mut team = Team::new().await;
    let added = team.owner.post("/contacts", &json!({ "phone": "+9647801000001", "name": "person 1" })).await;
    assert_eq!(added.status, 200, "{added:?}");
    let collector = Collector::start();
    let to_it = [("MESSAGING_OTLP_URL", collector.url.as_str())];
    team.world.service = Service::start_with(&team.world.secrets, &to_it).await;
    team.world.simulator.set_webhook_url(Some(team.world.service.network_webhook())).unwrap();
    team.owner.moved_to(team.world.service.base_url());
    let audience = json!({ "filter": { "search": "person" } });
    let written = json!({ "name": "Hours", "template": "store_hours", "audience": audience });
    let id = team.owner.post("/broadcasts", &written).await.text("/id").to_owned();
    let started = team.owner.post(&format!("/broadcasts/{id}/start"), &json!({})).await;
    assert_eq!(started.status, 200, "{started:?}");
    eventually("the broadcast's end", async || {
        let found = team.owner.get(&format!("/broadcasts/{id}")).await;
        (found.text("/broadcast/state") == "finished").then_some(())
    })
    .await;
    assert!(team.world.service.terminate(), "{:?}", team.world.service.log());
    collector.server.stop(false).await;

    // Each turn of a broadcast is one, and the last finds nothing more to do.
    let spans = collector.spans();
    let turns: Vec<&Span> = spans.iter().filter(|span| span.name == "broadcast").collect();
    let is_below = |span: &&Span| turns.iter().any(|turn| turn.trace_id == span.trace_id);
    let sent = spans.iter().filter(|span| span.name == "network").filter(is_below).count();
    assert_eq!(sent, 1, "{spans:#?}");
    assert!(format!("{turns:?}").contains(&id), "{turns:?}");
    collector.says_nothing_of(&["7801000001", "person 1", "token-of-the-demo"]);
}

#[tokio::test]
async fn of_no_share_there_are_no_traces_and_without_a_collector_nothing_is_handed_on() {
    let mut world = World::new().await;
    assert_eq!(sent(&world).await, Vec::<String>::new());

    let collector = Collector::start();
    let none = [("MESSAGING_OTLP_URL", collector.url.as_str()), ("MESSAGING_OTLP_SHARE", "0")];
    world.service = Service::start_with(&world.secrets, &none).await;
    world.simulator.set_webhook_url(Some(world.service.network_webhook())).unwrap();
    let headers = sent(&world).await;
    assert!(headers.len() == 1 && headers.iter().all(|header| header.ends_with("-00")), "{headers:?}");
    assert!(world.service.terminate(), "{:?}", world.service.log());
    collector.server.stop(false).await;
    assert_eq!(collector.spans(), Vec::<Span>::new());
    assert!(!collector.metrics().is_empty(), "{:?}", world.service.log());
}

#[tokio::test]
async fn a_collector_that_is_away_harms_nothing() {
    let mut world = World::new().await;
    let away = [("MESSAGING_OTLP_URL", "http://127.0.0.1:1")];
    world.service = Service::start_with(&world.secrets, &away).await;
    world.simulator.set_webhook_url(Some(world.service.network_webhook())).unwrap();
    assert_eq!(sent(&world).await.len(), 1);
    assert!(world.service.terminate(), "{:?}", world.service.log());
}
