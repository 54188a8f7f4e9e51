//! A trace's span of each exchange, by OpenTelemetry's stable names.
//!
//! Of the address, the span holds host and port alone: a path or a query may name a person or hold a token.

use reqwest::{Method, StatusCode, Url};
use trace_context::Trace;
use tracing::{Span, field::Empty};

use crate::error::Error;

/// Span of an exchange; `None` where the trace is not recorded. Dropping it before its end means that the
/// exchange was given up.
pub(crate) struct Exchange(Option<Span>);

impl Exchange {
    pub(crate) fn begun(method: &Method, url: &Url) -> Self {
        Self(Trace::of_current().map(|trace| {
            trace.step(tracing::debug_span!(
                parent: None,
                "exchange",
                otel.name = method.as_str(),
                otel.kind = "client",
                otel.status_code = Empty,
                http.request.method = method.as_str(),
                server.address = url.host_str(),
                server.port = url.port_or_known_default().map(i64::from),
                http.response.status_code = Empty,
                "error.type" = Empty,
            ))
        }))
    }

    /// Ends the span with the head of an answer.
    pub(crate) fn answered(mut self, status: StatusCode) {
        let Some(span) = self.0.take() else { return };
        span.record("http.response.status_code", i64::from(status.as_u16()));
        if status.is_client_error() || status.is_server_error() {
            failed(&span, status.as_str());
        }
    }

    /// Ends the span without an answer.
    pub(crate) fn broke(mut self, error: &Error) {
        let Some(span) = self.0.take() else { return };
        failed(
            &span,
            match error {
                Error::Request(_) => "request",
                Error::Timeout => "timeout",
                Error::Exchange(_) if error.is_connect() => "connect",
                Error::Exchange(_) => "broken",
            },
        );
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(span) = &self.0 {
            failed(span, "given_up");
        }
    }
}

fn failed(span: &Span, error: &str) {
    span.record("error.type", error);
    span.record("otel.status_code", "ERROR");
}
