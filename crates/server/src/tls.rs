//! The certificate that the API is served with.

use std::{
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use anyhow::Context;
use rustls::{
    ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

use crate::config::TlsConfig;

/// The certificate as it was read last. Connections keep the one that they were begun with.
#[derive(Debug)]
pub struct ServedCertificate {
    files: TlsConfig,
    current: RwLock<Arc<CertifiedKey>>,
}

impl ServedCertificate {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// The file that cannot be read, or that the two do not fit.
    pub fn read(files: &TlsConfig) -> anyhow::Result<Arc<Self>> {
        let current = RwLock::new(Arc::new(certified(files)?));
        Ok(Arc::new(Self { files: files.clone(), current }))
    }

    /// Reads them again, for every connection from now on.
    ///
    /// # Errors
    /// As [`ServedCertificate::read`]; the certificate that was read before goes on to be served.
    pub fn reload(&self) -> anyhow::Result<()> {
        let fresh = Arc::new(certified(&self.files)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// TLS 1.2 and 1.3, with ring; HTTP/1.1.
    ///
    /// # Errors
    /// When the library refuses.
    pub fn config(self: &Arc<Self>) -> anyhow::Result<ServerConfig> {
        Ok(ServerConfig::builder_with_provider(default_provider().into())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as _))
    }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn certified(files: &TlsConfig) -> anyhow::Result<CertifiedKey> {
    let about = |path: &Path| format!("cannot read {}", path.display());
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| about(&files.certificate))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).with_context(|| about(&files.key))?;
    CertifiedKey::from_der(chain, key, &default_provider())
        .context("the certificate and its key cannot be used")
}

#[cfg(test)]
mod tests {
    use super::ServedCertificate;
    use crate::config::TlsConfig;

    #[test]
    fn a_certificate_is_read_with_its_key_and_with_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let [one, two, other] = ["a.example", "a.example", "b.example"]
            .map(|name| rcgen::generate_simple_self_signed([name.to_owned()]).unwrap());
        let certificate = write("certificate.pem", &one.cert.pem());
        let fits = TlsConfig { certificate, key: write("key.pem", &one.signing_key.serialize_pem()) };
        let served = ServedCertificate::read(&fits).unwrap();
        assert!(served.config().is_ok());
        let other = TlsConfig { key: write("other.pem", &other.signing_key.serialize_pem()), ..fits.clone() };
        assert!(ServedCertificate::read(&other).is_err());
        let missing = TlsConfig { key: folder.path().join("nothing.pem"), ..fits };
        let said = format!("{:#}", ServedCertificate::read(&missing).unwrap_err());
        assert!(said.contains("nothing.pem"), "{said}");

        // Read again, the two must fit again; until they do, the former pair is served.
        let before = served.current.read().unwrap().cert.clone();
        write("certificate.pem", &two.cert.pem());
        assert!(served.reload().is_err());
        assert_eq!(served.current.read().unwrap().cert, before);
        write("key.pem", &two.signing_key.serialize_pem());
        served.reload().unwrap();
        assert_eq!(served.current.read().unwrap().cert, [two.cert.der().clone()]);
    }
}
