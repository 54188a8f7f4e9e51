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

/// Rows to be bound column by column.
pub(crate) struct Columns<'a, T>(pub(crate) &'a [T]);

impl<'a, T> Columns<'a, T> {
    /// One value of each row.
    pub(crate) fn of<V>(&self, value: impl Fn(&'a T) -> V) -> Vec<V> {
        self.0.iter().map(value).collect()
    }
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

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use diesel::{
        OptionalExtension,
        sql_types::{BigInt, Nullable, Text},
    };
    use diesel_async::RunQueryDsl;

    use super::{Bind, sql};
    use crate::testing::{Database, store};

    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        number: i64,
    }

    #[tokio::test]
    async fn a_statement_is_prepared_once_for_a_connection() {
        let database = Database::fresh().await;
        let store = store(&database);
        let mut connection = store.connection().await.unwrap();
        let prepared = "SELECT count(*) AS number FROM pg_prepared_statements WHERE statement LIKE $1";
        for value in ["one", "two", "three"] {
            let found = sql("SELECT length($1)::bigint AS number, 'marked'")
                .bind::<Text, _>(value)
                .get_result::<Row>(&mut connection)
                .await
                .unwrap();
            assert_eq!(usize::try_from(found.number).unwrap(), value.len());
        }
        let count = sql(prepared).bind::<Text, _>("%marked%").get_result::<Row>(&mut connection).await;
        assert_eq!(count.unwrap().number, 1);
    }

    #[tokio::test]
    async fn values_are_bound_in_order_and_rows_may_be_none() {
        let database = Database::fresh().await;
        let store = store(&database);
        let mut connection = store.connection().await.unwrap();
        let query = "SELECT number FROM generate_series($1, $2) number WHERE $3 IS NULL OR number > $3";
        let query =
            |above| sql(query).bind::<BigInt, _>(1).bind::<BigInt, _>(3).bind::<Nullable<BigInt>, _>(above);
        let rows = query(None::<i64>).get_results::<Row>(&mut connection).await.unwrap();
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(query(Some(1)).execute(&mut connection).await.unwrap(), 2);
        assert!(query(Some(3)).get_result::<Row>(&mut connection).await.optional().unwrap().is_none());
    }
}
