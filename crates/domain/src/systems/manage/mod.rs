//! Management of a connected system by its owner, and healing of a lost connection.

use std::{sync::Arc, time::Duration};

use super::{
    call_log::{CallFilter, CallRecord},
    connect::VERIFY_WITHIN,
    connection::{CallOutcome, SystemConnection},
    ports::{CustomSystem, SystemCall},
    record::RecordCall,
    route::Route,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// Lease of a lost connection's verification: longer than a verification takes.
const LEASE: Duration = Duration::from_mins(1);
const _: () = assert!(LEASE.as_secs() > VERIFY_WITHIN.as_secs());

/// Shows, verifies and disconnects systems.
pub struct ManageSystem {
    pub system: Arc<dyn CustomSystem>,
    pub record: RecordCall,
    pub cursors: Cursors,
}

impl ManageSystem {
    /// Finds the workspace's connection; `None` if it has connected no system.
    pub async fn get(&self, workspace: WorkspaceId) -> Result<Option<SystemConnection>, StoreError> {
        self.record.store.find(workspace).await
    }

    /// Asks the system to introduce itself again and returns the connection after that. `None` if there is
    /// none, or if it was replaced meanwhile.
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

    /// Disconnects the system; `false` if the workspace has connected none. Its log of calls stays for its
    /// retention.
    pub async fn disconnect(&self, acting: Acting) -> Result<bool, StoreError> {
        let RecordCall { store, deps: Deps { clock, ids, .. }, .. } = &self.record;
        let Some(connection) = store.find(acting.workspace).await? else { return Ok(false) };
        let entry = acting.does(Action::SystemDisconnected, clock.now(), &**ids).to(connection.id);
        store.disconnect(acting.workspace, connection.id, &entry).await
    }

    /// Lists calls from the log, newest first.
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

    /// Lists workspaces whose connection is lost and due for verification.
    pub async fn to_verify(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.record.store.workspaces_to_verify(self.record.deps.clock.now()).await
    }

    /// Verifies the workspace's lost connection; `None` if another node does so already or none is due.
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
