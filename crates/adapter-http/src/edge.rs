//! Proxies and addresses between the clients and this process.

use std::net::IpAddr;

use actix_web::{HttpRequest, http::header::HeaderName};
use ipnet::IpNet;

use crate::session::Cookies;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Path from the clients to this process.
#[derive(Debug, Clone, Default)]
pub struct Edge {
    /// Proxies that are believed when they name the client of a request.
    pub trusted_proxies: Vec<IpNet>,
    /// Origin of the dashboard in browsers, such as `https://messages.example`; `None` for whatever host a
    /// request names.
    pub origin: Option<String>,
    /// Origin of the bucket that serves customers' files, such as `https://files.example`; `None` if this
    /// process serves them.
    pub files: Option<String>,
    /// Kind of cookies given to browsers.
    pub cookies: Cookies,
    /// Whether browsers always reach the service over TLS, and are told to.
    pub always_tls: bool,
}

impl Edge {
    /// Returns the client's address: the last one on the way that is no trusted proxy.
    pub(crate) fn client(&self, request: &HttpRequest) -> Option<IpAddr> {
        let peer = request.peer_addr()?.ip().to_canonical();
        let said = request.headers().get_all(X_FORWARDED_FOR).filter_map(|value| value.to_str().ok());
        let said: Vec<&str> = said.flat_map(|value| value.split(',')).collect();
        let mut client = peer;
        for hop in said.into_iter().rev() {
            if !self.trusts(client) {
                break;
            }
            // No proxy of ours writes anything but an address.
            let Some(before) = address(hop) else { break };
            client = before;
        }
        Some(client)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|range| range.contains(&address))
    }
}

/// Parses an address as proxies write it, some with a port.
fn address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let with_port = || hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let address = hop.parse::<IpAddr>().ok().or_else(with_port);
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::Edge;

    #[test]
    fn only_a_trusted_proxy_says_where_a_request_comes_from() {
        let trusted_proxies = vec!["10.0.0.0/8".parse().unwrap(), "2001:db8::/64".parse().unwrap()];
        let edge = Edge { trusted_proxies, ..Edge::default() };
        for (peer, said, wanted) in [
            ("192.0.2.1:5", vec![], "192.0.2.1"),
            ("192.0.2.1:5", vec!["198.51.100.7"], "192.0.2.1"),
            ("10.0.0.1:5", vec![], "10.0.0.1"),
            ("10.0.0.1:5", vec!["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1:5", vec!["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1:5", vec!["203.0.113.9", "198.51.100.7, 10.2.3.4"], "198.51.100.7"),
            ("10.0.0.1:5", vec!["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1:5", vec!["198.51.100.7, unknown"], "10.0.0.1"),
            ("[::ffff:10.0.0.1]:5", vec!["2001:db8::9, [2001:db8::7]:443"], "2001:db8::9"),
        ] {
            let mut request = TestRequest::get().peer_addr(peer.parse().unwrap());
            for value in &said {
                request = request.append_header(("x-forwarded-for", *value));
            }
            let client = edge.client(&request.to_http_request());
            assert_eq!(client, Some(wanted.parse().unwrap()), "{peer} {said:?}");
        }
    }
}
