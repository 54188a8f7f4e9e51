//! The ways to run a statement, with futures whose types do not repeat the statement's.
//!
//! Diesel's own futures name the whole statement in their types, and every function that awaits one has the
//! compiler prove for each part of it that it may move between threads: a quarter of what this crate took.

use diesel::{
    QueryResult,
    deserialize::FromSqlRow,
    dsl::Limit,
    expression::QueryMetadata,
    pg::Pg,
    query_builder::{AsQuery, QueryFragment, QueryId},
    query_dsl::{CompatibleType, methods::LimitDsl},
    result::Error,
};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection, pooled_connection::deadpool::Object};
use futures_util::{StreamExt, TryStreamExt, future::BoxFuture, stream::BoxStream};

type PgRow = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;
type Rows<'a> = BoxFuture<'a, QueryResult<BoxStream<'static, QueryResult<PgRow>>>>;

/// The names under which Diesel runs a statement.
pub(crate) trait RunQueryDsl<C: Connection>: Sized {
    fn execute(self, connection: &mut C) -> C::Answer<'_, usize>
    where
        Self: QueryFragment<Pg> + QueryId,
    {
        connection.count(self)
    }

    fn load<U: Send + 'static>(self, connection: &mut C) -> C::Answer<'_, Vec<U>>
    where
        Self: Reads<U>,
    {
        connection.all(self)
    }

    fn get_result<U: Send + 'static>(self, connection: &mut C) -> C::Answer<'_, U>
    where
        Self: Reads<U>,
    {
        connection.one(self)
    }

    fn first<U: Send + 'static>(self, connection: &mut C) -> C::Answer<'_, U>
    where
        Self: LimitDsl,
        Limit<Self>: Reads<U>,
    {
        connection.one(self.limit(1))
    }
}

impl<Q, C: Connection> RunQueryDsl<C> for Q {}

/// A statement whose rows are read as `U`.
pub(crate) trait Reads<U>: AsQuery<Query: QueryFragment<Pg> + QueryId> {
    fn read(row: &PgRow) -> QueryResult<U>;
}

impl<Q, U> Reads<U> for Q
where
    Q: AsQuery<Query: QueryFragment<Pg> + QueryId, SqlType: CompatibleType<U, Pg>>,
    U: FromSqlRow<<Q::SqlType as CompatibleType<U, Pg>>::SqlType, Pg>,
    Pg: QueryMetadata<Q::SqlType>,
{
    fn read(row: &PgRow) -> QueryResult<U> {
        U::build_from_row(row).map_err(Error::DeserializationError)
    }
}

/// A connection that runs one statement at a time, or several if it is shared.
pub(crate) trait Connection {
    /// Answer to a statement.
    type Answer<'c, T: 'static>: Future<Output = QueryResult<T>> + Send
    where
        Self: 'c;

    fn count<Q: QueryFragment<Pg> + QueryId>(&mut self, query: Q) -> Self::Answer<'_, usize>;

    fn all<Q: Reads<U>, U: Send + 'static>(&mut self, query: Q) -> Self::Answer<'_, Vec<U>>;

    fn one<Q: Reads<U>, U: Send + 'static>(&mut self, query: Q) -> Self::Answer<'_, U>;
}

macro_rules! connection {
    ($connection:ty, for $life:lifetime $(of $shared:lifetime)?) => {
        impl$(<$shared>)? Connection for $connection {
            type Answer<'c, T: 'static>
                = BoxFuture<$life, QueryResult<T>>
            where
                Self: 'c;

            fn count<Q: QueryFragment<Pg> + QueryId>(&mut self, query: Q) -> Self::Answer<'_, usize> {
                self.execute_returning_count(query)
            }

            fn all<Q: Reads<U>, U: Send + 'static>(&mut self, query: Q) -> Self::Answer<'_, Vec<U>> {
                all(AsyncConnectionCore::load(self, query), Q::read)
            }

            fn one<Q: Reads<U>, U: Send + 'static>(&mut self, query: Q) -> Self::Answer<'_, U> {
                one(AsyncConnectionCore::load(self, query), Q::read)
            }
        }
    };
}

connection!(AsyncPgConnection, for 'c);
connection!(Object<AsyncPgConnection>, for 'c);
connection!(&'a AsyncPgConnection, for 'a of 'a);

fn all<U: Send + 'static>(
    rows: Rows<'_>,
    read: fn(&PgRow) -> QueryResult<U>,
) -> BoxFuture<'_, QueryResult<Vec<U>>> {
    Box::pin(async move { rows.await?.map(|row| read(&row?)).try_collect().await })
}

fn one<U: Send + 'static>(
    rows: Rows<'_>,
    read: fn(&PgRow) -> QueryResult<U>,
) -> BoxFuture<'_, QueryResult<U>> {
    Box::pin(async move { read(&rows.await?.next().await.ok_or(Error::NotFound)??) })
}
