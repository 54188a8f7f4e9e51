//! Re-sends of logged deliveries: one at once, or a window of an address's log as a job.

use std::sync::Arc;

use serde::Serialize;
use time::OffsetDateTime;

use super::ports::{DeliveryLog, ResendStep};
use crate::{
    audit::{Acting, Action},
    clock::rfc3339_ms,
    deps::Deps,
    errors::StoreError,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
};

/// Most deliveries that one transaction puts back in the queue.
const STEP: u32 = 500;
/// Most windows of a workspace that may be on their way into the queue at once.
pub const MOST_WINDOWS: u32 = 10;

/// Window of an address's log whose failed, held and waiting deliveries are sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendWindow {
    pub address: WebhookAddressId,
    /// Inclusive.
    pub since: OffsetDateTime,
    /// Exclusive.
    pub until: OffsetDateTime,
}

/// A re-send of a window and its progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resend {
    pub id: ResendId,
    pub window: ResendWindow,
    /// Deliveries that had failed, were held or waited when the re-send was requested.
    pub total: u64,
    /// Deliveries that the re-send has gone past so far, each made due at once.
    pub queued: u64,
    /// Of those gone past, deliveries that wait in the queue; those re-sent singly count too.
    pub in_queue: u64,
    /// Of those, deliveries that have failed for good since.
    pub refused: u64,
    /// Of those, deliveries that are held because the address was disabled meanwhile.
    pub held: u64,
    pub created_at: OffsetDateTime,
    /// Time when all was queued or the re-send was stopped; `None` before.
    pub ended_at: Option<OffsetDateTime>,
    /// Reason why the re-send ended early.
    pub stopped: Option<String>,
}

/// State of a re-send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResendState {
    /// Something waits to be queued or delivered.
    UnderWay,
    /// Every delivery has an outcome.
    Done,
    /// Ended early.
    Stopped,
}

impl ResendState {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnderWay => "under_way",
            Self::Done => "done",
            Self::Stopped => "stopped",
        }
    }
}

impl Resend {
    /// Returns the number of deliveries delivered since.
    pub const fn delivered(&self) -> u64 {
        self.queued.saturating_sub(self.in_queue).saturating_sub(self.refused).saturating_sub(self.held)
    }

    /// Returns the number of deliveries that wait, to be queued or in the queue.
    pub const fn waiting(&self) -> u64 {
        let to_be_queued = if self.ended_at.is_none() { self.total.saturating_sub(self.queued) } else { 0 };
        self.in_queue + to_be_queued
    }

    /// Returns the re-send's state.
    pub const fn state(&self) -> ResendState {
        match (self.stopped.is_some(), self.ended_at.is_none() || self.in_queue > 0) {
            (true, _) => ResendState::Stopped,
            (false, true) => ResendState::UnderWay,
            (false, false) => ResendState::Done,
        }
    }
}

/// Reason why nothing was sent again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResendError {
    /// The workspace has no such delivery, or no such address.
    #[error("there is nothing of this id to send again")]
    Unknown,
    #[error("the webhook address is disabled: resume it first")]
    Disabled,
    /// [`MOST_WINDOWS`] windows have not ended.
    #[error("{MOST_WINDOWS} windows of this workspace are being sent again: wait for one of them")]
    TooMany,
    /// The window does not end after it begins.
    #[error("the window must end after it begins")]
    EmptyWindow,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sends logged deliveries again, byte for byte and under the same id.
pub struct ResendDeliveries {
    pub log: Arc<dyn DeliveryLog>,
    pub deps: Deps,
}

impl ResendDeliveries {
    /// Makes one delivery due at once, in whatever state it is, for one more attempt. If its address is
    /// disabled, no other attempt follows that one.
    pub async fn one(&self, acting: Acting, delivery: DeliveryId) -> Result<(), ResendError> {
        let entry = acting.does(Action::DeliveryResent, self.deps.clock.now(), &*self.deps.ids).to(delivery);
        self.log.resend(acting.workspace, delivery, &entry).await?;
        self.deps.signals.deliveries_due(acting.workspace);
        Ok(())
    }

