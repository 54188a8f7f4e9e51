//! Conversion of database errors into the core's.

use diesel::result::{DatabaseErrorKind as Kind, Error};
use domain::{errors::StoreError, vault::VaultError};

/// Transient failures by the beginning of their SQLSTATE (PostgreSQL, appendix A); the first that fits
/// counts. The words are for the log, since the server's are in its own language.
const PASSING: [(&str, &str); 20] = [
    ("08", "the connection broke"),
    ("25006", "the database is read-only"),
    ("25P03", "a transaction was idle for too long"),
    ("25P04", "a transaction took too long"),
    ("28", "the database does not let this service in"),
    ("3D000", "there is no such database"),
    ("40001", "others wrote the same at once"),
    ("40P01", "a deadlock was broken"),
    ("53100", "the database's disk is full"),
    ("53200", "the database is out of memory"),
    ("53300", "the database has too many connections"),
    ("53", "the database lacks resources"),
    ("55P03", "a lock was not to be had in time"),
    ("57014", "a statement took too long and was cut off"),
    ("57P01", "the database is being shut down"),
    ("57P02", "the database has crashed and recovers"),
    ("57P03", "the database is starting or stopping"),
    ("57P05", "a connection was idle for too long"),
    ("58", "the database's machine fails"),
    ("72", "a snapshot is too old"),
];

/// SQLSTATE of a statement after a failed one in its transaction, when its answer is seen first. Nothing of
/// the transaction is kept, and the next try is likely to see the cause.
const LATER_ONE_OF_A_FAILED_TRANSACTION: &str = "25P02";

/// Describes a transient failure; `None` for other states.
pub(crate) fn passing(state: &str) -> Option<String> {
    let (_, words) = PASSING.into_iter().find(|(begins, _)| state.starts_with(begins))?;
    Some(format!("{words} ({state})"))
}

/// Parses the SQLSTATE, which `connect::states` has written in front of an error's message.
fn state(message: &str) -> Option<&str> {
    let (state, _) = message.split_once(' ')?;
    let formed =
        state.len() == 5 && state.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    formed.then_some(state)
}

/// Returns the SQLSTATE of a failed statement; `None` if the database has not answered.
pub(crate) fn state_of(error: &Error) -> Option<&str> {
    match error {
        Error::DatabaseError(_, info) => state(info.message()),
        _ => None,
    }
}

/// Converts a failed statement's error. Its text can contain values of a row, so only its kind is kept.
pub(crate) fn failed(error: Error) -> StoreError {
    match error {
        Error::DatabaseError(Kind::SerializationFailure, _) => StoreError::Stale,
        Error::DatabaseError(Kind::UnableToSendCommand | Kind::ClosedConnection, _)
        | Error::BrokenTransactionManager => StoreError::Unavailable("the connection broke".to_owned()),
        Error::DatabaseError(kind, info) => {
            let state = state(info.message()).unwrap_or("no state");
            if state == LATER_ONE_OF_A_FAILED_TRANSACTION {
                return StoreError::Stale;
            }
            if let Some(passing) = passing(state) {
                return StoreError::Unavailable(passing);
            }
            StoreError::Internal(match info.constraint_name() {
                Some(constraint) => format!("{kind:?} ({state}) on {constraint}"),
                None => format!("{kind:?} ({state})"),
            })
        }
        Error::RollbackErrorOnCommit { commit_error, .. } => failed(*commit_error),
        Error::DeserializationError(_) | Error::SerializationError(_) => {
            StoreError::Internal("a value does not fit its type".to_owned())
        }
        other => StoreError::Internal(other.to_string()),
    }
}

/// Whether the statement failed because a row that it references does not exist.
pub(crate) fn is_missing_reference(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(Kind::ForeignKeyViolation, _))
}

pub(crate) fn is_duplicate(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(Kind::UniqueViolation, _))
}

/// Returns the error for a row that no version of this service wrote. Names what is wrong, never the value.
pub(crate) fn unreadable(what: &str) -> StoreError {
    StoreError::Internal(format!("a row holds no valid {what}"))
}

pub(crate) fn locked(error: VaultError) -> StoreError {
    StoreError::Internal(error.to_string())
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use diesel::sql_query;
    use diesel_async::SimpleAsyncConnection;
    use domain::errors::StoreError;

    use super::failed;
    use crate::{
        sql::RunQueryDsl,
        testing::{TestDatabase, stores},
    };

    /// Returns a command that fails with `text` and `state`, as one statement with a literal.
    fn raising(text: &str, state: &str) -> String {
        format!("DO 'BEGIN RAISE EXCEPTION ''{text}'' USING ERRCODE = ''{state}''; END'")
    }

    #[tokio::test]
    async fn errors_are_told_apart_by_their_state_in_whatever_language_they_are() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        for (state, wanted) in [
            ("53100", "the database's disk is full (53100)"),
            ("25006", "the database is read-only (25006)"),
            ("53200", "the database is out of memory (53200)"),
            ("53300", "the database has too many connections (53300)"),
            ("40P01", "a deadlock was broken (40P01)"),
            ("57P01", "the database is being shut down (57P01)"),
            ("57P02", "the database has crashed and recovers (57P02)"),
            ("57P03", "the database is starting or stopping (57P03)"),
            ("57014", "a statement took too long and was cut off (57014)"),
            ("08006", "the connection broke (08006)"),
            ("58030", "the database's machine fails (58030)"),
        ] {
            let raise = raising("الملف ممتلئ", state);
            let error = failed(connection.batch_execute(&raise).await.unwrap_err());
            assert_eq!(error.to_string(), format!("the store is unavailable: {wanted}"));
        }
        for state in ["40001", "25P02"] {
            let raise = raising("مرة أخرى", state);
            let error = failed(sql_query(raise).execute(&mut connection).await.unwrap_err());
            assert!(matches!(error, StoreError::Stale), "{state}: {error}");
        }
        // A lasting failure, without any word of a row.
        let raise = raising("deadlock detected", "42P01");
        let error = failed(sql_query(raise).execute(&mut connection).await.unwrap_err());
        assert_eq!(error.to_string(), "the store failed: Unknown (42P01)");
    }

    #[tokio::test]
    async fn what_the_database_itself_refuses_has_its_class() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        connection.batch_execute("SET default_transaction_read_only = on").await.unwrap();
        let error = failed(sql_query("DELETE FROM quarantine").execute(&mut connection).await.unwrap_err());
        assert_eq!(error.to_string(), "the store is unavailable: the database is read-only (25006)");
        let ended = sql_query("SELECT pg_terminate_backend(pg_backend_pid())").execute(&mut connection).await;
        assert!(matches!(failed(ended.unwrap_err()), StoreError::Unavailable(_)));
    }
}
