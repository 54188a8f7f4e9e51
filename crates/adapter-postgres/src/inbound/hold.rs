//! Who works off a workspace's journal: one process at a time, as long as its connection lasts.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
    },
    time::Duration,
};

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Bool, Integer, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{errors::StoreError, ids::WorkspaceId};
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

/// The class of the advisory locks that processes hold under their numbers: any number that this product uses for
/// nothing else.
const CLASS: i32 = 0x6d73_6768;
/// The server ends a session that is silent for so long, as a process is that hangs or whose machine is gone.
const SILENCE: &str = "SET idle_session_timeout = '15s'";
/// How often a session says that it lasts.
const BEAT: Duration = Duration::from_secs(4);
/// How long the server may take to answer that.
const ANSWER: Duration = Duration::from_secs(8);
/// How often a race for a workspace is run again.
const TRIES: usize = 4;

const NUMBER: &str = "SELECT number::integer, pg_advisory_lock($1, number::integer)::text
    FROM nextval('journal_holders') number";

const IS_ALIVE: &str = "SELECT true";

const IS_FREE: &str = "SELECT pg_try_advisory_xact_lock($1, $2) AS free";

pub(super) const HOLDER: &str = "SELECT holder FROM journal_hands WHERE workspace_id = $1";

pub(super) const TAKE: &str = "
    INSERT INTO journal_hands (workspace_id, holder) VALUES ($1, $2)
    ON CONFLICT (workspace_id) DO UPDATE SET holder = excluded.holder WHERE journal_hands.holder = 0";

/// Waits for what the one before still writes, and is seen by what they write afterwards.
pub(super) const TAKE_OVER: &str =
    "UPDATE journal_hands SET holder = $3 WHERE workspace_id = $1 AND holder = $2";

/// After it: by then all is seen that the one before has journaled as its own.
pub(super) const PUT_DOWN: &str =
    "UPDATE journal SET holder = 0 WHERE workspace_id = $1 AND holder = $2 AND due_at IS NULL";

#[derive(QueryableByName)]
struct HolderRow {
    #[diesel(sql_type = Integer)]
    holder: i32,
}

#[derive(QueryableByName)]
struct FreeRow {
    #[diesel(sql_type = Bool)]
    free: bool,
}

/// The session by which this process is known to live. While it lasts, and no longer, what the process has taken up of
/// journals is its own.
pub struct Holding {
    client: Client,
    driver: Pin<Box<dyn Future<Output = ()> + Send>>,
    number: i32,
    of_store: Arc<AtomicI32>,
}

impl Holding {
    /// The number that it goes by, which never comes again.
    pub const fn number(&self) -> i32 {
        self.number
    }

    /// Returns when it is lost.
    pub async fn lost(&mut self) {
        let Self { client, driver, .. } = self;
        let beats = async {
            loop {
                sleep(BEAT).await;
                if !matches!(timeout(ANSWER, client.simple_query(IS_ALIVE)).await, Ok(Ok(_))) {
                    return;
                }
            }
        };
        tokio::select! {
            () = driver => {}
            () = beats => {}
        }
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        // Another may have begun.
        let _ = self.of_store.compare_exchange(self.number, 0, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl PgStore {
    /// Begins to be somebody who takes updates up. What the store did under an earlier number must have ended.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is no connection.
    pub async fn hold_updates(&self) -> Result<Holding, StoreError> {
        let broke = |error: &dyn std::fmt::Display| StoreError::Unavailable(error.to_string());
        let (client, mut driver) = self.address.session(|_, _| ()).await.map_err(|error| broke(&error))?;
        let begin = async {
            client.batch_execute(SILENCE).await?;
            client.query_one(NUMBER, &[&CLASS]).await
        };
        let row = tokio::select! {
            () = &mut driver => return Err(StoreError::Unavailable("it broke at once".to_owned())),
            row = begin => row.map_err(|error| broke(&error))?,
        };
        let number: i32 = row.try_get(0).map_err(|error| broke(&error))?;
        AtomicI32::store(&self.holder, number, Ordering::Release);
        Ok(Holding { client, driver, number, of_store: Arc::clone(&self.holder) })
    }

    /// The number under which this process takes updates up; 0 while it does not.
    pub(super) fn holder(&self) -> i32 {
        AtomicI32::load(&self.holder, Ordering::Acquire)
    }

    /// This process's number, when the workspace's journal is its own to work off, from now on or before; `None` when it
    /// is another's, who lives.
    pub(super) async fn take_hold(&self, workspace: WorkspaceId) -> Result<Option<i32>, StoreError> {
        let own = self.holder();
        if own == 0 {
            return Err(StoreError::Unavailable("no session holds what is taken up".to_owned()));
        }
        for _ in 0..TRIES {
            match self.holder_of(workspace).await? {
                holder if holder == own => return Ok(Some(own)),
                0 => {
                    let mut connection = self.connection().await?;
                    let take = sql(TAKE).bind::<Uuid, _>(workspace.uuid()).bind::<Integer, _>(own);
                    if take.execute(&mut connection).await.map_err(failed)? > 0 {
                        return Ok(Some(own));
                    }
                }
                other if self.is_gone(other).await? => {
                    if self.take_over(workspace, other, own).await? {
                        return Ok(Some(own));
                    }
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    async fn holder_of(&self, workspace: WorkspaceId) -> Result<i32, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<HolderRow> = sql(HOLDER)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(row.map_or(0, |row| row.holder))
    }

    async fn is_gone(&self, holder: i32) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let row: FreeRow = sql(IS_FREE)
            .bind::<Integer, _>(CLASS)
            .bind::<Integer, _>(holder)
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        Ok(row.free)
    }

    /// Whether the workspace went from one to the other, with all that the one before had taken up of it.
    async fn take_over(&self, workspace: WorkspaceId, from: i32, to: i32) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let moved = sql(TAKE_OVER)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Integer, _>(from)
            .bind::<Integer, _>(to)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        if moved == 0 {
            return Ok(false);
        }
        sql(PUT_DOWN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Integer, _>(from)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        transaction.commit().await?;
        Ok(true)
    }

    pub(super) async fn leave_to_others(&self, workspace: WorkspaceId) -> Result<(), StoreError> {
        let own = self.holder();
        if own != 0 {
            self.take_over(workspace, own, 0).await?;
        }
        Ok(())
    }
}
