//! Sending again what is in the log.

use std::sync::Arc;

use time::OffsetDateTime;

use super::ports::{DeliveryLog, ResendOutcome, ResendStep, Resent};
use crate::{
    access::audit::{Acting, Action},
    clock::rfc3339_ms,
    deps::Deps,
    errors::StoreError,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
};

/// One transaction puts so many deliveries back in the queue.
const STEP: u32 = 500;
/// So many windows of a workspace may be on their way into the queue at once.
pub const MOST_WINDOWS: u32 = 10;

/// It is a window of an address's log that is sent again: what failed, was held or still waits in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendWindow {
    pub address: WebhookAddressId,
    /// The window begins then.
    pub since: OffsetDateTime,
    /// The window ends before that.
    pub until: OffsetDateTime,
}

/// It is a re-send and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resend {
    pub id: ResendId,
    /// What is in this window is sent again.
    pub window: ResendWindow,
    /// It says how many deliveries had failed, were held or waited when it was asked for.
    pub total: u64,
    /// It has made so many of them due at once.
    pub queued: u64,
    /// So many of those are in the queue.
    pub in_queue: u64,
    /// So many of those have failed for good since.
    pub refused: u64,
    /// So many of those are held, because the address was disabled meanwhile.
    pub held: u64,
    pub created_at: OffsetDateTime,
    /// All was queued then.
    pub ended_at: Option<OffsetDateTime>,
    /// It ended early for this reason.
    pub stopped: Option<String>,
}

/// It says where a re-send is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResendState {
    /// Something waits to be queued or to be delivered.
    UnderWay,
    /// Everything has an outcome.
    Done,
    /// It ended early.
    Stopped,
}

impl ResendState {
    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnderWay => "under_way",
            Self::Done => "done",
            Self::Stopped => "stopped",
        }
    }
}

impl Resend {
    /// Returns how many were delivered since.
    pub const fn delivered(&self) -> u64 {
        self.queued.saturating_sub(self.in_queue).saturating_sub(self.refused).saturating_sub(self.held)
    }

    /// Returns how many wait: to be queued, or in the queue.
    pub const fn waiting(&self) -> u64 {
        let to_be_queued = if self.ended_at.is_none() { self.total.saturating_sub(self.queued) } else { 0 };
        self.in_queue + to_be_queued
    }

    /// Returns where it is.
    pub const fn state(&self) -> ResendState {
        match (self.stopped.is_some(), self.ended_at.is_none() || self.in_queue > 0) {
            (true, _) => ResendState::Stopped,
            (false, true) => ResendState::UnderWay,
            (false, false) => ResendState::Done,
        }
    }
}

/// It says why nothing was sent again.
#[derive(Debug, thiserror::Error)]
pub enum ResendError {
    /// The workspace has no such delivery, or no such address.
    #[error("there is nothing of this id to send again")]
    Unknown,
    /// The address of the window is disabled.
    #[error("the webhook address is disabled: resume it first")]
    Disabled,
    /// As many windows as may be have not ended.
    #[error("{MOST_WINDOWS} windows of this workspace are being sent again: wait for one of them")]
    TooMany,
    /// The window ends before it begins.
    #[error("the window must end after it begins")]
    EmptyWindow,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It sends again, byte for byte and under the same id: one delivery at once, a window as a job.
pub struct ResendDeliveries {
    pub log: Arc<dyn DeliveryLog>,
    pub deps: Deps,
}

impl ResendDeliveries {
    /// Makes one delivery due at once, whatever became of it before and whatever its address's state; that is one more
    /// attempt, and the only one where the address is disabled.
    ///
    /// # Errors
    /// See [`ResendError`].
    pub async fn one(&self, acting: Acting, delivery: DeliveryId) -> Result<(), ResendError> {
        let entry = acting.does(Action::DeliveryResent, self.deps.clock.now(), &*self.deps.ids).to(delivery);
        match self.log.resend(acting.workspace, delivery, &entry).await? {
            Resent::Yes => {
                self.deps.signals.deliveries_due(acting.workspace);
                Ok(())
            }
            Resent::Unknown => Err(ResendError::Unknown),
        }
    }

    /// Has everything that failed or was held in a window sent again, and what waits in it tried at once. Any
    /// dispatcher goes through it, the oldest first, also after a crash.
    ///
    /// # Errors
    /// See [`ResendError`].
    pub async fn window(&self, acting: Acting, window: ResendWindow) -> Result<Resend, ResendError> {
        if window.since >= window.until {
            return Err(ResendError::EmptyWindow);
        }
        let id = ResendId::new(&*self.deps.ids);
        let entry =
            acting.does(Action::WindowResent, self.deps.clock.now(), &*self.deps.ids).to(window.address);
        let entry = entry.with("since", rfc3339_ms(window.since)).with("until", rfc3339_ms(window.until));
        match self.log.begin_resend(acting.workspace, id, &window, MOST_WINDOWS, &entry).await? {
            ResendOutcome::Yes(begun) => {
                self.deps.signals.deliveries_due(acting.workspace);
                Ok(begun)
            }
            ResendOutcome::Unknown => Err(ResendError::Unknown),
            ResendOutcome::Disabled => Err(ResendError::Disabled),
            ResendOutcome::TooMany => Err(ResendError::TooMany),
        }
    }

    /// Says how far a window has come; `None` when the workspace has no such re-send.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn progress(
        &self,
        workspace: WorkspaceId,
        resend: ResendId,
    ) -> Result<Option<Resend>, StoreError> {
        self.log.find_resend(workspace, resend).await
    }

    /// Lists the windows of an address, the newest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Vec<Resend>, StoreError> {
        self.log.list_resends(workspace, address).await
    }

    /// Goes through all windows that have not ended, workspace by workspace, a step at a time, until nothing is
    /// left or `is_over` says so.
    ///
    /// # Errors
    /// Those of the store; what was done stays done.
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
            // What was sent again by hand waits, too, and was not queued by this.
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
