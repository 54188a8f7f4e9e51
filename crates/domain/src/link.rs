//! URLs that a system gives for customers to open or to see.

use std::{fmt, net::Ipv4Addr};

use url::{Host, Url};

/// Most characters of a URL that the networks take.
const LONGEST: usize = 2_000;
/// Top-level names reserved for local use (RFC 6761, RFC 6762, RFC 8375, and by ICANN).
const LOCAL: [&str; 10] =
    ["localhost", "local", "internal", "localdomain", "lan", "home", "corp", "test", "invalid", "onion"];

/// A URL that a customer may be given: `https` or `http` on a host with a public name. `Debug` shows the host
/// alone, because the rest may belong to one customer.
#[derive(Clone, PartialEq, Eq)]
pub struct WebLink(String);

/// URL of a photo that may be sent: a [`WebLink`] by `https`.
#[derive(Clone, PartialEq, Eq)]
pub struct PhotoUrl(WebLink);

impl WebLink {
    /// Parses a URL; `None` if it is no link for customers. A host written as a number has no public name.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim();
        if is_canonical(written) {
            return Some(Self(written.to_owned()));
        }
        Self::parse_any(written)
    }

    fn parse_any(written: &str) -> Option<Self> {
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
        (plain && named).then(|| Self(url.into()))
    }

    /// Returns the URL in ASCII, whatever letters it was written in.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn host(&self) -> &str {
        let after = self.0.split_once("://").map_or("", |(_, rest)| rest);
        after.split(['/', ':', '?', '#']).next().unwrap_or_default()
    }
}

impl PhotoUrl {
    /// Parses a URL; `None` unless it is `https` on a host with a public name.
    pub fn parse(written: &str) -> Option<Self> {
        WebLink::parse(written).filter(|link| link.0.starts_with("https:")).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Returns whether a cheap look suffices to tell that a URL parser would return the text letter for letter
/// and that the host has a public name: a plain name, a path with nothing to resolve or encode, perhaps a
/// query. Anything else is parsed.
fn is_canonical(written: &str) -> bool {
    let after = written.strip_prefix("https://").or_else(|| written.strip_prefix("http://"));
    let Some(after) = after.filter(|_| written.len() <= LONGEST) else { return false };
    // Looks at each byte with the one before it: no empty label and no `--` in the host, no `/.` in the path.
    let (mut before, mut top) = (b'.', 0);
    let mut bytes = after.bytes();
    let host = loop {
        let Some(byte) = bytes.next() else { return false };
        match (before, byte) {
            (b'.', b'.' | b'/') | (b'-', b'-') => return false,
            (_, b'/') => break after.len() - bytes.len() - 1,
            (_, b'.') => (before, top) = (byte, after.len() - bytes.len()),
            (_, b'a'..=b'z' | b'0'..=b'9' | b'-') => before = byte,
            _ => return false,
        }
    };
    before = b'/';
    let plain = bytes.all(|byte| {
        let hidden = before == b'/' && byte == b'.';
        before = byte;
        !hidden
            && (byte.is_ascii_alphanumeric()
                || matches!(byte, b'/' | b'.' | b'-' | b'_' | b'?' | b'=' | b'&'))
    });
    let top = after.get(top..host).filter(|_| top > 0).unwrap_or_default();
    plain
        && top.starts_with(|first: char| first.is_ascii_lowercase())
        && top != "arpa"
        && !LOCAL.contains(&top)
}

/// Returns whether a name can be public: it has a dot and does not end in a name reserved for local use.
fn looks_public(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let top = name.rsplit('.').next().unwrap_or(name);
    name.contains('.') && !LOCAL.contains(&top) && name != "home.arpa" && !name.ends_with(".home.arpa")
}

/// Returns whether the URL's host can be public, judged without a look-up: by its name or its IP address.
pub(crate) fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => looks_public(name),
        Some(Host::Ipv4(address)) => is_public_v4(address),
        Some(Host::Ipv6(address)) => match address.to_ipv4() {
            Some(address) => is_public_v4(address),
            // All unicast addresses assigned on the internet are within 2000::/3.
            None => address.segments().first().is_some_and(|first| first & 0xe000 == 0x2000),
        },
        None => false,
    }
}

const fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    let is_shared = first == 100 && second & 0xc0 == 64;
    !(first == 0 || first >= 224 || is_shared)
        && !(address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_documentation())
}

impl fmt::Debug for WebLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WebLink").field(&self.host()).finish()
    }
}

impl fmt::Debug for PhotoUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PhotoUrl").field(&self.0.host()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::{PhotoUrl, WebLink, is_canonical};

    #[test]
    fn a_host_is_public_by_its_name_or_its_number() {
        for (link, public) in [
            ("https://cdn.shop.example/a.jpg", true),
            ("https://متجر.example/a.jpg", true),
            ("https://93.184.215.14/a.jpg", true),
            ("https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/a.jpg", true),
            ("https://localhost/a.jpg", false),
            ("https://LOCALHOST./a.jpg", false),
            ("https://printer/a.jpg", false),
            ("https://files.shop.local/a.jpg", false),
            ("https://db.internal/a.jpg", false),
            ("https://127.0.0.1/a.jpg", false),
            ("https://2130706433/a.jpg", false),
            ("https://0.0.0.0/a.jpg", false),
            ("https://10.1.2.3/a.jpg", false),
            ("https://172.16.0.1/a.jpg", false),
            ("https://192.168.1.1/a.jpg", false),
            ("https://169.254.169.254/a.jpg", false),
            ("https://100.64.0.1/a.jpg", false),
            ("https://224.0.0.1/a.jpg", false),
            ("https://[::1]/a.jpg", false),
            ("https://[::ffff:10.0.0.1]/a.jpg", false),
            ("https://[fd00::1]/a.jpg", false),
            ("https://[fe80::1]/a.jpg", false),
        ] {
            assert_eq!(super::is_public(&Url::parse(link).unwrap()), public, "{link}");
        }
    }

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

    #[test]
    fn what_is_printed_of_a_link_is_its_host() {
        for written in
            ["https://shop.example/p/77", "https://shop.example:8443/77", "http://SHOP.example?order=77"]
        {
            assert_eq!(format!("{:?}", WebLink::parse(written).unwrap()), r#"WebLink("shop.example")"#);
        }
        let photo = PhotoUrl::parse("https://cdn.example#77").unwrap();
        assert_eq!(format!("{photo:?}"), r#"PhotoUrl("cdn.example")"#);
    }

    proptest! {
        #[test]
        fn what_is_taken_as_it_stands_is_what_a_parser_gives_back(
            scheme in "https?",
            host in "[a-z0-9.-]{1,12}|(xn--)?[a-z0-9]{1,4}\\.(com|local|0x1|1|x1|test|home\\.arpa)|[A-Za-z0-9.@:%é-]{0,8}",
            path in "[a-zA-Z0-9/._?=&-]{0,12}|[a-z/.%#\\\\ ~+é]{0,8}",
        ) {
            let written = format!("{scheme}://{host}/{path}");
            let parsed = WebLink::parse_any(written.trim());
            if is_canonical(&written) {
                prop_assert_eq!(parsed.as_ref().map(WebLink::as_str), Some(written.as_str()));
            }
            prop_assert_eq!(WebLink::parse(&written), parsed);
        }

        #[test]
        fn whatever_was_written_a_link_is_ascii(path in "\\PC{0,20}") {
            if let Some(link) = WebLink::parse(&format!("https://shop.example/{path}")) {
                prop_assert!(link.as_str().is_ascii() && link.as_str().starts_with("https://shop.example"));
            }
        }
    }
}
