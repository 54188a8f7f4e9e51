//! Ports for fetching, storing and serving files.

use std::{any::Any, ops::Range, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    StoredAttachment, byte_range::AskedBytes, content_type::ContentType, file_name::MAX_NAME_CHARS,
    kind::AttachmentKind, media_source::MediaSource, object_key::ObjectKey,
};
use crate::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{MemberId, UploadId, WorkspaceId},
};

/// Lifetime of a link to a file.
pub const LINK_LIFETIME: Duration = Duration::from_hours(24);

/// Failure to fetch, store or transcribe a file. Its text is for the log and holds no address and no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// May succeed later.
    #[error("{0}")]
    Passing(String),
    /// Will never succeed.
    #[error("{0}")]
    Final(String),
}

impl MediaError {
    /// Returns whether it may succeed later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Passing(_))
    }
}

/// Bytes of a file as they arrive; an error ends them.
pub type MediaBytes = BoxStream<'static, Result<Bytes, MediaError>>;

/// Channel that a file came through, and the token that opens it there.
#[derive(Debug, Clone)]
pub struct MediaOrigin {
    pub channel: ChannelKind,
    /// Id at the network of the number, Page or account.
    pub channel_network_id: String,
    /// Token of the account that the channel is connected through.
    pub token: SecretString,
}

/// A file that a network has begun to send.
pub struct Fetched {
    /// Type that the network gives with the file; `None` if it gives none.
    pub content_type: Option<String>,
    /// Hash that the network gives with the file; `None` if it gives none.
    pub sha256: Option<Vec<u8>>,
    pub bytes: MediaBytes,
}

/// Files at the networks.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkMedia: Send + Sync {
    /// Begins to fetch a file. Nothing is read ahead of the consumer, and sizes are for the caller to judge.
    ///
    /// # Errors
    /// [`MediaError::Final`] if the network says that it has no such file or that it may not be had; anything
    /// else may pass. An address that expires between two steps is requested again within the call.
    async fn fetch(&self, origin: &MediaOrigin, source: &MediaSource) -> Result<Fetched, MediaError>;
}

/// A stored file, opened.
pub struct StoredObject {
    pub size: u64,
    pub bytes: MediaBytes,
}

/// Part of a stored file, opened.
pub struct StoredPart {
    /// Size of the whole file, in bytes.
    pub size: u64,
    /// Bytes of the file that the part holds, at least one.
    pub range: Range<u64>,
    pub bytes: MediaBytes,
}

/// Result of opening a part of a stored file.
pub enum FoundPart {
    Of(StoredPart),
    /// The file has none of the bytes asked for; this is its size.
    Beyond(u64),
}

/// Storage of files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ObjectStore: Send + Sync {
    /// Stores `bytes` under `key` in constant memory, over anything there, and returns the size. If the bytes
    /// end with an error, returns that error and leaves nothing under the key.
    async fn put(&self, key: &ObjectKey, bytes: MediaBytes) -> Result<u64, MediaError>;

    /// Opens a file; `None` if there is none.
    async fn open(&self, key: &ObjectKey) -> Result<Option<StoredObject>, MediaError>;

    /// Opens a part of a file and reads nothing else of it; `None` if there is no such file.
    async fn open_part(&self, key: &ObjectKey, asked: AskedBytes) -> Result<Option<FoundPart>, MediaError>;

    /// Removes a file; does nothing if there is none.
    async fn remove(&self, key: &ObjectKey) -> Result<(), MediaError>;
}

/// Links to stored files.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AttachmentLinks: Send + Sync {
    /// Makes a link that is valid for [`LINK_LIFETIME`].
    async fn link(&self, key: &ObjectKey) -> Result<String, MediaError>;
}

/// Permit to transcribe one recording, given back when dropped.
pub type SpeechSlot = Box<dyn Any + Send>;

/// Service that transcribes speech.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Transcriber: Send + Sync {
    /// Waits for a slot. No workspace gets all of them, however many recordings come to it.
    async fn slot(&self, workspace: WorkspaceId) -> SpeechSlot;

    /// Transcribes a recording, in a slot; `None` if it holds no words.
    async fn transcribe(
        &self,
        recording: StoredObject,
        content_type: ContentType,
    ) -> Result<Option<String>, MediaError>;
}

