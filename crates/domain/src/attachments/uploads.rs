//! Files that people of the team bring to send: taken in by a request of their own, and swept when nobody sends them.

use std::{collections::VecDeque, sync::Arc};

use time::{Duration, OffsetDateTime};

use super::{
    AttachmentKind, Carriage, ContentType, ObjectKey, StoredAttachment,
    checked::{Expected, checked, judge},
    file_name::{MAX_NAME_CHARS, file_name},
    ports::{
        MediaBytes, MediaError, NewUpload, ObjectStore, Room, UnusedPlace, UnusedUpload, UploadLimit,
        UploadStore,
    },
};
use crate::{
    clock::Clock,
    deps::Deps,
    errors::StoreError,
    ids::{MemberId, UploadId, WorkspaceId},
    text::without_direction_controls,
    vault::Vault,
};

/// A file may be sent for so long after it was brought.
pub const UNUSED_FOR: Duration = Duration::days(1);
/// A file is swept this long after it may no longer be sent, so that no send that has just begun loses it.
const GRACE: Duration = Duration::hours(1);
/// So much of a workspace may wait to be sent.
const MOST_UNUSED: UploadLimit = UploadLimit { files: 200, bytes: 2 * 1024 * 1024 * 1024 };
/// A name has at most so many characters.
/// So many files of a workspace are swept in one turn.
const BATCH: u32 = 100;
/// After so many files of a workspace that cannot be removed, it is the next one's turn.
const MOST_FAILURES: usize = 3;

/// It is a file as it comes.
pub struct BroughtFile {
    /// Its sender says that it is of this type.
    pub declared: Option<String>,
    pub name: Option<String>,
    /// Its sender says that it has so many bytes.
    pub announced: Option<u64>,
    pub bytes: MediaBytes,
}

