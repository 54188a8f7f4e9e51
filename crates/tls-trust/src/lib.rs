//! Authorities that this process trusts when it opens a TLS connection: the operating system's and those of a
//! file.
//!
//! TLS is `rustls` with `ring`, named here so that nothing depends on a provider installed elsewhere.
//! Invariants: an unreadable file changes nothing; a reload applies from the next connection on, and ends
//! none.

mod file;
#[cfg(feature = "testing")]
pub mod testing;
mod untrusted;
mod verifier;

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use rustls::{
    ClientConfig, RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier},
    crypto::{CryptoProvider, ring},
    pki_types::CertificateDer,
};
use rustls_platform_verifier::Verifier;

pub use rustls;
pub use untrusted::{cause, untrusted};

/// Reason why there is no trusted authority. Contains no path: the caller knows which setting named the file.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read.
    #[error("the file cannot be read: {}", .0.kind())]
    Unreadable(#[source] io::Error),
    /// The file contains no certificate.
    #[error("the file holds no certificate in PEM form")]
    Empty,
    /// The file contains something else.
    #[error("the file holds what is no certificate")]
    NotCertificates,
    /// There is no authority to trust.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Source of the trusted authorities.
enum Origin {
    /// The system, and a file if given.
    System(Option<PathBuf>),
    /// A file alone.
    File(PathBuf),
    /// The system, and the program.
    Given(Vec<CertificateDer<'static>>),
}

/// The trusted authorities. Clones share them, so a reload reaches all holders.
#[derive(Clone)]
pub struct Trust(Arc<Inner>);

struct Inner {
    origin: Origin,
    provider: Arc<CryptoProvider>,
    known: RwLock<Authorities>,
}

/// Result of the last load.
#[derive(Clone)]
struct Authorities {
    /// Certificates beside the system's.
    named: Vec<CertificateDer<'static>>,
    /// Verifier, or the reason why there is none, as on a machine without authorities.
    verifier: Result<Arc<dyn ServerCertVerifier>, rustls::Error>,
}

/// Trusts the system's authorities alone.
impl Default for Trust {
    fn default() -> Self {
        Self::with(Vec::new())
    }
}

impl Trust {
    /// Trusts the system's authorities and those of a file in PEM form.
    pub fn beside_system(file: PathBuf) -> Result<Self, TrustError> {
        Self::from(Origin::System(Some(file)))
    }

    /// Trusts the authorities of a file in PEM form and nobody else.
    pub fn only(file: PathBuf) -> Result<Self, TrustError> {
        Self::from(Origin::File(file))
    }

    /// Trusts the system's authorities and these.
    pub fn with(certificates: Vec<CertificateDer<'static>>) -> Self {
        let provider = Arc::new(ring::default_provider());
        let known = Authorities::beside_system(certificates.clone(), &provider);
        Self(Arc::new(Inner { origin: Origin::Given(certificates), provider, known: RwLock::new(known) }))
    }

    fn from(origin: Origin) -> Result<Self, TrustError> {
        let provider = Arc::new(ring::default_provider());
        let known = RwLock::new(Authorities::read(&origin, &provider)?);
        Ok(Self(Arc::new(Inner { origin, provider, known })))
    }

    /// Loads the file's and the system's authorities again, for every connection from now on.
    ///
    /// # Errors
    /// If the file cannot be used. The earlier authorities stay trusted then.
    pub fn reload(&self) -> Result<(), TrustError> {
        let fresh = Authorities::read(&self.0.origin, &self.0.provider)?;
        *self.0.known.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// Returns the certificates that are trusted beside the system's, for libraries that take no
    /// [`ClientConfig`].
    pub fn named(&self) -> Vec<CertificateDer<'static>> {
        self.known().named
    }

    /// Returns a configuration for TLS 1.2 and 1.3 with peers whose certificate is for their name.
    ///
    /// # Errors
    /// If there is nobody to trust, as on a machine without authorities.
    pub fn client_config(&self) -> Result<ClientConfig, TrustError> {
        self.config(false)
    }

    /// Returns the same, accepting a certificate for any name.
    pub fn client_config_for_any_name(&self) -> Result<ClientConfig, TrustError> {
        self.config(true)
    }

    fn config(&self, any_name: bool) -> Result<ClientConfig, TrustError> {
        self.known().verifier?;
        let verifier = verifier::Current { trust: self.clone(), any_name };
        Ok(ClientConfig::builder_with_provider(Arc::clone(&self.0.provider))
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth())
    }

    fn known(&self) -> Authorities {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trust(…)")
    }
}

impl Authorities {
    fn read(origin: &Origin, provider: &Arc<CryptoProvider>) -> Result<Self, TrustError> {
        Ok(match origin {
            Origin::System(None) => Self::beside_system(Vec::new(), provider),
            Origin::System(Some(file)) => Self::beside_system(file::certificates(file)?, provider),
            Origin::Given(certificates) => Self::beside_system(certificates.clone(), provider),
            Origin::File(file) => Self::only(file::certificates(file)?, provider),
        })
    }

    fn beside_system(named: Vec<CertificateDer<'static>>, provider: &Arc<CryptoProvider>) -> Self {
        let verifier = Verifier::new_with_extra_roots(named.clone(), Arc::clone(provider));
        Self { named, verifier: verifier.map(|verifier| Arc::new(verifier) as _) }
    }

    fn only(named: Vec<CertificateDer<'static>>, provider: &Arc<CryptoProvider>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(named.iter().cloned());
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
        let verifier = verifier.map(|verifier| verifier as Arc<dyn ServerCertVerifier>);
        Self { named, verifier: verifier.map_err(|error| rustls::Error::General(error.to_string())) }
    }
}
