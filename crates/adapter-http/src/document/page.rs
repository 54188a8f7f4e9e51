//! `/docs`: a page that shows the document, and the programs that its samples come from. Its files are
//! embedded, and it loads nothing from elsewhere.

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_SECURITY_POLICY, ContentType},
    middleware::from_fn,
    mime,
    web::ServiceConfig,
};

use super::samples::{PYTHON, RUST, SHELL, TYPESCRIPT};
use crate::{access, endpoint::at};

/// Policy that allows scripts, styles and data of this server only.
const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Registers the page and its files.
pub(crate) fn routes(config: &mut ServiceConfig) {
    for file in [
        at("/docs").get(index),
        at("/docs/page.js").get(script),
        at("/docs/page.css").get(style),
        at("/docs/calls.sh").get(in_shell),
        at("/docs/calls.ts").get(in_typescript),
        at("/docs/calls.py").get(in_python),
        at("/docs/calls.rs").get(in_rust),
    ] {
        config.service(file.resource().wrap(from_fn(access::keyless)));
    }
}

async fn index() -> HttpResponse {
    file(ContentType::html(), include_str!("page/index.html"))
}

async fn script() -> HttpResponse {
    file(ContentType(mime::TEXT_JAVASCRIPT), include_str!("page/page.js"))
}

async fn style() -> HttpResponse {
    file(ContentType(mime::TEXT_CSS_UTF_8), include_str!("page/page.css"))
}

async fn in_shell() -> HttpResponse {
    file(ContentType(mime::TEXT_PLAIN_UTF_8), SHELL.text)
}

async fn in_typescript() -> HttpResponse {
    file(ContentType(mime::TEXT_PLAIN_UTF_8), TYPESCRIPT.text)
}

async fn in_python() -> HttpResponse {
    file(ContentType(mime::TEXT_PLAIN_UTF_8), PYTHON.text)
}

async fn in_rust() -> HttpResponse {
    file(ContentType(mime::TEXT_PLAIN_UTF_8), RUST.text)
}

fn file(kind: ContentType, text: &'static str) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_SECURITY_POLICY, POLICY)).content_type(kind).body(text)
}
