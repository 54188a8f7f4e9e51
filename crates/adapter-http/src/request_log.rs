//! Outermost layer: an id for each request, one line in the log, the metrics.

use std::time::Instant;

use actix_web::{
    Error, HttpMessage, ResponseError,
    body::MessageBody,
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
    middleware::Next,
    web::Data,
};
use domain::access::Caller;
use tracing::{Instrument, field::Empty};
use uuid::Uuid;

use crate::{app::App, problem::Problem, session::SignedIn};

/// Logs one line at a level that is known only at run time.
macro_rules! said {
    ($level:expr, $($fields:tt)+) => {
        if $level == tracing::Level::INFO { tracing::info!($($fields)+) } else { tracing::debug!($($fields)+) }
    };
}

/// Routes that balancers and Prometheus call all the time.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Name in the metrics of a method that nobody serves.
const OTHER: &str = "other";

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Runs the request inside a span that names it, then logs how it went: never a path, a query, a header or a
/// body, which may hold numbers and codes.
pub(crate) async fn observe<B: MessageBody>(
    app: Data<App>,
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let request_id = app.ids.next();
    let started = Instant::now();
    let method = method_name(request.method());
    // Empty fields are filled once known, for traces; the log's lines of the request have its id alone.
    let span = tracing::info_span!(
        "request",
        %request_id,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = Empty,
        url.path = Empty,
        url.scheme = Empty,
        http.route = Empty,
        http.response.status_code = Empty,
        "error.type" = Empty,
    );
    let given = request.headers().get(trace_context::TRACEPARENT).and_then(|value| value.to_str().ok());
    trace_context::continue_trace(&span, given);
    let mut response = next.call(request).instrument(span.clone()).await?;

    name(request_id, response.headers_mut());

    let duration = started.elapsed();
    let status = response.status();
    let route = response.request().match_pattern();
    let over_tls = app.edge.always_tls || response.request().app_config().secure();
    trace(&span, method, route.as_deref(), if over_tls { "https" } else { "http" }, status);
    let route = route.unwrap_or_else(|| "unmatched".to_owned());
    let problem = response.response().error().and_then(|error| error.as_error::<Problem>());
    let store_is_away = problem.is_some_and(Problem::says_store_is_away);
    match problem.and_then(Problem::cause) {
        Some(cause) if status.as_u16() == 500 => {
            tracing::error!(%request_id, route, cause, "a request failed");
        }
        // The failure was logged once where it was noticed, and every probe repeats it.
        Some(cause) if PROBES.contains(&route.as_str()) => {
            tracing::debug!(%request_id, route, cause, "a node is not ready");
        }
        Some(cause) => tracing::warn!(%request_id, route, cause, "a request failed for now"),
        None => {}
    }
    let extensions = response.request().extensions();
    let caller = extensions.get::<Caller>();
    let signed_in = extensions.get::<SignedIn>().map(|signed_in| &signed_in.session);
    let workspace = caller.map(|caller| caller.workspace).or(signed_in.map(|session| session.workspace));
    let by_nobody = caller.is_none() && signed_in.is_none();
    // While the store is away, a count of failures stands for the requests. Probes come every few seconds.
    let is_quiet = store_is_away || (status.is_success() && PROBES.contains(&route.as_str()));
    let level = if is_quiet { tracing::Level::DEBUG } else { tracing::Level::INFO };
    // Anybody may cause any number of these: the log holds the first of a kind and a count of the others.
    let refused = (by_nobody && !status.is_success() && !status.is_redirection())
        .then(|| format!("{method} {route} {}", status.as_u16()));
    said!(
        level,
        %request_id,
        method,
        route,
        status = status.as_u16(),
        duration_ms = duration.as_secs_f64() * 1_000.0,
        workspace = workspace.map(tracing::field::display),
        key = caller.map(|caller| tracing::field::display(caller.key)),
        member = signed_in.map(|session| tracing::field::display(session.member)),
        refused,
        "request"
    );
    drop(extensions);
    requests(route.clone(), method, status).increment(1);
    metrics::histogram!("messaging_http_request_duration_seconds", "route" => route, "method" => method)
        .record(duration.as_secs_f64());
    Ok(response)
}

/// Counts requests by route, method and status.
pub(crate) fn requests(route: String, method: &'static str, status: StatusCode) -> metrics::Counter {
    let status = status.as_u16().to_string();
    metrics::counter!("messaging_http_requests_total", "route" => route, "method" => method, "status" => status)
}

/// Records the request on the span, by OpenTelemetry's stable names. The path has its variables by name, as
/// in the route: their values may be numbers. A path without a route is left out.
fn trace(
    span: &tracing::Span,
    method: &'static str,
    route: Option<&str>,
    scheme: &'static str,
    status: StatusCode,
) {
    let (method, verb) = if method == OTHER { ("_OTHER", "HTTP") } else { (method, method) };
    trace_context::rename(span, || route.map_or_else(|| verb.to_owned(), |route| format!("{verb} {route}")));
    trace_context::note(span, "http.request.method", method);
    trace_context::note(span, "url.path", route);
    trace_context::note(span, "url.scheme", scheme);
    trace_context::note(span, "http.route", route);
    trace_context::note(span, "http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        trace_context::note(span, "error.type", status.as_str());
        trace_context::note(span, "otel.status_code", "ERROR");
    }
}

/// Puts the request's id on its answer.
pub(crate) fn name(request_id: Uuid, headers: &mut HeaderMap) {
    if let Ok(id) = HeaderValue::try_from(request_id.to_string()) {
        headers.insert(X_REQUEST_ID, id);
    }
}

/// Logs a request that could not be parsed and reached no route.
pub(crate) fn say_unreadable(request_id: Uuid, problem: &Problem) {
    let (status, reason) = (problem.status_code().as_u16(), problem.to_string());
    let refused = format!("unreadable {status}");
    tracing::info!(%request_id, status, reason, refused, "a request could not be read");
    let labels =
        [("route", "unreadable".to_owned()), ("method", OTHER.to_owned()), ("status", status.to_string())];
    metrics::counter!("messaging_http_requests_total", &labels).increment(1);
}

/// Returns the method's name; one name for all that nobody serves, so that a caller cannot flood the metrics.
fn method_name(method: &Method) -> &'static str {
    let known = [
        (Method::GET, "GET"),
        (Method::POST, "POST"),
        (Method::PUT, "PUT"),
        (Method::PATCH, "PATCH"),
        (Method::DELETE, "DELETE"),
        (Method::HEAD, "HEAD"),
        (Method::OPTIONS, "OPTIONS"),
    ];
    known.into_iter().find(|(known, _)| known == method).map_or(OTHER, |(_, name)| name)
}
