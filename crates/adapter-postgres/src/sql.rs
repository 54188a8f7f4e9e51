//! Hand-written SQL whose prepared statement is kept, unlike that of `diesel::sql_query`.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    serialize::ToSql,
    sql_types::{HasSqlType, Untyped},
};

/// A statement with placeholders `$1`, `$2` … that are bound in order.
///
/// `diesel::sql_query` prepares anew at each execution, which costs a round trip. The text of this one is
/// constant, so that its prepared statement may stay with the connection.
pub(crate) fn sql(text: &'static str) -> Sql {
    Sql(text)
}

#[derive(Clone, Copy)]
pub(crate) struct Sql(&'static str);

/// A statement with one more value bound.
pub(crate) struct Bound<Q, V, ST> {
    query: Q,
    value: V,
    kind: PhantomData<ST>,
}

pub(crate) trait Bind: Sized {
    /// Binds the next placeholder.
    fn bind<ST, V>(self, value: V) -> Bound<Self, V, ST> {
        Bound { query: self, value, kind: PhantomData }
    }
}

impl Bind for Sql {}
impl<Q, V, ST> Bind for Bound<Q, V, ST> {}

impl QueryId for Sql {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q, V, ST> QueryId for Bound<Q, V, ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Sql {
    type SqlType = Untyped;
}

impl<Q, V, ST> Query for Bound<Q, V, ST> {
    type SqlType = Untyped;
}

impl QueryFragment<Pg> for Sql {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.0);
        Ok(())
    }
}

impl<Q, V, ST> QueryFragment<Pg> for Bound<Q, V, ST>
where
    Q: QueryFragment<Pg>,
    V: ToSql<ST, Pg>,
    Pg: HasSqlType<ST>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.query.walk_ast(out.reborrow())?;
        out.push_bind_param_value_only(&self.value)?;
        Ok(())
    }
}
