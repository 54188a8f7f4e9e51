//! Statements that Diesel's query builder cannot say, or would prepare anew each time.
//!
//! [`insert`] and [`update`] write many rows by one statement whose text is the same for any number of them; [`statement`]
//! is for whatever else has to be written out. In all of them a value is named once, beside the column or the name that
//! stands for it, so that two of one type cannot change places. Their texts are constant: a connection prepares each
//! once.

mod functions;
mod insert;
mod json;
mod place;
mod prepared;
mod returning;
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
#[cfg(test)]
pub(crate) use text::positional;
pub(crate) use text::{Statement, bare, statement};
pub(crate) use topology::{TextByTopology, Topology};
pub(crate) use update::{Update, update};
pub(crate) use word::{Word, word};

/// A text without the one character that no text of the database may hold.
pub(crate) fn storable(text: &str) -> String {
    text.replace('\0', "")
}

/// The first id that is made at that moment: its first 48 bits are milliseconds since 1970 (RFC 9562).
pub(crate) fn first_id(at: OffsetDateTime) -> uuid::Uuid {
    let millis = u128::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
    uuid::Uuid::from_u128(millis << 80)
}

/// A span of time of so many microseconds.
pub(crate) fn interval(microseconds: impl TryInto<i64>) -> PgInterval {
    PgInterval::from_microseconds(microseconds.try_into().unwrap_or(i64::MAX))
}

/// The smallest and the largest key, where there is any: what bounds a statement that names keys, should its plan have
/// been made while the table was empty.
pub(crate) fn first_and_last<T: Ord + Copy>(keys: impl Iterator<Item = T> + Clone) -> Option<(T, T)> {
    keys.clone().min().zip(keys.max())
}
