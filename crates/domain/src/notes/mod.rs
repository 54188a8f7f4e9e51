//! Notes that members write to each other about a conversation. A note is no message: nothing that reads or
//! sends messages touches notes, so none can reach a customer.

mod note;
pub mod ports;

pub use note::{LONGEST_NOTE, MOST_MENTIONS, Note, NoteError};

use std::sync::Arc;

use self::ports::NoteStore;
use crate::{
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, MemberId, NoteId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
    text::is_blank,
};

/// Most mentions listed for a member.
pub const MOST_LISTED_MENTIONS: u32 = 50;

/// Name that sets the cursors of this list apart.
const LIST: &str = "notes";

/// Writes and lists notes.
pub struct Notes {
    pub store: Arc<dyn NoteStore>,
    pub cursors: Cursors,
    pub deps: Deps,
}

impl Notes {
    /// Writes a note. Mentioned members are shown it until they have seen the conversation.
    pub async fn add(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        conversation: ConversationId,
        text: &str,
        mut mentions: Vec<MemberId>,
    ) -> Result<Note, NoteError> {
        let text = text.trim().replace('\0', "");
        if is_blank(&text) || text.chars().nth(LONGEST_NOTE).is_some() {
            return Err(NoteError::Text);
        }
        mentions.sort_unstable();
        mentions.dedup();
        if mentions.len() > MOST_MENTIONS {
            return Err(NoteError::TooManyMentions);
        }
        let (id, created_at) = (NoteId::new(&*self.deps.ids), self.deps.clock.now());
        let note = Note { id, conversation, author, text, mentions, created_at };
        let conversation = self.store.add(workspace, &note).await?;
        Ok(Note { conversation, ..note })
    }

    /// Lists the notes of a conversation, newest first; `None` if the workspace has no such conversation.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        asked: &AskedPage,
    ) -> Result<Option<Page<Note>>, PageError> {
        let list = format!("{LIST}/{conversation}");
        let page = self.cursors.open(workspace, &list, asked)?;
        let Some(rows) = self.store.list(workspace, conversation, page).await? else { return Ok(None) };
        let place = |note: &Note| Position { at: note.created_at, id: note.id.uuid() };
        Ok(Some(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, &list, place))))
    }

    /// Lists the notes that mention a member who has not seen their conversation since, newest first.
    pub async fn mentions(&self, workspace: WorkspaceId, member: MemberId) -> Result<Vec<Note>, StoreError> {
        self.store.mentions(workspace, member, MOST_LISTED_MENTIONS).await
    }

    /// Marks what mentions the member in a conversation as seen.
    pub async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
    ) -> Result<(), StoreError> {
        self.store.see(workspace, member, conversation).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pollster::FutureExt as _;

    use super::{LONGEST_NOTE, MOST_MENTIONS, NoteError, Notes, ports::MockNoteStore};
    use crate::{
        ids::MemberId,
        paging::Cursors,
        testing::{a_conversation, a_member, a_vault, a_workspace, some_deps},
    };

    fn over(store: MockNoteStore) -> Notes {
        Notes { store: Arc::new(store), cursors: Cursors { vault: Arc::new(a_vault()) }, deps: some_deps() }
    }

    #[test]
    fn a_note_is_kept_trimmed_and_mentions_each_member_once() {
        let mut store = MockNoteStore::new();
        store.expect_add().returning(|_, note| Ok(note.conversation));
        let (member, conversation) = (a_member(1).id, a_conversation().id);
        let notes = over(store);
        let written =
            notes.add(a_workspace().id, member, conversation, "  ask\0 Nour ", vec![member, member]);
        let note = written.block_on().unwrap();
        assert_eq!((note.text.as_str(), note.mentions, note.author), ("ask Nour", vec![member], member));
    }

    #[test]
    fn what_is_no_note_reaches_no_store() {
        let many: Vec<MemberId> =
            (0..=MOST_MENTIONS).map(|number| uuid::Uuid::from_u128(number as u128).into()).collect();
        let long = "a".repeat(LONGEST_NOTE + 1);
        for (text, mentions) in [("", vec![]), (" \u{200f}\n", vec![]), (&*long, vec![]), ("a", many)] {
            let notes = over(MockNoteStore::new());
            let refused =
                notes.add(a_workspace().id, a_member(1).id, a_conversation().id, text, mentions).block_on();
            assert!(matches!(refused, Err(NoteError::Text | NoteError::TooManyMentions)), "{refused:?}");
        }
    }
}
