//! Traces and metrics for a collector, by OTLP over HTTP: off unless a collector is named.
//!
//! A span says which route, call, delivery or statement it is of, how long it took and how it ended. None
//! holds a text, a code, a number or an address, except the host and the port that are called: only the
//! spans' own fields are sent, and no lines of the log.

use std::{fmt, sync::Arc, time::Duration};

use anyhow::Context;
use async_trait::async_trait;
use bytes::BytesMut;
use metrics_opentelemetry::{OpenTelemetryMetrics, OpenTelemetryRecorder};
use opentelemetry::{metrics::MeterProvider, trace::TracerProvider};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    metrics::{Aggregation, Instrument, InstrumentKind, PeriodicReader, SdkMeterProvider, Stream},
    trace::{Sampler, SdkTracerProvider},
};
use tls_trust::Trust;
use tokio::runtime::Handle;
use tracing::{Metadata, Subscriber, warn};
use tracing_subscriber::{Layer, filter::filter_fn, registry::LookupSpan};
use url::Url;

use crate::{config::TelemetryConfig, measures::BUCKETS};

const SERVICE: &str = "messaging-service";
/// Longest wait for the collector to take one batch.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval between sends of metrics.
const EVERY: Duration = Duration::from_secs(15);
/// Most bytes of an answer, which names what was not taken.
const MOST_ANSWERED: usize = 64 * 1024;
/// Crates whose spans are sent. Those of libraries may hold addresses.
const OURS: [&str; 8] = [
    "adapter_assistant",
    "adapter_custom_system",
    "adapter_http",
    "adapter_postgres",
    "adapter_webhooks",
    "bounded_http",
    "graph_client",
    "server",
];

/// Sender of traces and metrics to the collector, while the process runs.
#[derive(Debug, Clone)]
pub struct Telemetry {
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
}

impl Telemetry {
    /// Begins to send to the configured collector; `None` without one. Must be called inside the runtime that
    /// the sending is to run on.
    ///
    /// # Errors
    /// When nothing can be appended to the collector's address, or no authority can be trusted.
    pub fn start(config: Option<&TelemetryConfig>, trust: &Trust) -> anyhow::Result<Option<Self>> {
        config.map(|config| Self::to(config, trust)).transpose()
    }

    fn to(config: &TelemetryConfig, trust: &Trust) -> anyhow::Result<Self> {
        let collector = Collector::shared(&config.url, trust)?;
        let below = |path: &str| format!("{}/v1/{path}", config.url.as_str().trim_end_matches('/'));
        let resource = || {
            let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
            Resource::builder().with_service_name(SERVICE).with_attribute(version).build()
        };
        let spans = SpanExporter::builder()
            .with_http()
            .with_shared_http_client(collector.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(PATIENCE)
            .with_endpoint(below("traces"))
            .build()?;
        // By the trace's id alone: a caller decides which trace a request belongs to, and not whether it is
        // sent.
        let tracers = SdkTracerProvider::builder()
            .with_sampler(Sampler::TraceIdRatioBased(config.share))
            .with_resource(resource())
            .with_batch_exporter(spans)
            .build();
        let metrics = MetricExporter::builder()
            .with_http()
            .with_shared_http_client(collector)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(PATIENCE)
            .with_endpoint(below("metrics"))
            .build()?;
        let reader = PeriodicReader::builder(metrics).with_interval(EVERY).build();
        let meters = SdkMeterProvider::builder()
            .with_resource(resource())
            .with_reader(reader)
            .with_view(in_seconds)
            .build();
        Ok(Self { tracers, meters })
    }

    /// Returns the layer that turns our spans into traces.
    pub fn layer<S: Subscriber + for<'span> LookupSpan<'span>>(&self) -> impl Layer<S> + use<S> {
        let is_ours = |span: &Metadata<'_>| {
            let krate = span.target().split("::").next().unwrap_or_default();
            // The log's lines are not sent: they are written for readers of the log.
            span.is_span() && OURS.contains(&krate)
        };
        tracing_opentelemetry::layer()
            .with_tracer(self.tracers.tracer(SERVICE))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_ours))
    }

    /// Returns the recorder that sends every metric.
    pub fn recorder(&self) -> OpenTelemetryRecorder {
        OpenTelemetryRecorder::new(OpenTelemetryMetrics::new(self.meters.meter(SERVICE)))
    }

    /// Sends what has not been sent, and ends. What the collector does not take within its time is lost.
    pub async fn stop(self) {
        let ended = tokio::task::spawn_blocking(move || {
            (self.tracers.shutdown_with_timeout(PATIENCE), self.meters.shutdown_with_timeout(PATIENCE))
        });
        match ended.await {
            Ok((Ok(()), Ok(()))) => {}
            Ok((Err(error), _) | (_, Err(error))) => warn!(%error, "not all traces and metrics were sent"),
            Err(error) => warn!(%error, "not all traces and metrics were sent"),
        }
    }
}

/// Gives durations the same buckets as for Prometheus: the library's own are for milliseconds.
fn in_seconds(instrument: &Instrument) -> Option<Stream> {
    if instrument.kind() != InstrumentKind::Histogram {
        return None;
    }
    let boundaries = BUCKETS.to_vec();
    let buckets = Aggregation::ExplicitBucketHistogram { boundaries, record_min_max: true };
    Stream::builder().with_aggregation(buckets).build().ok()
}

/// Client of the collector, with the same TLS and trust as everything else.
#[derive(Clone)]
struct Collector {
    client: reqwest::Client,
    /// Needed because exporters call from threads of their own, which have no runtime.
    runtime: Handle,
}

impl Collector {
    fn shared(url: &Url, trust: &Trust) -> anyhow::Result<Arc<dyn HttpClient>> {
        let client = reqwest::Client::builder();
        let client = if url.scheme() == "https" {
            client.tls_backend_preconfigured(trust.client_config()?)
        } else {
            client
        };
        let client = client
            .no_proxy()
            .no_gzip()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .timeout(PATIENCE)
            .build()
            .context("the client of the collector")?;
        Ok(Arc::new(Self { client, runtime: Handle::current() }))
    }
}

impl fmt::Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), reqwest::Request::try_from(request)?);
        // The call begins in the runtime as well: its time limit is counted there.
        let asked = self.runtime.spawn(async move {
            let mut answer = client.execute(request).await?;
            let status = answer.status();
            let headers = answer.headers().clone();
            let mut response = Response::builder().status(status);
            if let Some(all) = response.headers_mut() {
                *all = headers;
            }
            let mut body = BytesMut::new();
            while let Some(chunk) = answer.chunk().await? {
                if body.len() + chunk.len() > MOST_ANSWERED {
                    return Err("the collector's answer is too large".into());
                }
                body.extend_from_slice(&chunk);
            }
            Ok::<_, HttpError>(response.body(body.freeze())?)
        });
        asked.await?
    }
}
