//! Files that people sent, read from the hosts that hold them.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use reqwest::{Method, Response, StatusCode};
use secrecy::SecretString;
use tls_trust::untrusted;
use url::{Host, Url};

use crate::client::{GraphClient, bearer, is_loopback_http};

/// Hosts that hold files, with everything below them. Tokens go nowhere else (docs/run/networks.md, "Files
/// that people send").
const HOSTS: [&str; 4] = ["fbsbx.com", "fbcdn.net", "whatsapp.net", "cdninstagram.com"];
/// Time limit of a whole file; the largest has 100 MB.
const WHOLE: Duration = Duration::from_mins(5);
/// `User-Agent`, without which the hosts may refuse a call.
const CALLER: &str = "Mozilla/5.0 (compatible; messaging-service)";

/// Reason why a file could not be read. The text names no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The address is not one where the network keeps files.
    #[error("the address is not one of the network's")]
    Elsewhere,
    /// The file is absent, gone, or denied to us; with the HTTP status.
    #[error("the file is not there (any more): HTTP status {0}")]
    Gone(u16),
    /// The file may be available later.
    #[error("the file cannot be had: {0}")]
    Unavailable(String),
}

/// A file whose answer has begun.
#[derive(Debug)]
pub struct OpenFile {
    /// Type declared by the host.
    pub content_type: Option<String>,
    answer: Response,
}

impl OpenFile {
    /// Returns the next bytes; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FileError> {
        let broken = |_| FileError::Unavailable("the connection broke before the end".to_owned());
        self.answer.chunk().await.map_err(broken)
    }
}

impl GraphClient {
    /// Opens the file at `address`, with a token if its host asks for one. Redirects are not followed.
    pub async fn open_file(
        &self,
        address: &str,
        token: Option<&SecretString>,
    ) -> Result<OpenFile, FileError> {
        let url = Url::parse(address).map_err(|_| FileError::Elsewhere)?;
        if !self.holds_files(&url) {
            return Err(FileError::Elsewhere);
        }
        let mut request = self.http().request(Method::GET, url).timeout(WHOLE).header(USER_AGENT, CALLER);
        if let Some(token) = token {
            let bearer = bearer(token).map_err(|_| FileError::Unavailable("no such token".to_owned()))?;
            request = request.header(AUTHORIZATION, bearer);
        }
        let answer = self.http().send(request).await.map_err(|error| unreachable(&error))?;
        let status = answer.status();
        if status == StatusCode::OK {
            let content_type = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
            return Ok(OpenFile { content_type: content_type.map(str::to_owned), answer });
        }
        let passing = status.is_server_error()
            || [StatusCode::UNAUTHORIZED, StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS]
                .contains(&status);
        if passing {
            Err(FileError::Unavailable(format!("HTTP status {}", status.as_u16())))
        } else {
            Err(FileError::Gone(status.as_u16()))
        }
    }

    /// Returns whether a browser may load a picture from `address`: from any host over `https`; without it
    /// only from a stand-in on loopback.
    pub fn may_be_shown(&self, address: &str) -> bool {
        let Ok(url) = Url::parse(address) else { return false };
        url.scheme() == "https" || is_loopback_http(self.base_url()) && self.holds_files(&url)
    }

    /// Returns whether `url` is `https` on one of [`HOSTS`]; a stand-in on loopback holds its own files.
    fn holds_files(&self, url: &Url) -> bool {
        let base = self.base_url();
        if is_loopback_http(base) {
            return url.origin() == base.origin();
        }
        let Some(Host::Domain(host)) = url.host() else { return false };
        let below = |parent: &str| {
            host.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        url.scheme() == "https" && url.port().is_none() && HOSTS.iter().any(|parent| below(parent))
    }
}

fn unreachable(error: &bounded_http::Error) -> FileError {
    FileError::Unavailable(match untrusted(error) {
        Some(wrong) => format!("the certificate of its host is not trusted: {wrong}"),
        None => "no answer".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Config;
    use crate::codes::Surface;
    use crate::retry::RetryPolicy;

    fn client(base_url: &str) -> GraphClient {
        GraphClient::new(Config {
            base_url: base_url.parse().unwrap(),
            version: "v25.0".to_owned(),
            app_secret: None,
            surface: Surface::WhatsApp,
            timeout: Duration::from_secs(1),
            retry: RetryPolicy::default(),
        })
        .unwrap()
    }

    #[test]
    fn only_the_networks_own_hosts_are_asked() {
        let real = client("https://graph.facebook.com");
        for (address, holds) in [
            ("https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", true),
            ("https://scontent-fra5-1.xx.fbcdn.net/v/t1", true),
            ("https://mmg.whatsapp.net/v", true),
            ("https://scontent.cdninstagram.com/v", true),
            ("http://lookaside.fbsbx.com/x", false),
            ("https://lookaside.fbsbx.com:8443/x", false),
            ("https://evilfbsbx.com/x", false),
            ("https://fbsbx.com.evil.example/x", false),
            ("https://user@evil.example/lookaside.fbsbx.com", false),
            ("https://127.0.0.1/x", false),
            ("http://169.254.169.254/latest/meta-data", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(real.holds_files(&address.parse().unwrap()), holds, "{address}");
        }
        let stand_in = client("http://127.0.0.1:8440");
        assert!(stand_in.holds_files(&"http://127.0.0.1:8440/cdn/1".parse().unwrap()));
        for other in
            ["http://127.0.0.1:8441/cdn/1", "http://localhost:8440/cdn/1", "https://lookaside.fbsbx.com/x"]
        {
            assert!(!stand_in.holds_files(&other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn a_picture_is_shown_over_https_or_from_the_stand_in() {
        let (real, stand_in) = (client("https://graph.facebook.com"), client("http://127.0.0.1:8440"));
        for (address, by_real, by_stand_in) in [
            ("https://platform-lookaside.fbsbx.com/p", true, true),
            ("https://pictures.example/p", true, true),
            ("http://127.0.0.1:8440/cdn/portrait-1", false, true),
            ("http://127.0.0.1:8441/cdn/portrait-1", false, false),
            ("http://platform-lookaside.fbsbx.com/p", false, false),
            ("javascript:alert(1)", false, false),
            ("data:image/png;base64,", false, false),
            ("picture", false, false),
        ] {
            assert_eq!(
                (real.may_be_shown(address), stand_in.may_be_shown(address)),
                (by_real, by_stand_in),
                "{address}"
            );
        }
    }
}
