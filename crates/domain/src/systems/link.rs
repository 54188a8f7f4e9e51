//! Addresses that a system gives for customers to open or to see.

use std::fmt;

use url::{Host, Url};

/// Characters of the longest address, as the networks take it.
const LONGEST: usize = 2_000;

/// An address that a customer may be given: `https` or `http` on a host with a public name. It may hold what belongs to
/// one customer, so `Debug` shows the host alone.
#[derive(Clone, PartialEq, Eq)]
pub struct WebLink(Url);

/// The address of a photo that may be sent: as a [`WebLink`], by `https`.
#[derive(Clone, PartialEq, Eq)]
pub struct PhotoUrl(WebLink);

impl WebLink {
    /// `None` for anything else. A host written as a number has no public name.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim();
        if written.chars().nth(LONGEST).is_some() {
            return None;
        }
        let url = Url::parse(written).ok()?;
        let plain = matches!(url.scheme(), "https" | "http")
            && url.username().is_empty()
            && url.password().is_none()
            && url.port() != Some(0)
            && url.as_str().len() <= LONGEST;
        let named = matches!(url.host(), Some(Host::Domain(name)) if looks_public(name));
        (plain && named).then_some(Self(url))
    }

    /// The address in ASCII, whatever letters it was written in.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PhotoUrl {
    /// `None` for anything that is not fetched by `https` from a host with a public name.
    pub fn parse(written: &str) -> Option<Self> {
        WebLink::parse(written).filter(|link| link.0.scheme() == "https").map(Self)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Whether a name can be one of the public internet: it has a dot, and does not end as names do that are kept for local
/// use (RFC 6761, RFC 6762, RFC 8375, and what ICANN reserved).
fn looks_public(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let top = name.rsplit('.').next().unwrap_or(name);
    let local =
        ["localhost", "local", "internal", "localdomain", "lan", "home", "corp", "test", "invalid", "onion"];
    name.contains('.') && !local.contains(&top) && name != "home.arpa" && !name.ends_with(".home.arpa")
}

impl fmt::Debug for WebLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WebLink").field(&self.0.host_str().unwrap_or_default()).finish()
    }
}

impl fmt::Debug for PhotoUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PhotoUrl").field(&self.0.0.host_str().unwrap_or_default()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{PhotoUrl, WebLink};

    #[test]
    fn photos_come_by_https_from_hosts_with_public_names() {
        for (written, photo) in [
            ("https://cdn.shop.example/a%20b.jpg?v=1", true),
            ("https://متجر.example/حليب.jpg", true),
            ("https://cdn.shop.example:8443/a.jpg", true),
            ("http://cdn.shop.example/a.jpg", false),
            ("https://localhost/a.jpg", false),
            ("https://nas/a.jpg", false),
            ("https://nas.local/a.jpg", false),
            ("https://metadata.google.internal/", false),
            ("https://127.0.0.1/a.jpg", false),
            ("https://2130706433/a.jpg", false),
            ("https://8.8.8.8/a.jpg", false),
            ("https://[2606:4700::1]/a.jpg", false),
            ("https://user@cdn.shop.example/a.jpg", false),
            ("//cdn.shop.example/a.jpg", false),
            ("/a.jpg", false),
            ("data:image/png;base64,AA==", false),
            ("javascript:alert(1)", false),
            ("", false),
        ] {
            assert_eq!(PhotoUrl::parse(written).is_some(), photo, "{written}");
        }
        assert!(PhotoUrl::parse(&format!("https://a.example/{}", "x".repeat(2_000))).is_none());
    }

    #[test]
    fn a_link_may_be_plain_http() {
        assert!(WebLink::parse("http://shop.example/p/1").is_some());
        assert!(WebLink::parse("http://192.168.0.1/p/1").is_none());
    }

    proptest! {
        #[test]
        fn whatever_was_written_a_link_is_ascii(path in "\\PC{0,20}") {
            if let Some(link) = WebLink::parse(&format!("https://shop.example/{path}")) {
                prop_assert!(link.as_str().is_ascii() && link.as_str().starts_with("https://shop.example"));
            }
        }
    }
}
