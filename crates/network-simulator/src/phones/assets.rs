//! The page itself, its scripts and its style.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS};
use actix_web::web::Path;
use actix_web::{HttpResponse, HttpResponseBuilder};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' http://127.0.0.1:* http://localhost:*; media-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const ASSETS: [(&str, &str, &str); 10] = [
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
    ("phones.css", "text/css; charset=utf-8", include_str!("assets/phones.css")),
    ("phones.js", "text/javascript; charset=utf-8", include_str!("assets/phones.js")),
    ("phone.js", "text/javascript; charset=utf-8", include_str!("assets/phone.js")),
    ("bubble.js", "text/javascript; charset=utf-8", include_str!("assets/bubble.js")),
    ("acts.js", "text/javascript; charset=utf-8", include_str!("assets/acts.js")),
    ("inspector.js", "text/javascript; charset=utf-8", include_str!("assets/inspector.js")),
    ("kinds.js", "text/javascript; charset=utf-8", include_str!("assets/kinds.js")),
    ("switches.js", "text/javascript; charset=utf-8", include_str!("assets/switches.js")),
    ("words.js", "text/javascript; charset=utf-8", include_str!("assets/words.js")),
];

pub(super) async fn page() -> HttpResponse {
    dressed().content_type("text/html; charset=utf-8").body(include_str!("assets/phones.html"))
}

pub(super) async fn asset(name: Path<String>) -> HttpResponse {
    match ASSETS.into_iter().find(|(known, ..)| *known == name.as_str()) {
        Some((_, kind, text)) => dressed().content_type(kind).body(text),
        None => HttpResponse::NotFound().finish(),
    }
}

fn dressed() -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-cache"));
    answer
}
