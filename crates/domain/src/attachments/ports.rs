//! What fetching, keeping and serving files needs from outside.

use std::{any::Any, ops::Range, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{AskedBytes, AttachmentKind, ContentType, ObjectKey, StoredAttachment};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{MemberId, MessageId, UploadId, WorkspaceId},
    inbound::MediaSource,
    messages::Message,
    webhooks::{Customer, Event},
};

/// A link to a file is good for so long.
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
    /// Says whether it may succeed later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Passing(_))
    }
}

/// These are the bytes of a file as they come. An error ends them.
pub type MediaBytes = BoxStream<'static, Result<Bytes, MediaError>>;

/// It says through whom a file came, and what opens it there.
#[derive(Debug, Clone)]
pub struct MediaOrigin {
    pub channel: ChannelKind,
    /// It is the id at the network of the number, Page or account.
    pub channel_network_id: String,
    /// It opens the account that the channel is connected through.
    pub token: SecretString,
}

/// A network has begun to send the file.
pub struct Fetched {
    /// The network says that it is of this type, where it says so with the file.
    pub content_type: Option<String>,
    /// It is what the network says its bytes hash to, where it says so with the file.
    pub sha256: Option<Vec<u8>>,
    pub bytes: MediaBytes,
}

/// It reads files from the networks.
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

/// It is a kept file.
pub struct StoredObject {
    pub size: u64,
    pub bytes: MediaBytes,
}

/// It is a part of a kept file.
pub struct StoredPart {
    /// The whole file has so many bytes.
    pub size: u64,
    /// The part has these of them, of which there is one at least.
    pub range: Range<u64>,
    pub bytes: MediaBytes,
}

/// It is what a kept file has of the bytes that were asked for.
pub enum FoundPart {
    Of(StoredPart),
    /// The file has so many bytes, and none of those.
    Beyond(u64),
}

/// It keeps files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ObjectStore: Send + Sync {
    /// Keeps `bytes` under `key`, over what was there, in constant memory; the size. Nothing is left under the key
    /// when the bytes end with an error, which is then the answer.
    async fn put(&self, key: &ObjectKey, bytes: MediaBytes) -> Result<u64, MediaError>;

    /// Opens a file; `None` when there is none.
    async fn open(&self, key: &ObjectKey) -> Result<Option<StoredObject>, MediaError>;

    /// Opens a part of a file, of which nothing else is read; `None` when there is no such file.
    async fn open_part(&self, key: &ObjectKey, asked: AskedBytes) -> Result<Option<FoundPart>, MediaError>;

    /// Removes a file; nothing happens where there is none.
    async fn remove(&self, key: &ObjectKey) -> Result<(), MediaError>;
}

/// It makes links to kept files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AttachmentLinks: Send + Sync {
    /// Makes a link that is good for [`LINK_LIFETIME`].
    async fn link(&self, key: &ObjectKey) -> Result<String, MediaError>;
}

/// It is a slot among those whose speech is being rendered, given back when dropped.
pub type SpeechSlot = Box<dyn Any + Send>;

/// It renders speech as words.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Transcriber: Send + Sync {
    /// Waits for a slot. No workspace has all of them, however many recordings come to it.
    async fn slot(&self, workspace: WorkspaceId) -> SpeechSlot;

    /// Returns the words of a recording, in a slot; `None` when there are none.
    async fn transcribe(
        &self,
        recording: StoredObject,
        content_type: ContentType,
    ) -> Result<Option<String>, MediaError>;
}

/// It says how far a file of a message got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It has no outcome yet.
    Pending {
        source: MediaSource,
        /// The network said that it is of this type.
        content_type: Option<String>,
        /// The network said that its bytes hash to this.
        sha256: Option<Vec<u8>>,
    },
    Stored(StoredAttachment),
    /// It is left out for good.
    GivenUp,
}

/// It is a file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFile {
    /// It is the file's place among those of the message, from 0.
    pub position: u16,
    pub kind: AttachmentKind,
    pub title: Option<String>,
    /// It says whether the file is a voice note.
    pub voice: bool,
    /// It says how far the file got.
    pub state: FileState,
}

/// Messages that lack files wait in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesQueue {
    /// Their events wait for the files.
    ToBeTold,
    /// They have been told of, and the files are still fetched.
    Late,
}

