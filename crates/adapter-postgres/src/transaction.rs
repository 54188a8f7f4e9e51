//! Transactions of plain statements, sent in two flights.
//!
//! The first flight has everything that locks or guards, and its answers are awaited; the second has
//! everything else together with the COMMIT. A guard that fails ends the change before anything else is sent.

use std::{
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicBool, Ordering},
    task::Poll,
};

use diesel::{
    QueryResult, Table,
    pg::Pg,
    query_builder::{QueryFragment, QueryId},
    result::Error,
};
use diesel_async::{
    AsyncConnectionCore, AsyncPgConnection, SimpleAsyncConnection, pooled_connection::deadpool::Object,
};
use domain::errors::StoreError;
use futures_util::future::{BoxFuture, ready, try_join};
use tokio::runtime::Handle;

use crate::{
    Database,
    error::failed,
    sql::{Insert, Update, statement},
};

impl Database {
    /// Returns a transaction on a connection for requests, which begins with its first flight.
    pub(crate) async fn transaction(&self) -> Result<Transaction, StoreError> {
        Ok(Transaction::on(self.connection().await?))
    }

    /// Returns a transaction on a connection for delivering webhooks, which begins with its first flight.
    pub(crate) async fn transaction_delivering(&self) -> Result<Transaction, StoreError> {
        Ok(Transaction::on(self.delivering().await?))
    }

    /// Begins a transaction for statements that are sent one after the other.
    pub(crate) async fn begin(&self) -> Result<Transaction, StoreError> {
        self.transaction().await?.begun().await
    }
}

/// A transaction under way. Unless [`Transaction::commit_with`] has run to its end it is rolled back, also
/// when its request is dropped: no connection returns to the pool in the middle of a transaction.
///
/// It lends its connection, so that several statements can be created before they are sent; they run when
/// they are passed to [`Transaction::begin_with`], [`Transaction::send`] or [`Transaction::commit_with`].
pub(crate) struct Transaction {
    connection: Option<Object<AsyncPgConnection>>,
    begun: AtomicBool,
    over: AtomicBool,
    /// Whether a statement of a flight has failed.
    has_failed: AtomicBool,
}

impl Transaction {
    fn on(connection: Object<AsyncPgConnection>) -> Self {
        let unset = || AtomicBool::new(false);
        Self { connection: Some(connection), begun: unset(), over: unset(), has_failed: unset() }
    }

    async fn begun(self) -> Result<Self, StoreError> {
        self.begin_with(ready(Ok(()))).await.map_err(failed)?;
        Ok(self)
    }

    /// Creates a group of statements to be sent together, whose answers are counts.
    pub(crate) fn flight(&self) -> Flight<'_> {
        Flight { transaction: self, statements: Vec::new() }
    }

    /// Begins the transaction, sends these statements with it, and awaits their answers.
    ///
    /// # Errors
    /// The error of the first statement that failed.
    pub(crate) async fn begin_with<T>(&self, flight: impl Future<Output = QueryResult<T>>) -> QueryResult<T> {
        self.begun.store(true, Ordering::Relaxed);
        let mut connection: &AsyncPgConnection = self;
        let begin = connection.batch_execute("BEGIN");
        Ok(try_join(begin, flight).await?.1)
    }

    /// Sends these statements and awaits their answers, because later ones depend on them.
    pub(crate) async fn send<T>(&self, flight: impl Future<Output = QueryResult<T>>) -> QueryResult<T> {
        if self.begun.load(Ordering::Relaxed) { flight.await } else { self.begin_with(flight).await }
    }

    /// Sends these statements together with the COMMIT, and with the BEGIN if nothing was sent before.
    ///
    /// # Errors
    /// The error of the first statement that failed; the transaction is then rolled back. If the connection
    /// broke, it may have been committed.
    pub(crate) async fn commit_with<T>(
        &self,
        flight: impl Future<Output = QueryResult<T>>,
    ) -> QueryResult<T> {
        // Sent like the statements before it: otherwise it would overtake those that must be prepared.
        let mut connection: &AsyncPgConnection = self;
        let mut commit = connection.execute_returning_count(statement("COMMIT"));
        // If a COMMIT cannot even be sent, only this side knows, while answers before it are still awaited:
        // then the flight reports the error when they have come.
        let commit = std::future::poll_fn(move |context| {
            if self.has_failed.load(Ordering::Relaxed) {
                Poll::Pending
            } else {
                commit.as_mut().poll(context)
            }
        });
        let (answer, _) = self.send(try_join(flight, commit)).await?;
        self.over.store(true, Ordering::Relaxed);
        Ok(answer)
    }

    /// Commits after statements that were sent one after the other.
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        self.commit_with(ready(Ok(()))).await.map_err(failed)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if self.over.load(Ordering::Relaxed) || !self.begun.load(Ordering::Relaxed) {
            return;
        }
        let Ok(runtime) = Handle::try_current() else {
            // Closing the connection rolls back as well.
            drop(Object::take(connection));
            return;
        };
        runtime.spawn(async move {
            if connection.batch_execute("ROLLBACK").await.is_err() {
                drop(Object::take(connection));
            }
        });
    }
}

