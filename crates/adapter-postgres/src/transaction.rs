//! Transactions that cannot leak.

use std::ops::{Deref, DerefMut};

use diesel_async::{
    AnsiTransactionManager, AsyncPgConnection, TransactionManager, pooled_connection::deadpool::Object,
};
use domain::errors::StoreError;
use tokio::runtime::Handle;

use crate::{PgStore, error::failed};

impl PgStore {
    /// Begins a transaction, to be used like a connection.
    pub(crate) async fn begin(&self) -> Result<Transaction, StoreError> {
        begin_on(self.connection().await?).await
    }

    /// The same on a connection for delivering webhooks.
    pub(crate) async fn begin_delivering(&self) -> Result<Transaction, StoreError> {
        begin_on(self.delivering().await?).await
    }
}

async fn begin_on(connection: Object<AsyncPgConnection>) -> Result<Transaction, StoreError> {
    let mut transaction = Transaction(Some(connection));
    AnsiTransactionManager::begin_transaction(&mut *transaction).await.map_err(failed)?;
    Ok(transaction)
}

/// An open transaction. Unless [`Transaction::commit`] has run to its end, it is rolled back, also when the
/// request that it belongs to is dropped: a pool alone would keep its locks until the connection's next use.
pub(crate) struct Transaction(Option<Object<AsyncPgConnection>>);

impl Transaction {
    /// Makes it last.
    pub(crate) async fn commit(mut self) -> Result<(), StoreError> {
        AnsiTransactionManager::commit_transaction(&mut *self).await.map_err(failed)?;
        // Back to the pool: there is nothing to roll back.
        drop(self.0.take());
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let Some(mut connection) = self.0.take() else { return };
        let Ok(runtime) = Handle::try_current() else {
            // Closed, which rolls back as well.
            drop(Object::take(connection));
            return;
        };
        runtime.spawn(async move {
            if AnsiTransactionManager::rollback_transaction(&mut *connection).await.is_err() {
                drop(Object::take(connection));
            }
        });
    }
}

const OPEN: &str = "only `commit` and `drop` take the connection, and they end the transaction";

#[expect(clippy::expect_used, reason = "see OPEN")]
impl Deref for Transaction {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref().expect(OPEN)
    }
}

#[expect(clippy::expect_used, reason = "see OPEN")]
impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.as_mut().expect(OPEN)
    }
}

#[cfg(test)]
#[cfg(feature = "testing")]
mod tests {
    use std::{future::pending, time::Duration};

    use diesel::sql_types::Text;
    use diesel_async::RunQueryDsl;
    use domain::errors::StoreError;
    use tokio::sync::oneshot;

    use crate::{
        PgStore,
        sql::{Bind, sql},
        testing::{Database, store, store_of},
    };

    const WRITE: &str = "INSERT INTO account_routes VALUES ($1, gen_random_uuid(), gen_random_uuid())";

    /// Writes a row that nobody else can write, and keeps the transaction.
    async fn write(store: &PgStore) -> super::Transaction {
        let mut transaction = store.begin().await.unwrap();
        sql(WRITE).bind::<Text, _>("only one").execute(&mut transaction).await.unwrap();
        transaction
    }

    #[tokio::test]
    async fn a_dropped_transaction_is_rolled_back_and_its_connection_used_again() {
        let database = Database::fresh().await;
        let store = store_of(&database, 1, Duration::from_secs(20));
        // With one connection, the next turn waits for the rollback.
        for _ in 0..3 {
            drop(write(&store).await);
        }
        write(&store).await.commit().await.unwrap();
        let mut connection = store.connection().await.unwrap();
        let again = sql(WRITE).bind::<Text, _>("only one").execute(&mut connection).await;
        assert!(again.is_err(), "what is committed stays");
    }

    #[tokio::test]
    async fn a_request_that_is_cut_off_leaves_no_lock() {
        let database = Database::fresh().await;
        let store = store(&database);
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
        let database = Database::fresh().await;
        let store = store_of(&database, 1, Duration::from_secs(20));
        let mut transaction = store.begin().await.unwrap();
        assert!(sql("SELECT 1 / 0").execute(&mut transaction).await.is_err());
        drop(transaction);
        write(&store).await.commit().await.unwrap();
    }

    #[tokio::test]
    async fn waiting_for_a_connection_ends() {
        let database = Database::fresh().await;
        let store = store_of(&database, 1, Duration::from_millis(20));
        let held = store.connection().await.unwrap();
        assert!(matches!(store.begin().await, Err(StoreError::Unavailable(_))));
        drop(held);
        store.begin().await.unwrap().commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_statement_that_takes_too_long_may_be_tried_again() {
        let database = Database::fresh().await;
        let store = store(&database);
        let mut connection = store.connection().await.unwrap();
        sql("SET statement_timeout = 1").execute(&mut connection).await.unwrap();
        let cut_off = sql("SELECT pg_sleep(20)").execute(&mut connection).await.unwrap_err();
        assert!(matches!(crate::error::failed(cut_off), StoreError::Unavailable(_)));
    }
}
