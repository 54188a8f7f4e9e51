//! What members write to each other about a conversation. A note is no message: nothing that reads or sends messages
//! comes by one, so that none can leave.

pub mod ports;

use std::sync::Arc;

use time::OffsetDateTime;

use self::ports::{NoteAdded, NoteStore};
use crate::{
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, MemberId, NoteId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
    text::is_blank,
};

/// A note has at most so many characters.
pub const LONGEST_NOTE: usize = 4_000;
/// A note mentions at most so many members.
pub const MOST_MENTIONS: usize = 20;
/// A member is shown at most so many mentions.
pub const MOST_LISTED_MENTIONS: u32 = 50;

/// It sets this list's cursors apart.
const LIST: &str = "notes";

/// A note is what a member writes to the team about a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub conversation: ConversationId,
    pub author: MemberId,
    pub text: String,
    pub mentions: Vec<MemberId>,
    pub created_at: OffsetDateTime,
}

impl std::fmt::Debug for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Note").field("id", &self.id).finish_non_exhaustive()
    }
}

/// It says why a note was not written.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// The text cannot be one.
    #[error("`text` must have 1 to {LONGEST_NOTE} characters, not all of them white space")]
    Text,
    /// The note mentions too many.
    #[error("`mentions` has at most {MOST_MENTIONS} members")]
    TooManyMentions,
    /// Somebody that it mentions is not on the team.
    #[error("`mentions` names somebody who is not on the team")]
    UnknownMember,
    /// The workspace has no such conversation.
    #[error("there is no such conversation")]
    UnknownConversation,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It writes and reads notes.
pub struct Notes {
    pub store: Arc<dyn NoteStore>,
    pub cursors: Cursors,
    pub deps: Deps,
}

impl Notes {
    /// Writes a note. Whoever it mentions is shown it until they have seen the conversation.
    ///
    /// # Errors
    /// See [`NoteError`].
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
        match self.store.add(workspace, &note).await? {
            NoteAdded::To(conversation) => Ok(Note { conversation, ..note }),
            NoteAdded::NoConversation => Err(NoteError::UnknownConversation),
            NoteAdded::NoMember => Err(NoteError::UnknownMember),
        }
    }

    /// Lists the notes of a conversation, newest first; `None` when the workspace has no such conversation.
    ///
    /// # Errors
    /// See [`PageError`].
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

    /// Returns the notes that mention a member who has not seen their conversation since, newest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn mentions(&self, workspace: WorkspaceId, member: MemberId) -> Result<Vec<Note>, StoreError> {
        self.store.mentions(workspace, member, MOST_LISTED_MENTIONS).await
    }

    /// Notes that the member has seen what mentions them in a conversation.
    ///
    /// # Errors
    /// Those of the store.
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

    use super::{
        LONGEST_NOTE, MOST_MENTIONS, NoteError, Notes,
        ports::{MockNoteStore, NoteAdded},
    };
    use crate::{
        ids::MemberId,
        paging::Cursors,
        testing::{
            ManualClock, SequentialIds, a_conversation, a_member, a_moment, a_vault, a_workspace, deps_of,
        },
    };

    fn over(store: MockNoteStore) -> Notes {
        let deps = deps_of(Arc::new(ManualClock::at(a_moment())), Arc::new(SequentialIds::default()));
        Notes { store: Arc::new(store), cursors: Cursors { vault: Arc::new(a_vault()) }, deps }
    }

    #[test]
    fn a_note_is_kept_trimmed_and_mentions_each_member_once() {
        let mut store = MockNoteStore::new();
        store.expect_add().returning(|_, note| Ok(NoteAdded::To(note.conversation)));
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
