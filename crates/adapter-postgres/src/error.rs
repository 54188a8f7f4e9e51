//! From the database's errors to the core's.

use diesel::result::{DatabaseErrorKind as Kind, Error};
use domain::{errors::StoreError, vault::VaultError};

/// What the server says, in an English cluster, when the same statement may succeed later: the errors for
/// which diesel has no kind.
const PASSING: [&str; 4] = [
    "deadlock detected",
    "canceling statement due to",
    "terminating connection due to",
    "the database system is",
];

/// A failed statement. Its text can hold values of a row, so only its kind is passed on.
pub(crate) fn failed(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(Kind::SerializationFailure, _) => StoreError::Stale,
        Error::DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _)
        | Error::BrokenTransactionManager => StoreError::Unavailable("the connection broke".to_owned()),
        Error::DatabaseError(kind, info) => {
            match PASSING.into_iter().find(|known| info.message().starts_with(known)) {
                Some(known) => StoreError::Unavailable(known.to_owned()),
                None => StoreError::Internal(match info.constraint_name() {
                    Some(constraint) => format!("{kind:?} on {constraint}"),
                    None => format!("{kind:?}"),
                }),
            }
        }
        Error::RollbackErrorOnCommit { commit_error, .. } => failed(*commit_error),
        Error::DeserializationError(_) | Error::SerializationError(_) => {
            StoreError::Internal("a value does not fit its type".to_owned())
        }
        other => StoreError::Internal(other.to_string()),
    }
}

/// Whether the statement failed because a row that it refers to is not there.
pub(crate) fn is_missing_reference(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(Kind::ForeignKeyViolation, _))
}

/// A row that no version of this service wrote: it names what is wrong, never the value.
pub(crate) fn unreadable(what: &str) -> StoreError {
    StoreError::Internal(format!("a row holds no valid {what}"))
}

/// The vault refused.
pub(crate) fn locked(error: VaultError) -> StoreError {
    StoreError::Internal(error.to_string())
}
