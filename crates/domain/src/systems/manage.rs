//! What an owner does with a connected system, and how a lost one is found again.

use std::{sync::Arc, time::Duration};

use super::{
    CallFilter, CallOutcome, CallRecord, Route, SystemConnection,
    connect::VERIFY_WITHIN,
    ports::{CustomSystem, SystemCall},
    record::RecordCall,
};
use crate::{
    access::audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// It says how long whoever verifies a lost connection has it for: longer than a verification takes.
const LEASE: Duration = Duration::from_mins(1);
const _: () = assert!(LEASE.as_secs() > VERIFY_WITHIN.as_secs());

/// It shows, verifies and disconnects systems.
pub struct ManageSystem {
    pub system: Arc<dyn CustomSystem>,
    /// It keeps systems, and what became of calls.
    pub record: RecordCall,
    pub cursors: Cursors,
}

impl ManageSystem {
    /// Returns the workspace's; `None` when it has connected none.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn get(&self, workspace: WorkspaceId) -> Result<Option<SystemConnection>, StoreError> {
        self.record.store.find(workspace).await
    }

    /// Asks the system to introduce itself again; how the connection stands then. `None` when there is none.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn verify(&self, acting: Acting) -> Result<Option<SystemConnection>, StoreError> {
        let Some(connected) = self.record.store.open(acting.workspace).await? else { return Ok(None) };
        let (connection, secret) = (connected.connection, connected.secret);
        let began = self.record.deps.clock.now();
        let base = connection.base.clone();
        let call = SystemCall { workspace: acting.workspace, base, secret, within: VERIFY_WITHIN };
        let answered = self.system.verify(&call).await;
        self.record.log(acting.workspace, Route::Verify, &answered, began).await?;
        let introduced = answered.as_ref().map(|answered| &answered.value).map_err(|failed| &failed.error);
        let told = CallOutcome::of_verification(introduced);
        self.record.settle(acting, &connection, &told).await
    }

    /// Disconnects it; `false` when the workspace has connected none. The log of calls stays for its time.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn disconnect(&self, acting: Acting) -> Result<bool, StoreError> {
        let RecordCall { store, deps: Deps { clock, ids, .. }, .. } = &self.record;
        let Some(connection) = store.find(acting.workspace).await? else { return Ok(false) };
        let entry = acting.does(Action::SystemDisconnected, clock.now(), &**ids).to(connection.id);
        store.disconnect(acting.workspace, connection.id, &entry).await
    }

    /// Reads a page of the log of calls, the newest first.
    ///
    /// # Errors
    /// See [`PageError`].
    pub async fn calls(
        &self,
        workspace: WorkspaceId,
        filter: CallFilter,
        asked: &AskedPage,
    ) -> Result<Page<CallRecord>, PageError> {
        let route = filter.route.map_or("", Route::template);
        let result = filter.result.map_or("", |result| result.as_str());
        let list = format!("system-calls:{route}:{result}:{:?}", filter.unusable);
        let page = self.cursors.open(workspace, &list, asked)?;
        let rows = self.record.log.list(workspace, filter, page).await?;
        let place = |call: &CallRecord| Position { at: call.at, id: call.id.uuid() };
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, &list, place)))
    }

    /// Lists workspaces whose connection is lost and is to be verified now.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn to_verify(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.record.store.workspaces_to_verify(self.record.deps.clock.now()).await
    }

    /// Verifies a lost connection of the workspace, unless somebody else does already.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn heal(&self, workspace: WorkspaceId) -> Result<Option<SystemConnection>, StoreError> {
        let now = self.record.deps.clock.now();
        if !self.record.store.claim_verification(workspace, now, now + LEASE).await? {
            return Ok(None);
        }
        self.verify(Acting::service(workspace)).await
    }
}

#[cfg(test)]
mod tests;
