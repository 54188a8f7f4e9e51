//! TLS by `rustls` with `ring`, named here so that nothing depends on a provider installed elsewhere.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Trusts the operating system's roots; nothing at all where the base address is plain `http`, so that a
/// stand-in on loopback needs no certificates on the machine.
pub(crate) fn client_config(is_https: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let mut config = if is_https {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::new(provider)?))
            .with_no_client_auth()
    } else {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
