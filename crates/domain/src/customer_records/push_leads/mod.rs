//! Delivery of leads to systems.

use std::{sync::Arc, time::Duration};

use super::{
    lead::{AfterTry, LeadState},
    ports::LeadStore,
};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    systems::{ANSWERS_WITHIN, CallSystem},
};

/// Duration of a claim on a lead: longer than telling a system of it takes.
const LEASE: Duration = Duration::from_mins(1);
const _: () = assert!(LEASE.as_secs() > 2 * ANSWERS_WITHIN.as_secs());

/// Use case that tells systems of leads that are due.
pub struct PushLeads {
    pub systems: CallSystem,
    pub leads: Arc<dyn LeadStore>,
    pub clock: Arc<dyn Clock>,
}

impl PushLeads {
    /// Lists the workspaces with leads that are due; claims none.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.leads.workspaces_with_leads(self.clock.now()).await
    }

    /// Tells the workspace's system of a lead that is due; `None` if none is, or another worker has it.
    ///
    /// # Errors
    /// After an error of the store, the lead is due again when its lease has ended.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Option<AfterTry>, StoreError> {
        let now = self.clock.now();
        let Some(lead) = self.leads.claim(workspace, now, now + LEASE).await? else { return Ok(None) };
        let then = if lead.is_spent() {
            AfterTry::Ended(LeadState::GivenUp)
        } else {
            let result = match self.systems.open(workspace, ANSWERS_WITHIN).await {
                Ok(system) => system.push_lead(&lead.push).await,
                Err(error) => Err(error),
            };
            match (lead.after(&result, self.clock.now()), result) {
                (Some(then), _) => then,
                (None, Err(crate::systems::SystemError::Store(error))) => return Err(error),
                (None, _) => return Ok(None),
            }
        };
        self.leads.settle(workspace, lead.id, lead.attempt, then).await?;
        Ok(Some(then))
    }
}

#[cfg(test)]
mod tests;
