//! The certificate that the API is served with.

use std::{
    path::Path,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use anyhow::{Context, bail};
use rustls::{
    ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use x509_cert::{Certificate, der::Decode};

use crate::config::TlsConfig;

/// The certificate as it was last read. A connection keeps the one that it began with.
#[derive(Debug)]
pub struct ServedCertificate {
    files: TlsConfig,
    current: RwLock<Arc<CertifiedKey>>,
}

impl ServedCertificate {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// Names the file that cannot be read, or says that the two do not fit.
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

    /// Returns when the served certificate expires, since 1970; `None` where that cannot be read.
    pub fn not_after(&self) -> Option<Duration> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        let certificate = Certificate::from_der(current.cert.first()?).ok()?;
        Some(certificate.tbs_certificate.validity.not_after.to_unix_duration())
    }

    /// Returns a configuration of TLS 1.2 and 1.3, with ring; HTTP/1.1.
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
    let TlsConfig { certificate, key } = files;
    let about = |setting: &str, path: &Path| format!("{setting}: cannot read {}", path.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| about("MESSAGING_TLS_CERTIFICATE", certificate))?;
    if chain.is_empty() {
        bail!("MESSAGING_TLS_CERTIFICATE: {} holds no certificate in PEM form", certificate.display());
    }
    let private = PrivateKeyDer::from_pem_file(key).with_context(|| about("MESSAGING_TLS_KEY", key))?;
    let unusable = || {
        let (certificate, key) = (certificate.display(), key.display());
        format!(
            "MESSAGING_TLS_CERTIFICATE, MESSAGING_TLS_KEY: {certificate} and {key} cannot be used together"
        )
    };
    CertifiedKey::from_der(chain, private, &default_provider()).with_context(unusable)
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
        // The generator's own last day, 1 January 4096.
        assert_eq!(served.not_after().map(|end| end.as_secs()), Some(67_090_118_400));
        let other = write("other.pem", &other.signing_key.serialize_pem());
        let nothing = folder.path().join("nothing.pem");
        for (files, setting, words) in [
            (
                TlsConfig { key: other, ..fits.clone() },
                "MESSAGING_TLS_CERTIFICATE, MESSAGING_TLS_KEY",
                "other.pem",
            ),
            (TlsConfig { key: nothing.clone(), ..fits.clone() }, "MESSAGING_TLS_KEY", "nothing.pem"),
            (TlsConfig { certificate: nothing, ..fits.clone() }, "MESSAGING_TLS_CERTIFICATE", "nothing.pem"),
            (
                TlsConfig { certificate: fits.key.clone(), ..fits },
                "MESSAGING_TLS_CERTIFICATE",
                "key.pem holds no certificate",
            ),
        ] {
            let said = format!("{:#}", ServedCertificate::read(&files).unwrap_err());
            assert!(said.starts_with(&format!("{setting}: ")) && said.contains(words), "{said}");
        }

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
