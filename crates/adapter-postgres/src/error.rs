//! From the database's errors to the core's.

use diesel::result::Error;
use domain::errors::StoreError;

/// A failed statement. Its text can hold values of a row, so only its kind is passed on.
pub(crate) fn failed(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(kind, info) => StoreError::Internal(match info.constraint_name() {
            Some(constraint) => format!("{kind:?} on {constraint}"),
            None => format!("{kind:?}"),
        }),
        Error::BrokenTransactionManager => StoreError::Unavailable("the connection broke".to_owned()),
        other => StoreError::Internal(other.to_string()),
    }
}
