//! Tags: words that a team sorts its conversations by.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ports::{TagStore, Tagged};
use crate::{
    access::audit::{Acting, Action, AuditEntry},
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    text::fold_for_search,
};

/// Longest tag, in characters.
const LONGEST: usize = 50;
/// Most tags of a conversation.
pub const MOST_TAGS: u32 = 20;
/// Most tags in use that are listed.
pub const MOST_LISTED_TAGS: u32 = 200;

/// A tag of 1 to 50 characters, without white space at the ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

impl TryFrom<String> for Tag {
    type Error = InvalidTag;

    fn try_from(written: String) -> Result<Self, InvalidTag> {
        Self::read(&written)
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

/// Error for a text that is no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tag has 1 to 50 characters, white space at the ends not counted, one of them a letter or a sign")]
pub struct InvalidTag;

impl Tag {
    /// Parses a tag.
    ///
    /// # Errors
    /// [`InvalidTag`] if it is too long, has control characters, or has nothing visible.
    pub fn read(written: &str) -> Result<Self, InvalidTag> {
        let tag = Self(written.trim().to_owned());
        let fits = tag.0.chars().nth(LONGEST).is_none() && !tag.0.contains(char::is_control);
        if fits && !tag.folded().is_empty() { Ok(tag) } else { Err(InvalidTag) }
    }

    /// Returns the tag as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the form that tells tags apart: capitals and the forms of a letter make no difference.
    pub fn folded(&self) -> String {
        fold_for_search(&self.0)
    }
}

/// Reason that a tag was not added.
#[derive(Debug, thiserror::Error)]
pub enum TagError {
    #[error("there is no such conversation in this workspace")]
    NotFound,
    #[error("a conversation has at most {MOST_TAGS} tags")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

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
        match self.store.tag(workspace, conversation, tag, MOST_TAGS, entry).await? {
            Tagged::Yes => Ok(()),
            Tagged::TooMany => Err(TagError::TooMany),
            Tagged::NoConversation => Err(TagError::NotFound),
        }
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

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn a_tag_is_trimmed_and_told_apart_by_its_letters() {
        let read = |written: &str| Tag::read(written).ok().map(|tag| (tag.0.clone(), tag.folded()));
        let known = |tag: &str, folded: &str| Some((tag.to_owned(), folded.to_owned()));
        let longest = "ع".repeat(50);
        assert_eq!(read("  VIP "), known("VIP", "vip"));
        assert_eq!(read("أحمد"), known("أحمد", "احمد"));
        assert_eq!(read("★"), known("★", "★"));
        assert_eq!(read(&longest), known(&longest, &longest));
        for written in ["", "  \u{a0}", "\u{200f}", "ـ", "a\tb", "a\0", &format!("{longest}a")] {
            assert_eq!(read(written), None, "{written:?}");
        }
    }
}
