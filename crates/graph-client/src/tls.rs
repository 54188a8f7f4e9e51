//! TLS with the network.

use bounded_http::Options;
use tls_trust::{Trust, TrustError};

/// Returns options that trust the operating system's authorities alone, whichever others this process trusts;
/// nobody if the base address is plain `http`, so that a stand-in on loopback needs no certificates on the
/// machine.
pub(crate) fn options(is_https: bool) -> Result<Options, TrustError> {
    if !is_https {
        return Ok(Options::without_tls()?);
    }
    let mut tls = Trust::default().client_config()?;
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Options::new(tls))
}
