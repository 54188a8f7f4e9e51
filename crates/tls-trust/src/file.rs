//! Parsing of a file of certificates.

use std::path::Path;

use rustls::{
    RootCertStore,
    pki_types::{
        CertificateDer,
        pem::{Error, PemObject},
    },
};

use crate::TrustError;

/// Parses the certificates of a file in PEM form and checks that each is usable.
pub(crate) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TrustError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = read.map_err(|error| match error {
        Error::Io(error) => TrustError::Unreadable(error),
        _ => TrustError::NotCertificates,
    })?;
    if certificates.is_empty() {
        return Err(TrustError::Empty);
    }
    let mut roots = RootCertStore::empty();
    for certificate in &certificates {
        roots.add(certificate.clone()).map_err(|_| TrustError::NotCertificates)?;
    }
    Ok(certificates)
}
