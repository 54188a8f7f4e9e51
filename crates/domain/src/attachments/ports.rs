//! What fetching, keeping and serving files needs from outside.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{AttachmentKind, ContentType, ObjectKey, StoredAttachment};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{MemberId, MessageId, UploadId, WorkspaceId},
    inbound::MediaSource,
    messages::Message,
    webhooks::{Customer, Event},
};

/// How long a link to a file is good.
pub const LINK_LIFETIME: Duration = Duration::from_hours(24);

/// A file could not be fetched, kept or rendered. Its words are for the log and hold no address and no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// It may succeed later.
    #[error("{0}")]
    Passing(String),
    /// It never will.
    #[error("{0}")]
    Final(String),
}

impl MediaError {
    /// Whether it may succeed later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Passing(_))
    }
}

/// The bytes of a file as they come. An error ends them.
pub type MediaBytes = BoxStream<'static, Result<Bytes, MediaError>>;

/// Through whom a file came, and what opens it there.
#[derive(Debug, Clone)]
pub struct MediaOrigin {
    /// The network.
    pub channel: ChannelKind,
    /// The number's, Page's or account's id at the network.
    pub channel_network_id: String,
    /// What opens the account that the channel is connected through.
    pub token: SecretString,
}

/// A file that a network has begun to send.
pub struct Fetched {
    /// What the network says it is, where it says so with the file.
    pub content_type: Option<String>,
    /// What the network says its bytes hash to, where it says so with the file.
    pub sha256: Option<Vec<u8>>,
    /// The file.
    pub bytes: MediaBytes,
}

/// The networks' files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkMedia: Send + Sync {
    /// Begins to fetch a file. Nothing is read ahead of who takes the bytes, and sizes are for the caller to judge.
    ///
    /// # Errors
    /// [`MediaError::Final`] when the network says that it has no such file or that it may not be had; anything else
    /// may pass. An address that expired between two steps is asked for anew within the call.
    async fn fetch(&self, origin: &MediaOrigin, source: &MediaSource) -> Result<Fetched, MediaError>;
}

/// A kept file.
pub struct StoredObject {
    /// Its size.
    pub size: u64,
    /// The file.
    pub bytes: MediaBytes,
}

/// Where files are kept.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ObjectStore: Send + Sync {
    /// Keeps `bytes` under `key`, over what was there, in constant memory; the size. Nothing is left under the key
    /// when the bytes end with an error, which is then the answer.
    async fn put(&self, key: &ObjectKey, bytes: MediaBytes) -> Result<u64, MediaError>;

    /// Opens a file; `None` when there is none.
    async fn open(&self, key: &ObjectKey) -> Result<Option<StoredObject>, MediaError>;

    /// Removes a file; nothing happens where there is none.
    async fn remove(&self, key: &ObjectKey) -> Result<(), MediaError>;
}

/// Makes links to kept files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AttachmentLinks: Send + Sync {
    /// A link that is good for [`LINK_LIFETIME`].
    async fn link(&self, key: &ObjectKey) -> Result<String, MediaError>;
}

/// Renders speech as words.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Transcriber: Send + Sync {
    /// The words of a recording; `None` when there are none.
    async fn transcribe(
        &self,
        recording: StoredObject,
        content_type: ContentType,
    ) -> Result<Option<String>, MediaError>;
}

/// A file of a message, as far as it got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It has no outcome yet.
    Pending {
        /// What the network is asked for.
        source: MediaSource,
        /// What the network said it is.
        content_type: Option<String>,
        /// What the network said its bytes hash to.
        sha256: Option<Vec<u8>>,
    },
    /// It is kept.
    Stored(StoredAttachment),
    /// It is left out for good.
    GivenUp,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFile {
    /// Its place among the message's files, from 0.
    pub position: u16,
    /// What it is.
    pub kind: AttachmentKind,
    /// Its name, where it has one.
    pub title: Option<String>,
    /// Whether it is a voice note.
    pub voice: bool,
    /// How far it got.
    pub state: FileState,
}

/// What messages that lack files wait in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesQueue {
    /// Their events wait for the files.
    ToBeTold,
    /// They have been told of, and the files are still fetched.
    Late,
}

/// A message that waits for its files.
#[derive(Debug, Clone)]
pub struct AwaitedMessage {
    /// Out of which queue it was taken.
    pub queue: FilesQueue,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The message, without its files.
    pub message: Message,
    /// Who wrote it, or to whom it was written.
    pub customer: Customer,
    /// Through whom its files come.
    pub origin: MediaOrigin,
    /// Its files, in order.
    pub files: Vec<MessageFile>,
    /// How often it has been taken up out of this queue, this time included.
    pub attempt: u32,
    /// When it was recorded.
    pub recorded_at: OffsetDateTime,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    /// The file.
    pub position: u16,
    /// It is kept, or left out for good.
    pub stored: Option<StoredAttachment>,
}

