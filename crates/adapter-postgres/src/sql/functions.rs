//! What the query builder does not know of the database, and a name for what it makes.

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
    /// The first of both that is not null.
    #[sql_name = "coalesce"]
    fn coalesce<T: SqlType + SingleValue>(first: Nullable<T>, second: T) -> T;

    /// The later of both, or the one that there is.
    fn greatest(first: Timestamptz, second: Nullable<Timestamptz>) -> Timestamptz;

    /// What a clock shows in this zone at the moment. With it can be reckoned on a cluster as well, and not with the moment:
    /// how long a day is depends on the session.
    #[sql_name = "timezone"]
    fn clock_at(zone: Text, moment: Nullable<Timestamptz>) -> Nullable<Timestamp>;

    /// The moment at which a clock in this zone shows that.
    #[sql_name = "timezone"]
    fn moment_of(zone: Text, clock: Nullable<Timestamp>) -> Nullable<Timestamptz>;

    /// How many bytes it is.
    fn octet_length(value: Binary) -> Integer;

    /// The time of the server's clock, whenever the transaction began.
    fn clock_timestamp() -> Timestamptz;

    /// What a setting is set to.
    fn current_setting(name: Text) -> Text;

    /// Gives a setting a value, for the transaction alone where it is local.
    fn set_config(name: Text, value: Text, is_local: Bool) -> Text;

    /// Waits until nobody else holds an advisory lock of this number, and holds it to the transaction's end. It answers
    /// nothing: to be executed, not loaded.
    fn pg_advisory_xact_lock(number: BigInt) -> Text;

    /// Whether nobody else held an advisory lock of this class and number, which is then held to the transaction's end.
    fn pg_try_advisory_xact_lock(class: Integer, number: Integer) -> Bool;

    /// Tells those who listen on a channel. It answers nothing: to be executed, not loaded.
    fn pg_notify(channel: Text, text: Text) -> Text;
}

diesel::define_sql_function! {
    /// The id, or the other where there is none. Diesel's `auto_type` names no function of several types.
    #[sql_name = "coalesce"]
    fn coalesce_id(value: Nullable<Uuid>, otherwise: Uuid) -> Uuid;
}

/// An expression over the rows of `T` that is read as an `ST`.
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
