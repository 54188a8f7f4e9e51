//! Statements that Diesel's query builder cannot express, or would prepare anew each time.
//!
//! [`insert`] and [`update`] write many rows by one statement, whose text is the same for any number of them;
//! [`statement`] is for everything else that is written out. In all of them a value is named once, beside its
//! column or placeholder, so that two of the same type cannot be confused. Their texts are constant: a
//! connection prepares each once.

mod functions;
mod insert;
mod json;
mod place;
mod prepared;
mod returning;
mod run;
mod text;
mod topology;
mod update;
mod values;
mod word;

use diesel::data_types::PgInterval;
use time::OffsetDateTime;

pub(crate) use functions::{
    Selected, clock_at, clock_timestamp, coalesce, coalesce_id, current_setting, greatest, moment_of,
    octet_length, pg_advisory_xact_lock, pg_notify, pg_try_advisory_xact_lock, set_config,
};
pub(crate) use insert::{Insert, insert};
pub(crate) use json::Json;
pub(crate) use place::after;
pub(crate) use prepared::Prepared;
pub(crate) use run::RunQueryDsl;
#[cfg(test)]
pub(crate) use text::positional;
pub(crate) use text::{Statement, bare, statement};
pub(crate) use topology::{TextByTopology, Topology};
pub(crate) use update::{Update, update};
pub(crate) use word::{Word, word};

/// Removes the character NUL, which PostgreSQL cannot store.
pub(crate) fn storable(text: &str) -> String {
    text.replace('\0', "")
}

/// Returns the first id made at that moment: its first 48 bits are milliseconds since 1970 (RFC 9562).
pub(crate) fn first_id(at: OffsetDateTime) -> uuid::Uuid {
    let millis = u128::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    uuid::Uuid::from_u128(millis << 80)
}

pub(crate) fn interval(microseconds: impl TryInto<i64>) -> PgInterval {
    PgInterval::from_microseconds(microseconds.try_into().unwrap_or(i64::MAX))
}

/// Returns the smallest and the largest key; `None` without keys. Bounds a statement that lists keys, in case
/// its plan was made while the table was empty.
pub(crate) fn first_and_last<T: Ord + Copy>(keys: impl Iterator<Item = T> + Clone) -> Option<(T, T)> {
    keys.clone().min().zip(keys.max())
}
