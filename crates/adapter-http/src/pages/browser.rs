//! What a browser says of itself.

use actix_web::{HttpRequest, http::header::ACCEPT_LANGUAGE};
use dashboard_pages::Language;
use domain::access::sessions::Session;

use crate::{app::App, session::cookie};

/// Returns the member's language, or else the browser's chosen one, or else the first accepted one that we
/// have.
pub(super) fn language(request: &HttpRequest, by: Option<&Session>) -> Language {
    let headers = request.headers();
    let chosen = || cookie::of_name(headers, App::cookies_for(request).language()).and_then(Language::read);
    let accepted = || headers.get(ACCEPT_LANGUAGE).and_then(|value| Language::accepted(value.to_str().ok()?));
    by.and_then(|by| by.language).map(Language::from).or_else(chosen).or_else(accepted).unwrap_or_default()
}

/// Returns whether a script sent the request, according to `Sec-Fetch-Dest`.
pub(super) fn is_fetched(request: &HttpRequest) -> bool {
    request.headers().get("sec-fetch-dest").is_some_and(|destination| destination == "empty")
}
