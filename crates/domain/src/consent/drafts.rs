//! The team's list of a conversation's drafts, and their withdrawal.

use std::sync::Arc;

use super::{
    draft::DraftState,
    ports::{DraftRecord, DraftStore},
};
use crate::{
    audit::{Acting, Action},
    customer_records::ports::CustomerStore,
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, DraftId, WorkspaceId},
};

/// Largest number of drafts in a list; the newest are kept.
pub const MOST_LISTED: u8 = 50;

/// Use case that lists and withdraws a conversation's drafts.
pub struct ManageDrafts {
    pub drafts: Arc<dyn DraftStore>,
    pub customers: Arc<dyn CustomerStore>,
    pub deps: Deps,
}

impl ManageDrafts {
    /// Lists the conversation's newest drafts; `None` if the workspace has no such conversation. An
    /// unanswered draft whose time is over is listed as expired.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Vec<DraftRecord>>, StoreError> {
        let Some(customer) = self.customers.customer_of(workspace, conversation).await? else {
            return Ok(None);
        };
        let now = self.deps.clock.now();
        let mut drafts = self.drafts.drafts(workspace, customer.conversation, MOST_LISTED).await?;
        for draft in &mut drafts {
            if draft.state == DraftState::Open && draft.expires_at <= now {
                draft.state = DraftState::Expired;
            }
        }
        Ok(Some(drafts))
    }

    /// Withdraws an open draft; `false` if the conversation has no such open draft.
    pub async fn withdraw(
        &self,
        acting: Acting,
        conversation: ConversationId,
        draft: DraftId,
    ) -> Result<bool, StoreError> {
        let customer = self.customers.customer_of(acting.workspace, conversation).await?;
        let Some(customer) = customer else { return Ok(false) };
        let entry = acting.does(Action::DraftWithdrawn, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(customer.conversation).with("draftId", draft.to_string());
        self.drafts.withdraw(acting.workspace, customer.conversation, draft, &entry).await
    }
}
