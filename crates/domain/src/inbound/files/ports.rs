//! Ports of the messages that wait for their files.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::{
    attachments::{AttachmentKind, MediaSource, StoredAttachment, ports::MediaOrigin},
    errors::StoreError,
    events::{Customer, Event},
    ids::{MessageId, WorkspaceId},
    messages::Message,
};

/// State of a file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// No outcome yet.
    Pending {
        source: MediaSource,
        /// Type that the network declared; `None` if it declared none.
        content_type: Option<String>,
        /// Hash that the network declared; `None` if it declared none.
        sha256: Option<Vec<u8>>,
    },
    Stored(StoredAttachment),
    /// Left out for good.
    GivenUp,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFile {
    /// Position among the files of the message, from 0.
    pub position: u16,
    pub kind: AttachmentKind,
    pub title: Option<String>,
    /// Whether it is a voice note.
    pub voice: bool,
    pub state: FileState,
}

/// Queue of messages that lack files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesQueue {
    /// Messages whose events wait for the files.
    ToBeTold,
    /// Messages whose events have gone out, and whose files are still fetched.
    Late,
}

/// A message that waits for its files.
#[derive(Debug, Clone)]
pub struct AwaitedMessage {
    /// Queue that it was claimed from.
    pub queue: FilesQueue,
    pub workspace: WorkspaceId,
    pub message: Message,
    /// Customer who wrote the message, or whom it was written to.
    pub customer: Customer,
    /// Where the files come from.
    pub origin: MediaOrigin,
    /// All files of the message, in order.
    pub files: Vec<MessageFile>,
    /// Number of times that it was claimed from this queue, this one included.
    pub attempt: u32,
    pub recorded_at: OffsetDateTime,
}

/// Outcome of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    pub position: u16,
    /// `None` if the file is left out for good.
    pub stored: Option<StoredAttachment>,
}

/// Next step for a message, after a turn on its files.
#[derive(Debug, Clone)]
pub enum AfterFiles {
    /// Some files have no outcome yet, and are tried again at this time.
    TryAt(OffsetDateTime),
    /// Every file has an outcome, or is waited for no longer.
    Announce {
        transcription: Option<String>,
        event: Box<Event>,
        /// Next try of the files that have no outcome; `None` if each has one.
        late_try: Option<OffsetDateTime>,
    },
    /// The event has gone out before.
    Late {
        /// Words of the voice notes that arrived in this turn.
        transcription: Option<String>,
        /// Next try of the files that have no outcome; `None` if each has one.
        next_try: Option<OffsetDateTime>,
    },
}

/// Result of a turn on a message's files.
#[derive(Debug, Clone)]
pub struct FilesChange {
    pub message: MessageId,
    /// Files that came to an outcome in this turn.
    pub outcomes: Vec<FileOutcome>,
    pub next: AfterFiles,
}

/// Queues of messages that wait for their files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AttachmentQueue: Send + Sync {
    /// Lists the workspaces with messages due at `now` in this queue, and claims none.
    async fn workspaces_with_files(
        &self,
        queue: FilesQueue,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims up to `limit` due messages of one workspace until `lease_until`, the longest due first.
    /// Messages whose lease has run out are due again.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        queue: FilesQueue,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<AwaitedMessage>, StoreError>;

    /// Writes the outcomes of files and what follows, in one transaction: if the message is announced, the
    /// transcription, the end of the wait and the deliveries that the event owes; if it was announced before,
    /// the news for the team's open pages.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the message no longer waits: somebody else has announced it.
    async fn commit(&self, workspace: WorkspaceId, change: &FilesChange) -> Result<(), StoreError>;
}
