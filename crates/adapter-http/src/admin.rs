//! Admin port: metrics, liveness and readiness for operators.

use actix_web::{
    HttpResponse,
    http::{StatusCode, header::ContentType},
    web::{self, Data, ServiceConfig},
};

use crate::{
    app::App,
    endpoint::{at, no_such_route},
    problem::Problem,
};

/// The text format of Prometheus.
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Registers all routes of the admin server.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config
        .service(at("/metrics").get(metrics).resource())
        .service(at("/healthz").get(alive).resource())
        .service(at("/readyz").get(ready).resource())
        .default_service(web::to(no_such_route));
}

async fn metrics(app: Data<App>) -> HttpResponse {
    HttpResponse::Ok().content_type(PROMETHEUS_TEXT).body((app.metrics)())
}

async fn alive() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::plaintext()).body("alive\n")
}

async fn ready(app: Data<App>) -> Result<HttpResponse, Problem> {
    if app.leaving.is_cancelled() {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not ready: stopping"));
    }
    let ready = app.run(|app| async move { app.readiness.ready().await }).await?;
    // Callers of this port may know what is missing.
    let impaired = ready.map_err(|missing| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {missing}")).caused_by(missing)
    })?;
    let lines: String = ["ready".to_owned()].into_iter().chain(impaired).map(|line| line + "\n").collect();
    Ok(HttpResponse::Ok().content_type(ContentType::plaintext()).body(lines))
}