/// The message waits for its files.
#[derive(Debug, Clone)]
pub struct AwaitedMessage {
    /// The message was taken out of this queue.
    pub queue: FilesQueue,
    pub workspace: WorkspaceId,
    pub message: Message,
    /// They wrote it, or it was written to them.
    pub customer: Customer,
    /// The files come through it.
    pub origin: MediaOrigin,
    /// The files are in order.
    pub files: Vec<MessageFile>,
    /// It says how often it has been taken up out of this queue, this time included.
    pub attempt: u32,
    pub recorded_at: OffsetDateTime,
}

/// It says what became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    pub position: u16,
    /// The file is kept; `None` where it is left out for good.
    pub stored: Option<StoredAttachment>,
}

/// It says what follows for a message.
#[derive(Debug, Clone)]
pub enum AfterFiles {
    /// Some files have no outcome yet: they are tried again then.
    TryAt(OffsetDateTime),
    /// Every file has one, or is waited for no longer.
    Announce {
        transcription: Option<String>,
        /// It tells of the message.
        event: Box<Event>,
        /// It says when the files that have no outcome are tried again; `None` where each has one.
        late_try: Option<OffsetDateTime>,
    },
    /// The message has been told of before.
    Late {
        /// It has the voice notes that came now as words.
        transcription: Option<String>,
        /// It says when the files that still have no outcome are tried again; `None` where each has one.
        next_try: Option<OffsetDateTime>,
    },
}

/// It says what a turn on a message's files came to.
#[derive(Debug, Clone)]
pub struct FilesChange {
    pub message: MessageId,
    /// These files came to an outcome in this turn.
    pub outcomes: Vec<FileOutcome>,
    pub next: AfterFiles,
}

/// It holds messages that wait for their files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AttachmentQueue: Send + Sync {
    /// Lists the workspaces with messages due at `now` in this queue. It only reads.
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

/// Somebody of the team brings this file, and it has not come yet.
#[derive(Clone, PartialEq, Eq)]
pub struct NewUpload {
    /// They bring the file, and may send it.
    pub member: MemberId,
    pub id: UploadId,
    pub kind: AttachmentKind,
    pub content_type: ContentType,
    pub title: Option<String>,
    pub key: ObjectKey,
    /// The file may come to have so many bytes.
    pub reserved: u64,
}

/// So much of a workspace may wait to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLimit {
    /// So many files may wait.
    pub files: u32,
    /// For files that are still coming, what is reserved for them counts.
    pub bytes: u64,
}

/// It says whether a file may come beside those that wait.
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

/// Somebody of the team has brought the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptUpload {
    pub file: StoredAttachment,
    /// It says whether a message has the file.
    pub is_used: bool,
}

/// It is a file that no message has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedUpload {
    pub id: UploadId,
    pub brought_at: OffsetDateTime,
    /// It is `None` where what is kept is no key: the file is not to be found.
    pub key: Option<ObjectKey>,
}

impl UnusedUpload {
    /// Returns where it stands among the others.
    pub const fn place(&self) -> UnusedPlace {
        UnusedPlace { brought_at: self.brought_at, id: self.id }
    }
}

/// It is a place among the files that no message has, of which the oldest is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnusedPlace {
    pub brought_at: OffsetDateTime,
    /// It parts files of one moment.
    pub id: UploadId,
}

/// An `UploadStore` keeps files that people of the team bring to send. A send takes one when it begins, and
/// gives it back when it is released: [`SendLedger`](crate::sending::ports::SendLedger).
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UploadStore: Send + Sync {
    /// Writes down a file that is about to come, unless more than `most` of the workspace's would wait to be sent.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        upload: &NewUpload,
        now: OffsetDateTime,
        most: UploadLimit,
    ) -> Result<Room, StoreError>;

    /// It has come, and has so many bytes.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when it was swept meanwhile.
    async fn finish(&self, workspace: WorkspaceId, id: UploadId, bytes: u64) -> Result<(), StoreError>;

    /// Forgets one that no message has.
    async fn remove(&self, workspace: WorkspaceId, id: UploadId) -> Result<(), StoreError>;

    /// Returns one that `member` has brought and that has come; unless a message has it, after `since`.
    async fn find(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        id: UploadId,
        since: OffsetDateTime,
    ) -> Result<Option<KeptUpload>, StoreError>;

    /// Lists workspaces with files that were brought before then and that no message has. It only reads.
    async fn workspaces_with_unused(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Lists up to `limit` of these of one workspace, the oldest first; only those behind `after`, where there is one.
    async fn unused(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
        after: Option<UnusedPlace>,
        limit: u32,
    ) -> Result<Vec<UnusedUpload>, StoreError>;
}