/// What follows for a message.
#[derive(Debug, Clone)]
pub enum AfterFiles {
    /// Some files have no outcome yet: they are tried again then.
    TryAt(OffsetDateTime),
    /// Every file has one, or is waited for no longer.
    Announce {
        /// Its voice notes as words.
        transcription: Option<String>,
        /// What is told of the message.
        event: Box<Event>,
        /// When the files that have no outcome are tried again; `None` where each has one.
        late_try: Option<OffsetDateTime>,
    },
    /// The message has been told of before.
    Late {
        /// The voice notes that came now as words.
        transcription: Option<String>,
        /// When the files that still have no outcome are tried again; `None` where each has one.
        next_try: Option<OffsetDateTime>,
    },
}

/// What a turn on a message's files came to.
#[derive(Debug, Clone)]
pub struct FilesChange {
    /// The message.
    pub message: MessageId,
    /// The files that came to an outcome in this turn.
    pub outcomes: Vec<FileOutcome>,
    /// What follows.
    pub next: AfterFiles,
}

/// Messages that wait for their files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AttachmentQueue: Send + Sync {
    /// Workspaces with messages due at `now` in this queue. Only reads.
    async fn workspaces_with_files(
        &self,
        queue: FilesQueue,
        now: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up to `limit` due messages of one workspace until `lease_until`; those longest due first. Messages whose
    /// lease has run out are due again.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        queue: FilesQueue,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<AwaitedMessage>, StoreError>;

    /// In one transaction: the files' outcomes and what follows: when the message is told of, the transcription, the
    /// end of the waiting and the deliveries that the event owes; when it was told of before, what the team's pages
    /// are told.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the message waits no more: somebody else has told of it.
    async fn commit(&self, workspace: WorkspaceId, change: &FilesChange) -> Result<(), StoreError>;
}

/// A file that somebody of the team brings, before it has come.
#[derive(Clone, PartialEq, Eq)]
pub struct NewUpload {
    /// Who brings it, and may send it.
    pub member: MemberId,
    /// Its id.
    pub id: UploadId,
    /// What it is to a person.
    pub kind: AttachmentKind,
    /// What it is served as.
    pub content_type: ContentType,
    /// Its name, where it has one.
    pub title: Option<String>,
    /// Where it is to be kept.
    pub key: ObjectKey,
    /// The most bytes that it may come to have.
    pub reserved: u64,
}

/// How much of a workspace may wait to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// Files.
    pub files: u32,
    /// Their bytes; of those that are still coming, what is reserved for them.
    pub bytes: u64,
}

/// Whether a file may come beside those that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It may, and is written down.
    Found,
    /// As many files wait as may.
    TooMany,
    /// Their bytes and its own would be more than may wait.
    TooManyBytes,
}

impl std::fmt::Debug for NewUpload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewUpload").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A file that somebody of the team has brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptUpload {
    /// The file.
    pub file: StoredAttachment,
    /// Whether a message has it.
    pub is_used: bool,
}

/// Files that people of the team bring to send. A send takes one when it begins, and gives it back when it is
/// released: [`SendLedger`](crate::sending::ports::SendLedger).
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UploadStore: Send + Sync {
    /// Writes down a file that is about to come, unless more than `most` of the workspace's would wait to be sent.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        upload: &NewUpload,
        now: OffsetDateTime,
        most: Waiting,
    ) -> Result<Room, StoreError>;

    /// It has come, and has so many bytes.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when it was swept meanwhile.
    async fn finish(&self, workspace: WorkspaceId, id: UploadId, bytes: u64) -> Result<(), StoreError>;

    /// Forgets one that no message has.
    async fn remove(&self, workspace: WorkspaceId, id: UploadId) -> Result<(), StoreError>;

    /// One that `member` has brought and that has come; unless a message has it, after `since`.
    async fn find(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        id: UploadId,
        since: OffsetDateTime,
    ) -> Result<Option<KeptUpload>, StoreError>;

    /// Workspaces with files that were brought before then and that no message has. Only reads.
    async fn workspaces_with_unused(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Up to `limit` of these of one workspace, the oldest first.
    async fn unused(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<(UploadId, ObjectKey)>, StoreError>;
}
