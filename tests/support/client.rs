//! Clients of what listens on this machine.

use std::sync::LazyLock;

use reqwest::ClientBuilder;
use rustls::{ClientConfig, RootCertStore};

/// Trusts nobody. Reading the system's authorities takes longer than most answers.
static TLS: LazyLock<ClientConfig> = LazyLock::new(|| {
    // Fails only where a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    ClientConfig::builder().with_root_certificates(RootCertStore::empty()).with_no_client_auth()
});

/// Begins a client of plain addresses on this machine.
pub(crate) fn local_client() -> ClientBuilder {
    reqwest::Client::builder().no_proxy().tls_backend_preconfigured(TLS.clone())
}
