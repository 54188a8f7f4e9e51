//! Paths of our pages.

use std::{fmt::Display, iter::successors};

use actix_web::{HttpRequest, dev::ResourceDef};
use url::form_urlencoded;

/// Path of the search for messages, above their histories.
pub(super) const MESSAGES: &str = "/dashboard/settings/messages";

/// A page.
pub(super) struct Place {
    path: ResourceDef,
    /// Whether it can be shown, or only accepts forms.
    is_shown: bool,
}

impl Place {
    /// Creates a page at a path under the dashboard.
    pub(super) fn new(path: &str, is_shown: bool) -> Self {
        Self { path: ResourceDef::new(format!("/dashboard{path}")), is_shown }
    }
}

/// Source of all pages, as data of the server.
#[derive(Clone, Copy)]
pub(super) struct Places(pub(super) fn() -> &'static [Place]);

/// Returns the path itself, or the nearest above it, that can be shown: paths that only accept forms cannot
/// be returned to.
pub(super) fn nearest<'a>(request: &HttpRequest, path: &'a str) -> Option<&'a str> {
    let Places(places) = request.app_data::<Places>()?;
    nearest_of(places(), path)
}

pub(super) fn nearest_of<'a>(places: &[Place], path: &'a str) -> Option<&'a str> {
    // The first match counts, as for a request.
    let is_shown = |path: &str| {
        places.iter().find(|place| place.path.is_match(path)).is_some_and(|place| place.is_shown)
    };
    successors(Some(path), |&path| path.rsplit_once('/').map(|(above, _)| above)).find(|&path| is_shown(path))
}

/// Returns the path if it is one of our pages, or else the dashboard's: no link leads through us to another
/// site.
pub(super) fn local(path: &str) -> &str {
    let begins = path.strip_prefix("/dashboard").map(|rest| rest.chars().next());
    let ours = matches!(begins, Some(None | Some('/' | '?')));
    let plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if ours && plain { path } else { "/dashboard" }
}

/// Returns the path of the sign-in page that leads back to `path`.
pub(super) fn sign_in(path: &str) -> String {
    let next: String = form_urlencoded::byte_serialize(path.as_bytes()).collect();
    format!("/dashboard/sign-in?next={next}")
}

/// Returns the path of a message's history.
pub(super) fn explained(id: impl Display) -> String {
    format!("{MESSAGES}/{id}")
}

#[cfg(test)]
mod tests {
    use super::local;

    #[test]
    fn only_pages_of_ours_are_gone_to() {
        for path in ["/dashboard", "/dashboard/inbox?view=mine&search=%D8%B3", "/dashboard?a"] {
            assert_eq!(local(path), path);
        }
        for path in [
            "",
            "//evil.example",
            "/dashboard.evil.example",
            "https://evil.example",
            "/dashboard/\\e",
            "/v1/me",
            "/dashboard/\r\na",
        ] {
            assert_eq!(local(path), "/dashboard", "{path}");
        }
    }
}
