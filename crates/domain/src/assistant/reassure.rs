//! One more sentence for customers who write on while they wait for a person.

use std::sync::Arc;

use super::{
    hand_over::HandOver,
    ports::{WaitingCustomer, WaitingStore},
};
use crate::{errors::StoreError, ids::WorkspaceId, lease::LEASE};

/// Use case that tells them once that they are not forgotten, or when the team is back.
pub struct Reassure {
    pub store: Arc<dyn WaitingStore>,
    pub hand_over: HandOver,
}

impl Reassure {
    /// Lists the workspaces with customers who are due, without claiming any.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.store.workspaces_where_customers_wait(self.hand_over.now()).await
    }

    /// Looks at one customer who has written on, and queues what they are told; `false` if there is none.
    ///
    /// # Errors
    /// After an error of the store, the customer is due again when the lease ends.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let now = self.hand_over.now();
        let Some(waiting) = self.store.claim_waiting(workspace, now, now + LEASE).await? else {
            return Ok(false);
        };
        let WaitingCustomer { conversation, handed_over_at, .. } = waiting;
        let says = self.hand_over.one_more(workspace, conversation, handed_over_at).await?;
        self.store.settle_waiting(workspace, &waiting, says).await?;
        Ok(true)
    }
}