/// It says why a file is not taken.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// Its name is too long, or has what no name has.
    #[error("`name` has at most {MAX_NAME_CHARS} characters, and no control characters")]
    Name,
    /// No network takes such a file, or its first bytes do not show what it is.
    #[error("no network takes a file of this type; pictures go as JPEG, films as MP4, documents as PDF")]
    Type,
    /// No network takes one of this size.
    #[error("a file of this type has at most {most_bytes} bytes")]
    TooLarge {
        /// It may have so many bytes at most.
        most_bytes: u64,
    },
    /// Too many files of the workspace wait to be sent.
    #[error("{} files wait to be sent already", MOST_UNUSED.files)]
    TooMany,
    /// Too many bytes of the workspace wait to be sent.
    #[error("with this file more than {} bytes would wait to be sent", MOST_UNUSED.bytes)]
    TooManyBytes,
    /// It did not come to its end, or could not be kept.
    #[error(transparent)]
    Media(MediaError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It takes files in.
pub struct TakeUpload {
    pub store: Arc<dyn UploadStore>,
    pub objects: Arc<dyn ObjectStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl TakeUpload {
    /// Takes a file in for `member` to send. It is written down before it is kept, so that whatever breaks off is
    /// swept.
    ///
    /// # Errors
    /// See [`UploadError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        file: BroughtFile,
    ) -> Result<(UploadId, StoredAttachment), UploadError> {
        let title = file.name.as_deref().map(named).transpose()?.flatten();
        let declared = file.declared.as_deref();
        let is_sound =
            declared.is_some_and(|declared| declared.trim().to_ascii_lowercase().starts_with("audio/"));
        let kind = if is_sound { AttachmentKind::Audio } else { AttachmentKind::File };
        let judged = judge(file.bytes, |head| ContentType::judge(kind, declared, head)).await;
        let (content_type, bytes) = judged.map_err(UploadError::Media)?.ok_or(UploadError::Empty)?;
        let most_bytes = Carriage::most_anywhere(content_type).ok_or(UploadError::Type)?;
        // No more than it said: as much room is kept for it.
        let reserved = file.announced.unwrap_or(most_bytes);
        if reserved > most_bytes {
            return Err(UploadError::TooLarge { most_bytes });
        }

        let id = UploadId::new(&*self.deps.ids);
        let key = ObjectKey::of_upload(&*self.vault, workspace, id, content_type);
        let kind = AttachmentKind::of(content_type);
        let upload = NewUpload { member, id, kind, content_type, title, key, reserved };
        match self.store.begin(workspace, &upload, self.deps.clock.now(), MOST_UNUSED).await? {
            Room::Found => {}
            Room::TooMany => return Err(UploadError::TooMany),
            Room::TooManyBytes => return Err(UploadError::TooManyBytes),
        }
        let NewUpload { kind, content_type, title, key, .. } = upload;
        let kept =
            self.objects.put(&key, checked(bytes, Expected { most_bytes: reserved, sha256: None })).await;
        let bytes = match kept {
            Ok(bytes) => bytes,
            Err(error) => {
                self.store.remove(workspace, id).await?;
                return Err(match error {
                    // Nothing but its size ends a file for good.
                    MediaError::Final(_) => UploadError::TooLarge { most_bytes },
                    MediaError::Passing(_) => UploadError::Media(error),
                });
            }
        };
        self.store.finish(workspace, id, bytes).await?;
        Ok((id, StoredAttachment { kind, key, content_type, bytes, title }))
    }
}

/// Returns the last part of a name that may hold a path, without what would make it look like another.
fn named(name: &str) -> Result<Option<String>, UploadError> {
    let visible = without_direction_controls(name);
    if visible.chars().count() > MAX_NAME_CHARS || visible.contains(char::is_control) {
        return Err(UploadError::Name);
    }
    Ok(file_name(name))
}

/// It removes files that nobody sent.
#[derive(Clone)]
pub struct SweepUploads {
    pub store: Arc<dyn UploadStore>,
    pub objects: Arc<dyn ObjectStore>,
    pub clock: Arc<dyn Clock>,
}

/// It is where a sweep stands.
#[derive(Default)]
struct Sweeping {
    swept: usize,
    /// The last error; what it stopped is swept another time.
    failed: Option<StoreError>,
}

impl SweepUploads {
    /// Sweeps every workspace once, by turns; how many files went. The file goes before the row that names it: what
    /// breaks off in between is swept again. A file that cannot be removed holds up no other, and a workspace that
    /// cannot be read no other workspace.
    ///
    /// # Errors
    /// Those of the store; [`StoreError::Unavailable`] when a file could not be removed.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<usize, StoreError> {
        let before = self.clock.now() - UNUSED_FOR - GRACE;
        let found = self.store.workspaces_with_unused(before).await?;
        let mut turns: VecDeque<_> = found.into_iter().map(|workspace| (workspace, None)).collect();
        let mut sweeping = Sweeping::default();
        while let Some((workspace, after)) = turns.pop_front() {
            if stop() {
                return Ok(sweeping.swept);
            }
            match self.turn(workspace, before, after, &mut sweeping, stop).await {
                Ok(Some(reached)) => turns.push_back((workspace, Some(reached))),
                Ok(None) => {}
                Err(error) => sweeping.failed = Some(error),
            }
        }
        sweeping.failed.map_or(Ok(sweeping.swept), Err)
    }

    /// Sweeps a workspace's files behind `after` for a while. Returns how far it came, where there may be more: what was
    /// not removed stays behind.
    async fn turn(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
        after: Option<UnusedPlace>,
        sweeping: &mut Sweeping,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<UnusedPlace>, StoreError> {
        let unused = self.store.unused(workspace, before, after, BATCH).await?;
        let is_full = u32::try_from(unused.len()).is_ok_and(|found| found >= BATCH);
        let (mut failures, mut reached) = (0, None);
        for upload in unused {
            if stop() {
                return Ok(None);
            }
            if failures >= MOST_FAILURES {
                return Ok(reached);
            }
            reached = Some(upload.place());
            match self.remove(workspace, &upload).await {
                Ok(()) => sweeping.swept += 1,
                Err(error) => {
                    failures += 1;
                    sweeping.failed = Some(error);
                }
            }
        }
        Ok(reached.filter(|_| is_full))
    }

    async fn remove(&self, workspace: WorkspaceId, upload: &UnusedUpload) -> Result<(), StoreError> {
        let unreadable = || StoreError::Internal(format!("upload {} has no key that can be read", upload.id));
        let key = upload.key.as_ref().ok_or_else(unreadable)?;
        let removed = self.objects.remove(key).await;
        removed.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        self.store.remove(workspace, upload.id).await
    }
}
