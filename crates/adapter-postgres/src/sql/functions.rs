//! Functions of PostgreSQL that the query builder does not know.

use diesel::sql_types::{BigInt, Nullable, SingleValue, SqlType, Text};

#[diesel::declare_sql_function]
extern "SQL" {
    /// The first of both that is not null.
    #[sql_name = "coalesce"]
    fn coalesce<T: SqlType + SingleValue>(first: Nullable<T>, second: T) -> T;

    /// Takes a lock of this number for the session, unless another has it; whether it did. The same session may take
    /// it again.
    fn pg_try_advisory_lock(number: BigInt) -> Bool;

    /// Tells those who listen on a channel. It answers nothing: to be executed, not loaded.
    fn pg_notify(channel: Text, text: Text) -> Text;
}
