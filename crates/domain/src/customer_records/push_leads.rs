//! Telling systems of leads.

use std::{sync::Arc, time::Duration};

use super::{AfterTry, LeadState, ports::LeadStore};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    systems::{ANSWERS_WITHIN, CallSystem},
};

/// It says how long whoever tells a system of a lead has it for: longer than that takes.
const LEASE: Duration = Duration::from_mins(1);
const _: () = assert!(LEASE.as_secs() > 2 * ANSWERS_WITHIN.as_secs());

/// It tells systems of leads that are due.
pub struct PushLeads {
    pub systems: CallSystem,
    pub leads: Arc<dyn LeadStore>,
    pub clock: Arc<dyn Clock>,
}

impl PushLeads {
    /// Lists workspaces with leads that are due. It only reads.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.leads.workspaces_with_leads(self.clock.now()).await
    }

    /// Tells the workspace's system of a lead that is due. `None` when none is, or somebody else has it.
    ///
    /// # Errors
    /// Those of the store; the lead is due again when its lease has ended.
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
