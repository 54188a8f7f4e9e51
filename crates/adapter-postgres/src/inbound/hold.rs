//! Holders of workspaces' journals: one process at a time, as long as its connection lasts.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI32, Ordering},
    },
    time::Duration,
};

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl};
use domain::{errors::StoreError, ids::WorkspaceId};
use tokio::time::{sleep, timeout};
use tokio_postgres::Client;

use crate::{
    error::failed,
    inbound::PgInbound,
    schema::{journal, journal_hands},
    sql::{RunQueryDsl, bare, pg_try_advisory_xact_lock},
};

/// Class of the advisory locks on processes' numbers. An arbitrary number, used for nothing else.
const CLASS: i32 = 0x6d73_6768;
/// Lets the server end a session after this silence: the process hangs, or its machine is gone.
const SILENCE: &str = "SET idle_session_timeout = '15s'";
/// Interval between signs of life of a session.
const BEAT: Duration = Duration::from_secs(4);
/// Time limit for the server to answer one.
const ANSWER: Duration = Duration::from_secs(8);
/// Attempts to win a race for a workspace.
const TRIES: usize = 4;

const NUMBER: &str = "SELECT number::integer, pg_advisory_lock(:class, number::integer)::text
    FROM nextval('journal_holders') number";

/// A session that shows that this process is alive. While it lasts, and no longer, the updates that the
/// process has claimed are its own.
pub struct Holding {
    client: Client,
    driver: Pin<Box<dyn Future<Output = ()> + Send>>,
    number: i32,
    of_store: Arc<AtomicI32>,
}

impl Holding {
    /// Returns the session's number, which is never used again.
    pub const fn number(&self) -> i32 {
        self.number
    }

    /// Waits until the session is lost.
    pub async fn lost(&mut self) {
        let Self { client, driver, .. } = self;
        let beats = async {
            loop {
                sleep(BEAT).await;
                if !matches!(timeout(ANSWER, client.batch_execute("")).await, Ok(Ok(()))) {
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
        // Another session may have begun.
        let _ = self.of_store.compare_exchange(self.number, 0, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl PgInbound {
    /// Opens the session with which this process claims updates. All work under an earlier number must have
    /// ended.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when there is no connection.
    pub async fn hold_updates(&self) -> Result<Holding, StoreError> {
        let broke = |error: &dyn std::fmt::Display| StoreError::Unavailable(error.to_string());
        let (client, mut driver) =
            self.database.address.session(|_, _| ()).await.map_err(|error| broke(&error))?;
        let (number, values) = bare(NUMBER, &[("class", &CLASS)]);
        let begin = async {
            client.batch_execute(SILENCE).await?;
            client.query_one(number.as_str(), &values).await
        };
        let row = tokio::select! {
            () = &mut driver => return Err(StoreError::Unavailable("it broke at once".to_owned())),
            row = begin => row.map_err(|error| broke(&error))?,
        };
        let number: i32 = row.try_get(0).map_err(|error| broke(&error))?;
        AtomicI32::store(&self.database.holder, number, Ordering::Release);
        Ok(Holding { client, driver, number, of_store: Arc::clone(&self.database.holder) })
    }

    /// Returns the number under which this process claims updates; 0 while it has none.
    pub(super) fn holder(&self) -> i32 {
        AtomicI32::load(&self.database.holder, Ordering::Acquire)
    }

    pub(super) fn own_number(&self) -> Result<i32, StoreError> {
        let own = self.holder();
        let nobody = || StoreError::Unavailable("no session holds what is taken up".to_owned());
        (own != 0).then_some(own).ok_or_else(nobody)
    }

    /// Makes this process the holder of the workspace's journal; `false` if another living process is.
    pub(super) async fn take_hold(&self, workspace: WorkspaceId, own: i32) -> Result<bool, StoreError> {
        for _ in 0..TRIES {
            let taken = match self.holder_of(workspace).await? {
                None => self.take_first(workspace, own).await?,
                Some(holder) if holder == own => true,
                Some(other) if other == 0 || self.is_gone(other).await? => {
                    self.take_over(workspace, other, own).await?
                }
                Some(_) => return Ok(false),
            };
            if taken {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn holder_of(&self, workspace: WorkspaceId) -> Result<Option<i32>, StoreError> {
        let mut connection = self.database.connection().await?;
        let holder = journal_hands::table
            .filter(journal_hands::workspace_id.eq(workspace.uuid()))
            .select(journal_hands::holder)
            .get_result(&mut connection);
        holder.await.optional().map_err(failed)
    }

    /// Takes a journal that nobody has held yet; `false` if somebody has.
    async fn take_first(&self, workspace: WorkspaceId, own: i32) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let written = diesel::insert_into(journal_hands::table)
            .values((journal_hands::workspace_id.eq(workspace.uuid()), journal_hands::holder.eq(own)))
            .on_conflict_do_nothing()
            .execute(&mut connection);
        Ok(written.await.map_err(failed)? > 0)
    }

    async fn is_gone(&self, holder: i32) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let is_free = diesel::select(pg_try_advisory_xact_lock(CLASS, holder));
        is_free.get_result(&mut connection).await.map_err(failed)
    }

    /// Passes the workspace's journal from one holder to another, with the updates that the former has
    /// claimed; `false` if `from` is not the holder.
    async fn take_over(&self, workspace: WorkspaceId, from: i32, to: i32) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        // Waits for what the former holder still writes; what it writes afterwards sees the change.
        flight.add(
            diesel::update(journal_hands::table)
                .filter(journal_hands::workspace_id.eq(workspace.uuid()))
                .filter(journal_hands::holder.eq(from))
                .set(journal_hands::holder.eq(to)),
        );
        let moved = transaction.begin_with(flight.counts()).await.map_err(failed)?;
        if moved == [0] {
            transaction.commit().await?;
            return Ok(false);
        }
        let mut flight = transaction.flight();
        if from != 0 {
            // By now everything that the former holder has journaled as its own is visible.
            flight.add(
                diesel::update(journal::table)
                    .filter(journal::workspace_id.eq(workspace.uuid()))
                    .filter(journal::holder.eq(from))
                    .filter(journal::due_at.is_null())
                    .set(journal::holder.eq(0)),
            );
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
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
