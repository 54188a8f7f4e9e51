//! Sending again what is in the log.

use std::sync::Arc;

use time::OffsetDateTime;

use super::ports::{Begun, DeliveryLog, ResendStep, Resent};
use crate::{
    access::audit::{Acting, Action},
    clock::{Clock, rfc3339_ms},
    errors::StoreError,
    ids::{DeliveryId, IdSource, ResendId, WebhookAddressId, WorkspaceId},
    signals::Signals,
};

/// Deliveries put back in the queue by one transaction.
const STEP: u32 = 500;

/// A window of an address's log that is sent again: what failed or was held in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResendWindow {
    /// The address.
    pub address: WebhookAddressId,
    /// From when on.
    pub since: OffsetDateTime,
    /// Before when.
    pub until: OffsetDateTime,
}

/// A re-send and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resend {
    /// Its id.
    pub id: ResendId,
    /// What is sent again.
    pub window: ResendWindow,
    /// How many deliveries had failed or were held when it was asked for.
    pub total: u64,
    /// How many of them are due again, or have been since.
    pub resent: u64,
    /// When it was asked for.
    pub created_at: OffsetDateTime,
    /// When it ended.
    pub ended_at: Option<OffsetDateTime>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// Nothing was sent again.
#[derive(Debug, thiserror::Error)]
pub enum ResendError {
    /// The workspace has no such delivery, or no such address.
    #[error("there is nothing of this id to send again")]
    Unknown,
    /// The address is disabled.
    #[error("the webhook address is disabled: resume it first")]
    Disabled,
    /// The window ends before it begins.
    #[error("the window must end after it begins")]
    EmptyWindow,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sends again, byte for byte and under the same id: one delivery at once, a window as a job.
pub struct ResendDeliveries {
    /// The log.
    pub log: Arc<dyn DeliveryLog>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// Wakes who delivers.
    pub signals: Arc<dyn Signals>,
}

impl ResendDeliveries {
    /// Makes one delivery due at once, whatever became of it before; that is one more attempt.
    ///
    /// # Errors
    /// See [`ResendError`].
    pub async fn one(&self, acting: Acting, delivery: DeliveryId) -> Result<(), ResendError> {
        let entry = acting.does(Action::DeliveryResent, self.clock.now(), &*self.ids).to(delivery);
        match self.log.resend(delivery, &entry).await? {
            Resent::Yes => {
                self.signals.deliveries_due(acting.workspace);
                Ok(())
            }
            Resent::Unknown => Err(ResendError::Unknown),
            Resent::Disabled => Err(ResendError::Disabled),
        }
    }

    /// Has everything that failed or was held in a window sent again. Any dispatcher goes through it, the oldest
    /// first, also after a crash.
    ///
    /// # Errors
    /// See [`ResendError`].
    pub async fn window(&self, acting: Acting, window: ResendWindow) -> Result<Resend, ResendError> {
        if window.since >= window.until {
            return Err(ResendError::EmptyWindow);
        }
        let id = ResendId::new(&*self.ids);
        let entry = acting.does(Action::WindowResent, self.clock.now(), &*self.ids).to(window.address);
        let entry = entry.with("since", rfc3339_ms(window.since)).with("until", rfc3339_ms(window.until));
        match self.log.begin_resend(id, &window, &entry).await? {
            Begun::Yes(begun) => {
                self.signals.deliveries_due(acting.workspace);
                Ok(begun)
            }
            Begun::Unknown => Err(ResendError::Unknown),
            Begun::Disabled => Err(ResendError::Disabled),
        }
    }

    /// How far a window has come; `None` when the workspace has no such re-send.
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

    /// The windows of an address, newest first.
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
                let step = self.log.step_resend(workspace, self.clock.now(), STEP).await?;
                self.signals.deliveries_due(workspace);
                if step == ResendStep::More && !is_over() {
                    unfinished.push(workspace);
                }
            }
            workspaces = unfinished;
        }
        Ok(())
    }
}
