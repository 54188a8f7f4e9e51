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
        let mut transaction = Transaction(Some(self.connection().await?));
        AnsiTransactionManager::begin_transaction(&mut *transaction).await.map_err(failed)?;
        Ok(transaction)
    }
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
