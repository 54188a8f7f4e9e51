//! SQL functions that Diesel does not know, and a name for the expressions it makes.

use diesel::{
    SelectableExpression,
    expression::{ValidGrouping, is_aggregate},
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
    sql_types::{
        BigInt, Binary, Bool, Integer, Nullable, SingleValue, SqlType, Text, Timestamp, Timestamptz, Uuid,
    },
};

#[diesel::declare_sql_function]
extern "SQL" {
    #[sql_name = "coalesce"]
    fn coalesce<T: SqlType + SingleValue>(first: Nullable<T>, second: T) -> T;

    fn greatest(first: Timestamptz, second: Nullable<Timestamptz>) -> Timestamptz;

    /// Converts a time to the clock in this zone. Unlike with `timestamptz`, arithmetic with the result is
    /// also allowed on a cluster, since it does not depend on the session's time zone.
    #[sql_name = "timezone"]
    fn clock_at(zone: Text, moment: Nullable<Timestamptz>) -> Nullable<Timestamp>;

    #[sql_name = "timezone"]
    fn moment_of(zone: Text, clock: Nullable<Timestamp>) -> Nullable<Timestamptz>;

    fn octet_length(value: Binary) -> Integer;

    /// Returns the current time of the server's clock, not that of the transaction's start.
    fn clock_timestamp() -> Timestamptz;

    fn current_setting(name: Text) -> Text;

    /// Changes a setting, only for the transaction if `is_local`.
    fn set_config(name: Text, value: Text, is_local: Bool) -> Text;

    /// Waits for the advisory lock, held until the transaction ends. To be executed, not loaded.
    fn pg_advisory_xact_lock(number: BigInt) -> Text;

    /// Tries to take the advisory lock of this class and number, held until the transaction ends.
    fn pg_try_advisory_xact_lock(class: Integer, number: Integer) -> Bool;

    /// Sends a notification on a channel. Returns nothing: to be executed, not loaded.
    fn pg_notify(channel: Text, text: Text) -> Text;
}

diesel::define_sql_function! {
    /// Returns the id, or `otherwise` if it is NULL; not generic, for Diesel's `auto_type`.
    #[sql_name = "coalesce"]
    fn coalesce_id(value: Nullable<Uuid>, otherwise: Uuid) -> Uuid;
}

/// An expression over rows of `T`, read as an `ST`.
pub(crate) trait Selected<T, ST>:
    SelectableExpression<T, SqlType = ST>
    + ValidGrouping<(), IsAggregate = is_aggregate::Never>
    + QueryFragment<Pg>
    + QueryId
    + Send
{
}

impl<E, T, ST> Selected<T, ST> for E where
    E: SelectableExpression<T, SqlType = ST>
        + ValidGrouping<(), IsAggregate = is_aggregate::Never>
        + QueryFragment<Pg>
        + QueryId
        + Send
{
}
