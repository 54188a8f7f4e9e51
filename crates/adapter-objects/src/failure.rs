//! Reasons why a file store failed, as far as an operator can act on them.

use std::{
    error::Error as StdError,
    io::{self, ErrorKind},
};

use object_store::{
    Error,
    client::{HttpError, HttpErrorKind},
};
use tls_trust::untrusted;

/// Reason why a file store failed. Its text contains no path, no address and no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StoreFailure {
    /// The bucket's service knows no such bucket.
    #[error("the bucket is not there")]
    NoBucket,
    /// The keys, or the rights of the process, do not allow it.
    #[error("access is denied")]
    Denied,
    /// The bucket is in another region.
    #[error("the bucket is in another region")]
    OtherRegion,
    /// Something that is no folder is in the folder's place.
    #[error("the folder is no folder")]
    NoFolder,
    /// No connection can be made.
    #[error("it is down: no connection to it comes about")]
    Down,
    /// The certificate of the bucket's service is not trusted, for this reason.
    #[error("its certificate is not trusted: {0}")]
    Untrusted(&'static str),
    /// No answer in time.
    #[error("it is silent: it did not answer in time")]
    Silent,
    /// The connection broke.
    #[error("the connection to it broke")]
    Cut,
    /// The disk is full.
    #[error("it is full")]
    Full,
    /// Nothing may be written.
    #[error("it is read-only")]
    ReadOnly,
    /// The store's own failure.
    #[error("it failed")]
    Failed,
}

impl StoreFailure {
    /// Returns whether it stays so until somebody changes a setting or a right.
    pub const fn is_misconfigured(self) -> bool {
        matches!(
            self,
            Self::NoBucket
                | Self::Denied
                | Self::OtherRegion
                | Self::NoFolder
                | Self::ReadOnly
                | Self::Untrusted(_)
        )
    }

    /// Classifies a failure of the store's library; `None` if only the file does not exist.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        if matches!(error, Error::PermissionDenied { .. } | Error::Unauthenticated { .. }) {
            return Some(Self::Denied);
        }
        if let Some(wrong) = untrusted(error) {
            return Some(Self::Untrusted(wrong));
        }
        let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<HttpError>() {
                return Some(Self::of_http(error.kind()));
            }
            if let Some(known) = error.downcast_ref::<io::Error>().and_then(|error| of_kind(error.kind())) {
                return Some(known);
            }
            cause = error.source();
        }
        // The library keeps the service's answer in its text alone; these are codes of S3's, and its own word
        // for an answer that leads to another region.
        let said = error.to_string();
        if said.contains("NoSuchBucket") {
            Some(Self::NoBucket)
        } else if ["PermanentRedirect", "AuthorizationHeaderMalformed", "redirect without LOCATION"]
            .iter()
            .any(|code| said.contains(code))
        {
            Some(Self::OtherRegion)
        } else {
            (!matches!(error, Error::NotFound { .. })).then_some(Self::Failed)
        }
    }

    /// Classifies a writer's failure, which contains the library's error.
    pub(crate) fn of_writer(error: &io::Error) -> Self {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
        inner.map_or_else(|| of_kind(error.kind()), Self::of).unwrap_or(Self::Failed)
    }

    const fn of_http(kind: HttpErrorKind) -> Self {
        match kind {
            HttpErrorKind::Connect => Self::Down,
            HttpErrorKind::Timeout => Self::Silent,
            HttpErrorKind::Request | HttpErrorKind::Interrupted => Self::Cut,
            _ => Self::Failed,
        }
    }
}

const fn of_kind(kind: ErrorKind) -> Option<StoreFailure> {
    Some(match kind {
        ErrorKind::PermissionDenied => StoreFailure::Denied,
        ErrorKind::NotADirectory => StoreFailure::NoFolder,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreFailure::Full,
        ErrorKind::ReadOnlyFilesystem => StoreFailure::ReadOnly,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

    use object_store::{
        Error,
        client::{HttpError, HttpErrorKind},
    };

    use super::StoreFailure::{
        self, Cut, Denied, Down, Failed, Full, NoBucket, NoFolder, OtherRegion, Silent,
    };

    fn because(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Generic { store: "S3", source: source.into() }
    }

    fn missing(source: &str) -> Error {
        Error::NotFound { path: "a/b".to_owned(), source: source.into() }
    }

    #[test]
    fn a_failure_is_told_by_its_cause_and_a_missing_file_is_none() {
        let http = |kind| because(HttpError::new(kind, io::Error::other("x")));
        for (error, wanted) in [
            (http(HttpErrorKind::Connect), Some(Down)),
            (http(HttpErrorKind::Timeout), Some(Silent)),
            (http(HttpErrorKind::Interrupted), Some(Cut)),
            (http(HttpErrorKind::Decode), Some(Failed)),
            (because(io::Error::from(ErrorKind::PermissionDenied)), Some(Denied)),
            (because(io::Error::from(ErrorKind::NotADirectory)), Some(NoFolder)),
            (because(io::Error::from(ErrorKind::StorageFull)), Some(Full)),
            (because(io::Error::other("x")), Some(Failed)),
            (Error::PermissionDenied { path: "a".to_owned(), source: "x".into() }, Some(Denied)),
            (missing("Server returned 404: <Error><Code>NoSuchBucket</Code></Error>"), Some(NoBucket)),
            (missing("Server returned 404: <Error><Code>NoSuchKey</Code></Error>"), None),
            (because("Received redirect without LOCATION, and so on"), Some(OtherRegion)),
        ] {
            assert_eq!(StoreFailure::of(&error), wanted, "{error}");
        }
        assert_eq!(StoreFailure::of_writer(&io::Error::from(missing("NoSuchBucket"))), NoBucket);
        assert_eq!(StoreFailure::of_writer(&io::Error::from(ErrorKind::StorageFull)), Full);
        assert!(NoBucket.is_misconfigured() && !Down.is_misconfigured() && !Silent.is_misconfigured());
    }
}
