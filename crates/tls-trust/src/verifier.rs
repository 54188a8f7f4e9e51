//! Verification of a server's certificate by the authorities trusted at the moment.

use rustls::{
    CertificateError, DigitallySignedStruct, Error, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};

use crate::{Origin, Trust};

#[derive(Debug)]
pub(crate) struct Current {
    pub(crate) trust: Trust,
    pub(crate) any_name: bool,
}

impl Current {
    /// Returns whether a certificate that is only for another name is accepted. Where the operating system
    /// itself verifies, it does not say whether the name is the only fault.
    fn takes_any_name(&self) -> bool {
        let judges_names_last = matches!(self.trust.0.origin, Origin::File(_))
            || cfg!(all(unix, not(target_vendor = "apple"), not(target_os = "android")));
        self.any_name && judges_names_last
    }
}

impl ServerCertVerifier for Current {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let verifier = self.trust.known().verifier?;
        match verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
                if self.takes_any_name() =>
            {
                Ok(ServerCertVerified::assertion())
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.trust.0.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.trust.0.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.trust.0.provider.signature_verification_algorithms.supported_schemes()
    }
}
