//! TLS with the network.

use std::sync::Arc;

use tls_trust::{
    Trust, TrustError,
    rustls::{ClientConfig, RootCertStore, crypto::ring},
};

/// Trusts the operating system's authorities alone, whomever else this process trusts; nobody at all where the base
/// address is plain `http`, so that a stand-in on loopback needs no certificates on the machine.
pub(crate) fn client_config(is_https: bool) -> Result<ClientConfig, TrustError> {
    let mut config = if is_https {
        Trust::default().client_config()?
    } else {
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth()
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
