//! A time that never comes.

use std::io::Write;

use diesel::{
    expression::AsExpression,
    pg::Pg,
    serialize::{IsNull, Output, Result, ToSql},
    sql_types::Timestamptz,
};

/// `infinity` as a timestamp of PostgreSQL.
#[derive(Debug, Clone, Copy, AsExpression)]
#[diesel(sql_type = Timestamptz)]
pub(super) struct Never;

impl ToSql<Timestamptz, Pg> for Never {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> Result {
        out.write_all(&i64::MAX.to_be_bytes())?;
        Ok(IsNull::No)
    }
}