    /// Begins a re-send of what failed or was held in a window; what waits in it is made due at once. Any
    /// node's dispatcher goes on with it, oldest delivery first, also after a crash.
    pub async fn window(&self, acting: Acting, window: ResendWindow) -> Result<Resend, ResendError> {
        if window.since >= window.until {
            return Err(ResendError::EmptyWindow);
        }
        let id = ResendId::new(&*self.deps.ids);
        let entry =
            acting.does(Action::WindowResent, self.deps.clock.now(), &*self.deps.ids).to(window.address);
        let entry = entry.with("since", rfc3339_ms(window.since)).with("until", rfc3339_ms(window.until));
        let begun = self.log.begin_resend(acting.workspace, id, &window, MOST_WINDOWS, &entry).await?;
        self.deps.signals.deliveries_due(acting.workspace);
        Ok(begun)
    }

    /// Finds a re-send with its progress; `None` if the workspace has none of that id.
    pub async fn progress(
        &self,
        workspace: WorkspaceId,
        resend: ResendId,
    ) -> Result<Option<Resend>, StoreError> {
        self.log.find_resend(workspace, resend).await
    }

    /// Lists the re-sends of an address, newest first.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Vec<Resend>, StoreError> {
        self.log.list_resends(workspace, address).await
    }

    /// Goes on with all re-sends that have not ended, one step of each workspace in turn, until nothing is
    /// left or `is_over` returns true. If the store fails, the steps done stay done.
    pub async fn go_on(&self, is_over: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let mut workspaces = self.log.workspaces_resending().await?;
        while !workspaces.is_empty() && !is_over() {
            let mut unfinished = Vec::new();
            for workspace in workspaces {
                let step = self.log.step_resend(workspace, self.deps.clock.now(), STEP).await?;
                self.deps.signals.deliveries_due(workspace);
                if step == ResendStep::More && !is_over() {
                    unfinished.push(workspace);
                }
            }
            workspaces = unfinished;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{Resend, ResendState, ResendWindow};
    use crate::testing::a_moment;

    #[test]
    fn a_resend_is_done_when_nothing_waits() {
        use ResendState::{Done, Stopped, UnderWay};
        let (ended, running) = (Some(a_moment()), None);
        // total, queued, in the queue, refused, held, ended, stopped; delivered, waiting, state.
        for (total, queued, in_queue, refused, held, ended_at, stopped, wanted) in [
            (0, 0, 0, 0, 0, running, false, (0, 0, UnderWay)),
            (0, 0, 0, 0, 0, ended, false, (0, 0, Done)),
            (9, 4, 3, 0, 0, running, false, (1, 8, UnderWay)),
            (9, 9, 3, 1, 0, ended, false, (5, 3, UnderWay)),
            (9, 9, 0, 1, 0, ended, false, (8, 0, Done)),
            (9, 9, 0, 2, 7, ended, false, (0, 0, Done)),
            (9, 4, 1, 0, 0, ended, true, (3, 1, Stopped)),
            // A delivery re-sent singly waits too, though this re-send did not queue it.
            (2, 2, 3, 0, 0, ended, false, (0, 3, UnderWay)),
        ] {
            let window = ResendWindow { address: Uuid::nil().into(), since: a_moment(), until: a_moment() };
            let resend = Resend {
                id: Uuid::nil().into(),
                window,
                total,
                queued,
                in_queue,
                refused,
                held,
                created_at: a_moment(),
                ended_at,
                stopped: stopped.then(|| "the address is disabled".to_owned()),
            };
            assert_eq!((resend.delivered(), resend.waiting(), resend.state()), wanted, "{resend:?}");
        }
    }
}
