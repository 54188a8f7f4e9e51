//! The certificate that the API is served with.

use std::path::Path;

use anyhow::Context;
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use crate::config::TlsConfig;

/// Reads certificate and key. TLS 1.2 and 1.3, with ring; HTTP/1.1.
///
/// # Errors
/// The file that cannot be read, or that the two do not fit.
pub fn read(config: &TlsConfig) -> anyhow::Result<ServerConfig> {
    let about = |path: &Path| format!("cannot read {}", path.display());
    let chain = CertificateDer::pem_file_iter(&config.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| about(&config.certificate))?;
    let key = PrivateKeyDer::from_pem_file(&config.key).with_context(|| about(&config.key))?;
    let server = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("the certificate and its key cannot be used")?;
    Ok(server)
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::config::TlsConfig;

    #[test]
    fn a_certificate_is_read_with_its_key_and_with_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let [one, other] = ["a.example", "b.example"]
            .map(|name| rcgen::generate_simple_self_signed([name.to_owned()]).unwrap());
        let certificate = write("certificate.pem", &one.cert.pem());
        let fits = TlsConfig { certificate, key: write("key.pem", &one.signing_key.serialize_pem()) };
        assert!(read(&fits).is_ok());
        let other = TlsConfig { key: write("other.pem", &other.signing_key.serialize_pem()), ..fits.clone() };
        assert!(read(&other).is_err());
        let missing = TlsConfig { key: folder.path().join("nothing.pem"), ..fits };
        let said = format!("{:#}", read(&missing).unwrap_err());
        assert!(said.contains("nothing.pem"), "{said}");
    }
}
