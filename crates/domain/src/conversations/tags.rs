//! Tags: words that a team sorts its conversations by.

use std::sync::Arc;

use super::ports::{MOST_TAGS, TagError, TagStore};
use crate::{
    audit::{Acting, Action, AuditEntry},
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    tag::Tag,
};

/// Most tags in use that are listed.
pub const MOST_LISTED_TAGS: u32 = 200;

/// Use case that adds, removes and lists the tags of conversations.
pub struct TagConversation {
    pub store: Arc<dyn TagStore>,
    pub deps: Deps,
}

impl TagConversation {
    /// Adds a tag; one that the conversation has already, in whatever spelling, stays as it is.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
    ) -> Result<(), TagError> {
        self.add(workspace, conversation, tag, None).await
    }

    /// Adds a tag for a team member, which the audit log then has.
    pub async fn run_by(
        &self,
        acting: Acting,
        conversation: ConversationId,
        tag: &Tag,
    ) -> Result<(), TagError> {
        let entry = self.entry(acting, Action::ConversationTagged, conversation, tag);
        self.add(acting.workspace, conversation, tag, Some(entry)).await
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        entry: Option<AuditEntry>,
    ) -> Result<(), TagError> {
        self.store.tag(workspace, conversation, tag, MOST_TAGS, entry).await
    }

    fn entry(&self, acting: Acting, action: Action, conversation: ConversationId, tag: &Tag) -> AuditEntry {
        acting.does(action, self.deps.clock.now(), &*self.deps.ids).to(conversation).with("tag", tag.as_str())
    }

    /// Takes a tag off, in whatever spelling; does nothing if the conversation does not have it.
    pub async fn untag(
        &self,
        acting: Acting,
        conversation: ConversationId,
        tag: &Tag,
    ) -> Result<(), StoreError> {
        let entry = self.entry(acting, Action::ConversationUntagged, conversation, tag);
        self.store.untag(acting.workspace, conversation, tag, &entry).await.map(drop)
    }

    /// Lists a conversation's tags, by name.
    pub async fn tags(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Vec<String>, StoreError> {
        Ok(self.tags_of(workspace, &[conversation]).await?.pop().unwrap_or_default())
    }

    /// Lists up to [`MOST_LISTED_TAGS`] tags that the workspace's conversations have.
    pub async fn in_use(&self, workspace: WorkspaceId) -> Result<Vec<String>, StoreError> {
        self.store.tags_in_use(workspace, MOST_LISTED_TAGS).await
    }

    /// Lists the tags of each of several conversations, by name.
    pub async fn tags_of(
        &self,
        workspace: WorkspaceId,
        conversations: &[ConversationId],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        self.store.tags(workspace, conversations).await
    }
}