/// A file that a team member uploads and that has not arrived yet.
#[derive(Clone, PartialEq, Eq)]
pub struct NewUpload {
    /// Uploader, who may send the file.
    pub member: MemberId,
    pub id: UploadId,
    pub kind: AttachmentKind,
    pub content_type: ContentType,
    pub title: Option<String>,
    pub key: ObjectKey,
    /// Largest size that the file may come to have, in bytes.
    pub reserved: u64,
}

/// Bound on the files of a workspace that wait to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UploadLimit {
    pub files: u32,
    /// Bytes of these files, including those reserved for files still arriving.
    pub bytes: u64,
}

/// Bound on the files of a workspace that wait to be sent.
pub(super) const MOST_UNUSED: UploadLimit = UploadLimit { files: 200, bytes: 2 * 1024 * 1024 * 1024 };

/// Reason that a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    #[error("the file is empty")]
    Empty,
    #[error("`name` has at most {MAX_NAME_CHARS} characters, and no control characters")]
    Name,
    /// No network takes such a file, or its first bytes do not show its type.
    #[error("no network takes a file of this type; pictures go as JPEG, films as MP4, documents as PDF")]
    Type,
    #[error("a file of this type has at most {most_bytes} bytes")]
    TooLarge {
        /// Largest file of this type that any network takes.
        most_bytes: u64,
    },
    #[error("{} files wait to be sent already", MOST_UNUSED.files)]
    TooMany,
    #[error("with this file more than {} bytes would wait to be sent", MOST_UNUSED.bytes)]
    TooManyBytes,
    /// The file did not arrive whole, or could not be stored.
    #[error(transparent)]
    Media(MediaError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl std::fmt::Debug for NewUpload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewUpload").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A file that a team member has uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptUpload {
    pub file: StoredAttachment,
    /// Whether a message has the file.
    pub is_used: bool,
}

/// An uploaded file that no message has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedUpload {
    pub id: UploadId,
    pub brought_at: OffsetDateTime,
    /// `None` if the stored text is no key, so that the file cannot be found.
    pub key: Option<ObjectKey>,
}

impl UnusedUpload {
    /// Returns its position in the order of [`UploadStore::unused`].
    pub const fn place(&self) -> UnusedPlace {
        UnusedPlace { brought_at: self.brought_at, id: self.id }
    }
}

/// Position among the files that no message has, of which the oldest is the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnusedPlace {
    pub brought_at: OffsetDateTime,
    /// Tells files of the same moment apart.
    pub id: UploadId,
}

/// Storage of files that team members upload to send. A send takes one when it begins, and gives it back when
/// it is released: [`SendLedger`](crate::sending::ports::SendLedger).
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UploadStore: Send + Sync {
    /// Records a file that is about to arrive, unless the workspace's files that wait to be sent would exceed
    /// `most`.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        upload: &NewUpload,
        now: OffsetDateTime,
        most: UploadLimit,
    ) -> Result<(), UploadError>;

    /// Records that the file has arrived, and its size.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if it was swept meanwhile.
    async fn finish(&self, workspace: WorkspaceId, id: UploadId, bytes: u64) -> Result<(), StoreError>;

    /// Deletes the record of a file that no message has.
    async fn remove(&self, workspace: WorkspaceId, id: UploadId) -> Result<(), StoreError>;

    /// Finds a file that `member` has uploaded and that has arrived; one that no message has, only if
    /// uploaded after `since`.
    async fn find(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        id: UploadId,
        since: OffsetDateTime,
    ) -> Result<Option<KeptUpload>, StoreError>;

    /// Lists the workspaces with files that were uploaded before `before` and that no message has.
    async fn workspaces_with_unused(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Lists up to `limit` of these files of one workspace, the oldest first, beginning behind `after`.
    async fn unused(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
        after: Option<UnusedPlace>,
        limit: u32,
    ) -> Result<Vec<UnusedUpload>, StoreError>;
}
