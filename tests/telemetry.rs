//! Traces and metrics for a collector: what reaches it, and what never does.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use actix_web::{App, HttpResponse, HttpServer, dev::ServerHandle, web};
use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    trace::v1::Span,
};
use prost::Message as _;
use reqwest::Method;
use serde_json::json;

use crate::support::{Answer, Service, World};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const STEP: &str = "00f067aa0ba902b7";

/// What a collector was sent: under which signal, and what.
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

    fn metrics(&self) -> BTreeSet<String> {
        let requests = self.of("metrics").into_iter().map(|body| {
            ExportMetricsServiceRequest::decode(body.as_slice()).expect("what OTLP says of metrics")
        });
        let resources = requests.flat_map(|request| request.resource_metrics);
        let metrics = resources.flat_map(|resource| resource.scope_metrics).flat_map(|scope| scope.metrics);
        metrics.map(|metric| metric.name).collect()
    }
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Sends a notice and a code as a caller that is being traced, and answers once the notice's events are delivered.
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
    let requests = named("request");
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

    let metrics = collector.metrics();
    for name in ["http_requests_total", "http_request_duration_seconds", "webhook_attempts_total"] {
        assert!(metrics.contains(name), "{metrics:?}");
    }
    for body in [collector.of("traces"), collector.of("metrics")].concat() {
        let text = String::from_utf8_lossy(&body);
        for secret in [
            "7701234567",
            "Sara",
            "A-1042",
            "424242",
            "token-of-the-demo",
            "appsecret_proof",
            "whsec_",
            "msk_",
        ] {
            assert!(!text.contains(secret), "{secret} went to the collector: {text}");
        }
    }
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
