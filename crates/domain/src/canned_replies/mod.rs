//! Short texts that members answer with, each by a shortcut such as `/hours`.

mod canned_reply;
pub mod ports;

pub use canned_reply::{
    CannedReply, CannedReplyError, LONGEST_SHORTCUT, LONGEST_TEXT, MOST_CANNED_REPLIES, Shortcut,
};

use std::sync::Arc;

use self::ports::CannedReplyStore;
use crate::{
    deps::Deps,
    errors::StoreError,
    ids::{CannedReplyId, MemberId, WorkspaceId},
    text::is_blank,
};

/// Lists and changes a workspace's canned replies.
pub struct CannedReplies {
    pub store: Arc<dyn CannedReplyStore>,
    pub deps: Deps,
}

impl CannedReplies {
    /// Lists all canned replies, by shortcut.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<CannedReply>, StoreError> {
        self.store.list(workspace).await
    }

    /// Adds a canned reply.
    pub async fn add(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        shortcut: &str,
        text: &str,
    ) -> Result<CannedReply, CannedReplyError> {
        let reply = self.read(CannedReplyId::new(&*self.deps.ids), author, shortcut, text)?;
        self.store.add(workspace, &reply, MOST_CANNED_REPLIES).await?;
        Ok(reply)
    }

    /// Replaces a canned reply.
    pub async fn replace(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        id: CannedReplyId,
        shortcut: &str,
        text: &str,
    ) -> Result<CannedReply, CannedReplyError> {
        let reply = self.read(id, author, shortcut, text)?;
        self.store.replace(workspace, &reply).await?;
        Ok(reply)
    }

    /// Removes a canned reply.
    pub async fn remove(&self, workspace: WorkspaceId, id: CannedReplyId) -> Result<(), CannedReplyError> {
        if self.store.remove(workspace, id).await? { Ok(()) } else { Err(CannedReplyError::Unknown) }
    }

    fn read(
        &self,
        id: CannedReplyId,
        author: MemberId,
        shortcut: &str,
        text: &str,
    ) -> Result<CannedReply, CannedReplyError> {
        let shortcut = Shortcut::read(shortcut).ok_or(CannedReplyError::Shortcut)?;
        let text = text.trim().replace('\0', "");
        if is_blank(&text) || text.chars().nth(LONGEST_TEXT).is_some() {
            return Err(CannedReplyError::Text);
        }
        Ok(CannedReply { id, shortcut, text, author, changed_at: self.deps.clock.now() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pollster::FutureExt as _;

    use super::{CannedReplies, CannedReplyError, LONGEST_TEXT, Shortcut, ports::MockCannedReplyStore};
    use crate::testing::{a_member, a_workspace, some_deps};

    #[test]
    fn a_shortcut_is_letters_and_digits_of_any_script_and_one_in_every_spelling() {
        for (written, wanted) in [
            ("hours", Some("hours")),
            (" /الدوام ", Some("الدوام")),
            ("order-2_b", Some("order-2_b")),
            ("/", None),
            ("", None),
            ("two words", None),
            ("a/b", None),
            ("<b>", None),
        ] {
            let read = Shortcut::read(written);
            assert_eq!(read.as_ref().map(Shortcut::as_str), wanted, "{written}");
        }
        assert!(Shortcut::read(&"a".repeat(33)).is_none());
        let folded = |written| Shortcut::read(written).unwrap().folded();
        assert_eq!(folded("Hours"), folded("HOURS"));
        assert_eq!(folded("أسعار"), folded("اسعار"));
    }

    #[test]
    fn what_is_no_reply_reaches_no_store_and_what_the_store_refuses_is_told() {
        let over = |store| CannedReplies { store: Arc::new(store), deps: some_deps() };
        let (workspace, author) = (a_workspace().id, a_member(1).id);
        for (shortcut, text) in [("", "a"), ("a", " "), ("a", &*"a".repeat(LONGEST_TEXT + 1))] {
            let replies = over(MockCannedReplyStore::new());
            let refused = replies.add(workspace, author, shortcut, text).block_on();
            let wanted = matches!(refused, Err(CannedReplyError::Shortcut | CannedReplyError::Text));
            assert!(wanted, "{shortcut} {refused:?}");
        }
        for written in [Ok(()), Err(CannedReplyError::Taken), Err(CannedReplyError::TooMany)] {
            let mut store = MockCannedReplyStore::new();
            store.expect_add().return_const(written.clone());
            let added = over(store).add(workspace, author, "hours", " من 9 إلى 17 ").block_on();
            assert_eq!(added.map(drop), written);
        }
    }
}
