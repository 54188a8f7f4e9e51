//! What the team sees of drafts, and taking one back.

use std::sync::Arc;

use super::ports::{DraftRecord, DraftStore};
use crate::{
    access::audit::{Acting, Action},
    consent::DraftState,
    customer_records::ports::CustomerStore,
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, DraftId, WorkspaceId},
};

/// Drafts that a list shows at most: the newest.
pub const MOST_LISTED: u8 = 50;

/// A conversation's drafts.
pub struct ManageDrafts {
    /// Where they are kept.
    pub drafts: Arc<dyn DraftStore>,
    /// Whom conversations are with.
    pub customers: Arc<dyn CustomerStore>,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl ManageDrafts {
    /// The conversation's newest drafts; `None` when the workspace has no such conversation. One whose time is over
    /// and that nobody has answered is expired.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Takes an open draft back; `false` when the conversation has no such open draft.
    ///
    /// # Errors
    /// Those of the store.
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
