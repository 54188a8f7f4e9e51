//! What a browser needs to install the dashboard: its manifest, the worker that answers while nothing else
//! does, and the page that it answers with.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header::CACHE_CONTROL},
};
use dashboard_pages::{Frame, RefusedPage, SERVICE_WORKER, assets_path};
use serde_json::json;

use super::{act::Answer, answer::page, frame};

/// Asked for again each time, since their paths have no version.
const FRESH: (actix_web::http::header::HeaderName, &str) = (CACHE_CONTROL, "no-cache");

/// `GET /dashboard/manifest.webmanifest`: the name, the icon and the first page of the installed dashboard.
pub(super) async fn manifest(request: HttpRequest) -> HttpResponse {
    let language = frame::bare(&request).language;
    let name = language.words().common.product;
    let icon = format!("{}/icon.svg", assets_path());
    let manifest = json!({
        "name": name,
        "short_name": name,
        "lang": language.code(),
        "dir": language.direction(),
        "id": "/dashboard/",
        "scope": "/dashboard/",
        "start_url": "/dashboard/inbox",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#0f766e",
        "icons": [
            { "src": icon, "type": "image/svg+xml", "sizes": "any", "purpose": "any" },
        ],
    });
    let mut answer = HttpResponse::Ok();
    answer.insert_header(FRESH).content_type("application/manifest+json").body(manifest.to_string())
}

/// `GET /dashboard/service-worker.js`.
pub(super) async fn service_worker() -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(FRESH)
        .content_type("text/javascript; charset=utf-8")
        .body(SERVICE_WORKER)
}

/// `GET /dashboard/offline`: that there is no connection.
pub(super) async fn offline(request: HttpRequest) -> Answer {
    // A worker asks for it in the place of a browser, which has nothing to put it into.
    let frame = Frame { is_fetched: false, ..frame::bare(&request) };
    page(StatusCode::OK, &RefusedPage { frame: &frame, because: frame.words().common.offline })
}