#[expect(clippy::expect_used, reason = "only `drop` takes the connection")]
impl Deref for Transaction {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &Self::Target {
        self.connection.as_ref().expect("a connection until the transaction is dropped")
    }
}

#[expect(clippy::expect_used, reason = "only `drop` takes the connection")]
impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.connection.as_mut().expect("a connection until the transaction is dropped")
    }
}

pub(crate) struct Flight<'a> {
    transaction: &'a Transaction,
    statements: Vec<BoxFuture<'a, QueryResult<usize>>>,
}

impl Flight<'_> {
    pub(crate) fn add<'q, Q>(&mut self, query: Q)
    where
        Q: QueryFragment<Pg> + QueryId + Send + 'q,
    {
        let mut connection: &AsyncPgConnection = self.transaction;
        self.statements.push(connection.execute_returning_count(query));
    }

    pub(crate) fn insert<T, R, X>(&mut self, rows: Insert<'_, T, R, X>)
    where
        T: Table + QueryFragment<Pg> + Send,
        X: QueryFragment<Pg> + Send,
        R: Sync,
    {
        if !rows.is_empty() {
            self.add(rows);
        }
    }

    pub(crate) fn update<T, R, X>(&mut self, changes: Update<'_, T, R, X>)
    where
        T: Table + QueryFragment<Pg> + Send,
        X: QueryFragment<Pg> + Send,
        R: Sync,
    {
        if !changes.is_empty() {
            self.add(changes);
        }
    }

    /// Sends the statements, and returns the number of rows that each has written.
    ///
    /// # Errors
    /// The error of the first statement that failed.
    pub(crate) async fn counts(self) -> QueryResult<Vec<usize>> {
        // Sent in order if polled in order: see `in_order`.
        in_order(self.statements, &self.transaction.has_failed).await
    }
}

/// Awaits all futures, polling each after the one before it, so that statements are sent in order. Returns
/// the error of the first that failed. All statements after it fail as well, since their transaction has
/// failed, and their errors may be seen sooner if both answers come between two polls. Sets `has_failed` at
/// the first failure seen.
async fn in_order<T>(
    mut futures: Vec<BoxFuture<'_, QueryResult<T>>>,
    has_failed: &AtomicBool,
) -> QueryResult<Vec<T>> {
    let mut answers: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    let mut first_failed: Option<(usize, Error)> = None;
    std::future::poll_fn(move |context| {
        loop {
            let before = first_failed.as_ref().map_or(futures.len(), |(place, _)| *place);
            let mut waiting = false;
            let asked = futures.iter_mut().zip(&mut answers).take(before).enumerate();
            let failed =
                asked.filter(|(_, (_, answer))| answer.is_none()).find_map(|(place, (future, answer))| {
                    match future.as_mut().poll(context) {
                        Poll::Ready(Ok(value)) => {
                            *answer = Some(value);
                            None
                        }
                        Poll::Ready(Err(error)) => Some((place, error)),
                        Poll::Pending => {
                            waiting = true;
                            None
                        }
                    }
                });
            if failed.is_some() {
                has_failed.store(true, Ordering::Relaxed);
                first_failed = failed;
            } else if waiting {
                return Poll::Pending;
            } else if let Some((_, error)) = first_failed.take() {
                return Poll::Ready(Err(error));
            } else {
                return Poll::Ready(Ok(answers.drain(..).flatten().collect()));
            }
        }
    })
    .await
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use std::{
        future::{pending, poll_fn},
        sync::atomic::{AtomicBool, Ordering},
        task::Poll,
        time::Duration,
    };

    use diesel::{
        QueryDsl,
        result::{DatabaseErrorKind, Error},
        sql_types::Text,
    };
    use domain::errors::StoreError;
    use futures_util::{FutureExt, future::ready};
    use tokio::sync::oneshot;

    use crate::{
        Database,
        schema::account_routes,
        sql::{RunQueryDsl, statement},
        testing::{TestDatabase, stores, stores_of},
    };

    const ADD: &str = "INSERT INTO account_routes VALUES (:name, gen_random_uuid(), gen_random_uuid())";

    #[tokio::test]
    async fn the_first_that_failed_is_told_though_the_answer_of_the_next_is_seen_sooner() {
        let both_came = AtomicBool::new(false);
        let first = poll_fn(|_| {
            if AtomicBool::load(&both_came, Ordering::Relaxed) {
                Poll::Ready(Err(Error::NotFound))
            } else {
                Poll::Pending
            }
        });
        let next = async {
            both_came.store(true, Ordering::Relaxed);
            Err(Error::RollbackTransaction)
        };
        let flight = vec![ready(Ok(1)).boxed(), first.boxed(), next.boxed()];
        let has_failed = AtomicBool::new(false);
        assert_eq!(super::in_order(flight, &has_failed).await, Err(Error::NotFound));
        assert!(AtomicBool::load(&has_failed, Ordering::Relaxed));
    }

    /// Writes a row that nobody else can write, and keeps the transaction open.
    async fn write(store: &Database) -> super::Transaction {
        let mut transaction = store.begin().await.unwrap();
        statement(ADD).bind::<Text, _>("name", "only one").execute(&mut *transaction).await.unwrap();
        transaction
    }

    #[tokio::test]
    async fn a_dropped_transaction_is_rolled_back_and_its_connection_used_again() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_secs(20)).database;
        // With one connection, the next round waits for the rollback.
        for _ in 0..3 {
            drop(write(&store).await);
        }
        write(&store).await.commit().await.unwrap();
        let mut connection = store.connection().await.unwrap();
        let again = statement(ADD).bind::<Text, _>("name", "only one").execute(&mut connection).await;
        assert!(again.is_err(), "what is committed stays");
    }

    /// Adds rows that nobody else can write, one statement each, to a flight.
    fn routes<'a>(transaction: &'a super::Transaction, names: &[&'static str]) -> super::Flight<'a> {
        let mut flight = transaction.flight();
        for name in names {
            flight.add(statement(ADD).bind::<Text, _>("name", *name));
        }
        flight
    }

    async fn count(store: &Database) -> i64 {
        let mut connection = store.connection().await.unwrap();
        account_routes::table.count().get_result(&mut connection).await.unwrap()
    }

    #[tokio::test]
    async fn a_flight_with_statements_that_were_never_prepared_is_committed_whole() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_secs(20)).database;
        for round in [["a", "b"], ["c", "d"]] {
            let transaction = store.transaction().await.unwrap();
            let counts = transaction.commit_with(routes(&transaction, &round).counts()).await.unwrap();
            assert_eq!(counts, [1, 1]);
        }
        assert_eq!(count(&store).await, 4);
    }

    #[tokio::test]
    async fn a_statement_that_fails_takes_all_before_and_behind_it_back() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_secs(20)).database;
        for names in [["a", "a", "b"], ["b", "a", "a"], ["a", "b", "b"]] {
            let transaction = store.transaction().await.unwrap();
            let first = transaction.begin_with(routes(&transaction, &["z"]).counts()).await;
            assert_eq!(first.unwrap(), [1]);
            let last = transaction.commit_with(routes(&transaction, &names).counts()).await;
            assert!(matches!(last, Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _))));
            drop(transaction);
            assert_eq!(count(&store).await, 0);
        }
    }

    #[tokio::test]
    async fn a_statement_that_cannot_be_sent_lets_nothing_be_committed() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_secs(20)).database;
        // In the second round the earlier statements are prepared, and are sent at once.
        for before in [None, Some("w")] {
            if let Some(name) = before {
                let transaction = store.transaction().await.unwrap();
                transaction.commit_with(routes(&transaction, &[name]).counts()).await.unwrap();
            }
            let transaction = store.transaction().await.unwrap();
            let mut flight = routes(&transaction, &["a"]);
            flight.add(statement(ADD));
            let failed = transaction.commit_with(flight.counts()).await;
            assert!(matches!(failed, Err(Error::QueryBuilderError(_))), "{failed:?}");
            drop(transaction);
            assert_eq!(count(&store).await, i64::from(before.is_some()));
        }
    }

    #[tokio::test]
    async fn a_guard_that_fails_ends_it_and_one_that_holds_goes_on() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_secs(20)).database;
        for holds in [false, true] {
            let transaction = store.transaction().await.unwrap();
            transaction.begin_with(routes(&transaction, &["a"]).counts()).await.unwrap();
            if holds {
                transaction.commit_with(routes(&transaction, &["b"]).counts()).await.unwrap();
            }
            drop(transaction);
            assert_eq!(count(&store).await, if holds { 2 } else { 0 });
        }
    }

    #[tokio::test]
    async fn a_request_that_is_cut_off_leaves_no_lock() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let (started, has_started) = oneshot::channel();
        let request = tokio::spawn({
            let store = store.clone();
            async move {
                let _open = write(&store).await;
                started.send(()).unwrap();
                pending::<()>().await;
            }
        });
        has_started.await.unwrap();
        request.abort();
        write(&store).await.commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_transaction_survives_a_failed_statement_of_another() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_secs(20)).database;
        let mut transaction = store.begin().await.unwrap();
        assert!(statement("SELECT 1 / 0").execute(&mut *transaction).await.is_err());
        drop(transaction);
        write(&store).await.commit().await.unwrap();
    }

    #[tokio::test]
    async fn waiting_for_a_connection_ends() {
        let database = TestDatabase::fresh().await;
        let store = stores_of(&database, 1, Duration::from_millis(20)).database;
        let held = store.connection().await.unwrap();
        assert!(matches!(store.begin().await, Err(StoreError::Unavailable(_))));
        drop(held);
        store.begin().await.unwrap().commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_statement_that_takes_too_long_may_be_tried_again() {
        let database = TestDatabase::fresh().await;
        let store = stores(&database).database;
        let mut connection = store.connection().await.unwrap();
        statement("SET statement_timeout = 1").execute(&mut connection).await.unwrap();
        let cut_off = statement("SELECT pg_sleep(20)").execute(&mut connection).await.unwrap_err();
        assert!(matches!(crate::error::failed(cut_off), StoreError::Unavailable(_)));
    }
}
