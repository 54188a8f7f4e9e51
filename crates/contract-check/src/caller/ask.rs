//! A call to the system.

use guarded_http::{Method, Url};
use serde_json::Value;

/// Secret sent with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secret {
    Right,
    /// The right one with a letter more.
    Longer,
    Wrong,
    Missing,
}

#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) method: Method,
    path: Vec<String>,
    query: Vec<(&'static str, String)>,
    pub(crate) body: Option<Value>,
    pub(crate) secret: Secret,
    probe: bool,
}

impl Ask {
    pub(crate) fn new(method: Method, path: &[&str]) -> Self {
        let path = path.iter().map(|&segment| segment.to_owned()).collect();
        Self { method, path, query: Vec::new(), body: None, secret: Secret::Right, probe: false }
    }

    pub(crate) fn get(path: &[&str]) -> Self {
        Self::new(Method::GET, path)
    }

    pub(crate) fn post(path: &[&str], body: Value) -> Self {
        Self { body: Some(body), ..Self::new(Method::POST, path) }
    }

    pub(crate) fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    /// Turns the call into a probe, with `secret` or to an unknown route; no body is expected of its answer.
    pub(crate) fn probe(mut self, secret: Secret) -> Self {
        self.secret = secret;
        self.probe = true;
        self
    }

    pub(crate) fn is_probe(&self) -> bool {
        self.probe
    }

    /// Returns whether redirects are followed. Not in a probe with the right secret, which asks whether a
    /// route exists; in the others the route that answers shows whom a secret opens.
    pub(crate) fn is_followed(&self) -> bool {
        !self.probe || self.secret != Secret::Right
    }

    /// Returns the idempotency key; `None` unless the call is a creation.
    pub(crate) fn key(&self) -> Option<&str> {
        self.body.as_ref()?.get("idempotencyKey")?.as_str()
    }

    pub(crate) fn is_creation(&self) -> bool {
        self.key().is_some()
    }

    /// Returns whether success may have no body, as that of a cancellation.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.path.last().is_some_and(|last| last == "cancel")
    }

    pub(crate) fn url(&self, base: &Url) -> Url {
        let mut url = base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&self.path);
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }

    /// Describes the call for people: without the secret, phones masked, a body omitted.
    pub(crate) fn shown(&self) -> String {
        let query: Vec<String> = self
            .query
            .iter()
            .map(|(name, value)| format!("{name}={}", if *name == "phone" { "+…" } else { value }))
            .collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let secret = match self.secret {
            Secret::Right => "",
            Secret::Longer => " (the secret and a letter more)",
            Secret::Wrong => " (a wrong secret)",
            Secret::Missing => " (no secret)",
        };
        format!("{} /{}{query}{secret}", self.method, self.path.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_keeps_its_path_and_a_reference_is_one_segment() {
        for (base, expected) in [
            ("https://shop.example", "https://shop.example/orders/a%2F%23b%3F"),
            ("https://shop.example/api/", "https://shop.example/api/orders/a%2F%23b%3F"),
            ("https://shop.example/api/v2", "https://shop.example/api/v2/orders/a%2F%23b%3F"),
        ] {
            let ask = Ask::get(&["orders", "a/#b?"]);
            assert_eq!(ask.url(&Url::parse(base).unwrap()).as_str(), expected);
        }
    }

    #[test]
    fn what_is_shown_holds_no_phone() {
        let ask = Ask::get(&["customers", "lookup"]).query("phone", "+9647701234567");
        assert_eq!(ask.shown(), "GET /customers/lookup?phone=+…");
        assert!(
            ask.url(&Url::parse("https://shop.example").unwrap())
                .as_str()
                .ends_with("?phone=%2B9647701234567")
        );
    }
}
