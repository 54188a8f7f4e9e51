//! Descriptions of what is wrong with a certificate.

use std::{error::Error, io};

use rustls::CertificateError;

/// Describes what is wrong with the peer's certificate; `None` for errors of another kind. The text names
/// nothing of the certificate, so it may be shown and logged.
pub fn untrusted(error: &(dyn Error + 'static)) -> Option<&'static str> {
    match cause::<rustls::Error>(error)? {
        rustls::Error::InvalidCertificate(wrong) => Some(words(wrong)),
        _ => None,
    }
}

fn words(wrong: &CertificateError) -> &'static str {
    use CertificateError as Wrong;
    match wrong {
        Wrong::UnknownIssuer => "it is signed by no authority that is trusted here",
        Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => "it is for another name",
        Wrong::Expired | Wrong::ExpiredContext { .. } => "it has expired",
        Wrong::NotValidYet | Wrong::NotValidYetContext { .. } => "it is not valid yet",
        Wrong::Revoked => "it was revoked",
        Wrong::InvalidPurpose | Wrong::InvalidPurposeContext { .. } => "it is not for servers",
        Wrong::BadEncoding => "it cannot be read",
        _ => "it is not valid",
    }
}

/// Finds the first `E` among the causes of `error`. An `io::Error` made from another error leaves that one
/// out of its `source`, so it is looked into.
pub fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}
