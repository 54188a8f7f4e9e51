//! Records of calls.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    answered::{Answered, FailedCall},
    call_log::CallRecord,
    capability::Capability,
    connection::{CallOutcome, SystemConnection},
    ports::{CallLog, ConnectionChange, SystemStore},
    route::Route,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::WorkspaceId,
};

/// Attempts at a change that others get ahead of.
const TRIES: usize = 8;

/// Records a call in the log of calls and on the connection.
#[derive(Clone)]
pub struct RecordCall {
    pub store: Arc<dyn SystemStore>,
    pub log: Arc<dyn CallLog>,
    pub deps: Deps,
}

impl RecordCall {
    /// Logs a call that began at `began` and has just ended.
    pub async fn log<T: Sync>(
        &self,
        workspace: WorkspaceId,
        route: Route,
        result: &Result<Answered<T>, FailedCall>,
        began: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let record = CallRecord::of(route, result, began, self.deps.clock.now(), &*self.deps.ids);
        self.log.add(workspace, &record).await
    }

    /// Updates the connection `called` by what the call said of it and returns it. `None` if the workspace
    /// has disconnected it, replaced it, or given it another secret meanwhile.
    pub async fn settle(
        &self,
        acting: Acting,
        called: &SystemConnection,
        call: &CallOutcome,
    ) -> Result<Option<SystemConnection>, StoreError> {
        retry_stale(TRIES, || async {
            let found = self.store.find(acting.workspace).await?;
            let Some(before) = found.filter(|connection| connection.is_still(called)) else {
                return Ok(None);
            };
            let now = self.deps.clock.now();
            let after = before.after(call, now);
            if after == before {
                return Ok(Some(after));
            }
            let entry = after.is_news_after(&before).then(|| {
                let (was, is) = (before.health.state.name(), after.health.state.name());
                let capabilities = after.introduction.capabilities.iter().map(Capability::as_str);
                let entry = acting.does(Action::SystemChanged, now, &*self.deps.ids).to(called.id);
                entry
                    .with("was", was.as_str())
                    .with("state", is.as_str())
                    .with("capabilities", capabilities.collect::<Vec<_>>())
            });
            let change = ConnectionChange { after, entry };
            self.store.settle(acting.workspace, &change).await?;
            Ok(Some(change.after))
        })
        .await
    }
}
