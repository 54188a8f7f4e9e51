//! Files that team members upload to send: taken in by requests of their own, and swept if nobody sends them.

use std::{collections::VecDeque, sync::Arc};

use time::{Duration, OffsetDateTime};

use super::{
    StoredAttachment,
    carriage::Carriage,
    checked::{Expected, checked, judge},
    content_type::ContentType,
    file_name::{MAX_NAME_CHARS, file_name},
    kind::AttachmentKind,
    object_key::ObjectKey,
    ports::{
        MOST_UNUSED, MediaBytes, MediaError, NewUpload, ObjectStore, UnusedPlace, UnusedUpload, UploadError,
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

/// Time after the upload in which a file may be sent.
pub const UNUSED_FOR: Duration = Duration::days(1);
/// Time from the end of [`UNUSED_FOR`] to the sweep, so that no send that has just begun loses its file.
const GRACE: Duration = Duration::hours(1);
/// Files of a workspace swept in one turn.
const BATCH: u32 = 100;
/// Failed removals in a turn, after which the next workspace has its turn.
const MOST_FAILURES: usize = 3;

/// An upload as it arrives.
pub struct BroughtFile {
    /// Type that the sender declares.
    pub declared: Option<String>,
    pub name: Option<String>,
    /// Size that the sender declares, in bytes.
    pub announced: Option<u64>,
    pub bytes: MediaBytes,
}

/// Use case that takes uploads in.
pub struct TakeUpload {
    pub store: Arc<dyn UploadStore>,
    pub objects: Arc<dyn ObjectStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl TakeUpload {
    /// Takes in a file for `member` to send. It is recorded before it is stored, so that whatever breaks off
    /// is swept.
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
        // The declared size is reserved, and is also the most that is accepted.
        let reserved = file.announced.unwrap_or(most_bytes);
        if reserved > most_bytes {
            return Err(UploadError::TooLarge { most_bytes });
        }

        let id = UploadId::new(&*self.deps.ids);
        let key = ObjectKey::of_upload(&*self.vault, workspace, id, content_type);
        let kind = AttachmentKind::of(content_type);
        let upload = NewUpload { member, id, kind, content_type, title, key, reserved };
        self.store.begin(workspace, &upload, self.deps.clock.now(), MOST_UNUSED).await?;
        let NewUpload { kind, content_type, title, key, .. } = upload;
        let kept =
            self.objects.put(&key, checked(bytes, Expected { most_bytes: reserved, sha256: None })).await;
        let bytes = match kept {
            Ok(bytes) => bytes,
            Err(error) => {
                self.store.remove(workspace, id).await?;
                return Err(match error {
                    // Only its size ends a file for good.
                    MediaError::Final(_) => UploadError::TooLarge { most_bytes },
                    MediaError::Passing(_) => UploadError::Media(error),
                });
            }
        };
        self.store.finish(workspace, id, bytes).await?;
        Ok((id, StoredAttachment { kind, key, content_type, bytes, title }))
    }
}

/// Checks a name that may hold a path, and returns its last part without direction controls.
fn named(name: &str) -> Result<Option<String>, UploadError> {
    let visible = without_direction_controls(name);
    if visible.chars().count() > MAX_NAME_CHARS || visible.contains(char::is_control) {
        return Err(UploadError::Name);
    }
    Ok(file_name(name))
}

/// Use case that removes files that nobody sent.
#[derive(Clone)]
pub struct SweepUploads {
    pub store: Arc<dyn UploadStore>,
    pub objects: Arc<dyn ObjectStore>,
    pub clock: Arc<dyn Clock>,
}

/// Progress of a sweep.
#[derive(Default)]
struct Sweeping {
    swept: usize,
    /// Last error; the files that it stopped are swept another time.
    failed: Option<StoreError>,
}

impl SweepUploads {
    /// Sweeps every workspace, by turns, and returns the number of files removed. A file is removed before
    /// the row that names it, so that whatever breaks off in between is swept again. A file that cannot be
    /// removed holds up no other, and a workspace that cannot be read holds up no other workspace.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if a file could not be removed.
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

    /// Sweeps up to [`BATCH`] of a workspace's files behind `after`. Returns the position reached if there
    /// may be more; files that were not removed stay behind it.
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
