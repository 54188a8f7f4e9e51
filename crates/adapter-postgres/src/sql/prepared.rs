//! Changes made by Diesel's query builder whose prepared statements are cached.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

/// A statement of the query builder whose text is constant. Diesel prepares every UPDATE anew, since its text
/// may depend on which columns are set; that costs a round trip and a plan each time. For statements that run
/// thousands of times a second, and have the same plan whatever the table's size: a cached plan may have been
/// made while it was empty.
pub(crate) struct Prepared<Q>(pub(crate) Q);

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Prepared<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Q: QueryId> QueryId for Prepared<Q> {
    type QueryId = Q::QueryId;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q: Query> Query for Prepared<Q> {
    type SqlType = Q::SqlType;
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use diesel::{ExpressionMethods, QueryDsl};

    use super::Prepared;
    use crate::{
        schema::workspaces,
        sql::{RunQueryDsl, statement},
        testing::{TestDatabase, stores},
    };

    #[tokio::test]
    async fn a_change_of_the_query_builder_is_prepared_once_for_a_connection() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        for name in ["one", "two", "three"] {
            let nobody = workspaces::table.filter(workspaces::workspace_id.eq(uuid::Uuid::nil()));
            let renamed = Prepared(diesel::update(nobody).set(workspaces::name.eq(name)));
            assert_eq!(renamed.execute(&mut connection).await.unwrap(), 0);
        }
        let kept = "SELECT name FROM pg_prepared_statements WHERE statement LIKE 'UPDATE%'";
        assert_eq!(statement(kept).execute(&mut connection).await.unwrap(), 1);
    }
}
