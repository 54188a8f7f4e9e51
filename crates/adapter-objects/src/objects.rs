//! Storing and opening files.

use std::{
    fs::DirBuilder,
    io::{self, ErrorKind},
    os::unix::fs::DirBuilderExt,
    path::Path,
    sync::Arc,
};

use async_trait::async_trait;
use domain::{
    attachments::{
        AskedBytes, ContentType, ObjectKey,
        ports::{FoundPart, MediaBytes, MediaError, ObjectStore, StoredObject, StoredPart},
    },
    clock::Clock,
};
use futures_util::{StreamExt, TryStreamExt};
use object_store::{
    Attribute, Attributes, Error, GetOptions, GetRange, ObjectStoreExt, buffered::BufWriter,
    local::LocalFileSystem, path::Path as ObjectPath,
};
use time::{Duration, OffsetDateTime};
use tokio::io::AsyncWriteExt;

use crate::{SetupError, StoreFailure};

/// Bytes of a file that are collected before they are written: the smallest part that S3 accepts.
const PART_BYTES: usize = 5 * 1024 * 1024;
/// Parts under way at once.
const PARTS_AT_ONCE: usize = 2;
/// Name of the file that checks write.
const CHECK: &str = "check";
/// Time limit of a check.
const CHECK_WITHIN: std::time::Duration = std::time::Duration::from_secs(10);
/// Age of an unfinished file's last write after which it is given up. Another node may be writing it: a turn
/// on a customer's file has a lease of 75 s and may outlive it by a little, and a member's file may take
/// minutes from one part to the next. If it were taken from under its writer, the next one would begin under
/// the same name, and the first would pass that one's half for a whole file.
const GIVEN_UP_AFTER: Duration = Duration::hours(1);

/// Files in a folder or a bucket.
#[derive(Clone)]
pub struct Objects {
    store: Arc<dyn object_store::ObjectStore>,
    /// This store without retries and with a short time limit.
    probe: Arc<dyn object_store::ObjectStore>,
    /// The folder, if it is one. A bucket serves files itself, and must know their headers.
    folder: Option<Folder>,
}

#[derive(Clone)]
struct Folder {
    files: Arc<LocalFileSystem>,
    clock: Arc<dyn Clock>,
}

impl Objects {
    /// Opens a store in a folder, which is created if missing, for this user alone.
    pub fn in_folder(folder: &Path, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        let unusable = |error: String| SetupError::Folder(error);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| unusable(error.to_string()))?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| unusable(error.to_string()))?;
        // The file must not be lost if the row that names it is not.
        let files = Arc::new(store.with_fsync(true));
        Ok(Self { store: files.clone(), probe: files.clone(), folder: Some(Folder { files, clock }) })
    }

    pub(crate) fn in_bucket(
        store: Arc<dyn object_store::ObjectStore>,
        probe: Arc<dyn object_store::ObjectStore>,
    ) -> Self {
        Self { store, probe, folder: None }
    }

    /// Writes, opens and removes a small file that belongs to nobody, to see whether the store can be used
    /// now.
    pub async fn check(&self) -> Result<(), StoreFailure> {
        let path = ObjectPath::from(CHECK);
        let whole = async {
            self.probe.put(&path, "check".into()).await?;
            // Another process may have removed it already.
            self.probe.get(&path).await.map(drop).or_else(there_is_none)?;
            self.probe.delete(&path).await.or_else(there_is_none)
        };
        match tokio::time::timeout(CHECK_WITHIN, whole).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(StoreFailure::of(&error).unwrap_or(StoreFailure::Failed)),
            Err(_) => Err(StoreFailure::Silent),
        }
    }

    fn writer(&self, key: &ObjectKey) -> BufWriter {
        let writer = BufWriter::with_capacity(Arc::clone(&self.store), path(key), PART_BYTES)
            .with_max_concurrency(PARTS_AT_ONCE);
        if self.folder.is_none() { writer.with_attributes(served_as(key.content_type())) } else { writer }
    }

    /// Removes what a killed process had written of a file: in a folder it is beside the file, under its name
    /// with `#` and a number. Files that may still be written stay, see [`GIVEN_UP_AFTER`].
    async fn remove_unfinished(&self, key: &ObjectKey) -> Result<(), MediaError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let whole = folder.files.path_to_filesystem(&path(key)).map_err(|error| failed("removed", &error))?;
        for number in 1_u32.. {
            let mut unfinished = whole.clone().into_os_string();
            unfinished.push(format!("#{number}"));
            match folder.remove_given_up(Path::new(&unfinished)).await {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                Err(error) => {
                    return Err(MediaError::Passing(format!(
                        "what was left of a file could not be removed: {}",
                        error.kind()
                    )));
                }
            }
        }
        Ok(())
    }
}

impl Folder {
    /// Removes an unfinished file if it is given up; fails if there is no such file.
    async fn remove_given_up(&self, unfinished: &Path) -> io::Result<()> {
        let written_at = OffsetDateTime::from(tokio::fs::metadata(unfinished).await?.modified()?);
        if self.clock.now() - written_at > GIVEN_UP_AFTER {
            tokio::fs::remove_file(unfinished).await?;
        }
        Ok(())
    }
}

/// Returns the headers with which a bucket serves a file.
fn served_as(content_type: ContentType) -> Attributes {
    let disposition = if content_type.is_shown() { "inline" } else { "attachment" };
    [
        (Attribute::ContentType, content_type.as_str()),
        (Attribute::ContentDisposition, disposition),
        (Attribute::CacheControl, "private, no-store"),
    ]
    .into_iter()
    .collect()
}

fn path(key: &ObjectKey) -> ObjectPath {
    ObjectPath::from(key.as_str())
}

/// Builds an error without the store's own words, which contain paths and addresses.
fn failed(doing: &str, error: &Error) -> MediaError {
    let why =
        StoreFailure::of(error).map_or_else(|| "there is none".to_owned(), |failure| failure.to_string());
    MediaError::Passing(format!("a file could not be {doing} where files are kept: {why}"))
}

/// Turns the error that the file does not exist into success.
fn there_is_none(error: Error) -> Result<(), Error> {
    if StoreFailure::of(&error).is_none() { Ok(()) } else { Err(error) }
}

#[async_trait]
impl ObjectStore for Objects {
    async fn put(&self, key: &ObjectKey, mut bytes: MediaBytes) -> Result<u64, MediaError> {
        self.remove_unfinished(key).await?;
        let mut writer = self.writer(key);
        let mut size: u64 = 0;
        let written = async {
            while let Some(chunk) = bytes.try_next().await? {
                size = size.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                writer.put(chunk).await.map_err(|error| failed("written", &error))?;
            }
            Ok(())
        };
        if let Err(error) = written.await {
            // What is left of an upload that cannot be aborted either is the store's to clean up.
            let _ = writer.abort().await;
            return Err(error);
        }
        let ended = writer.shutdown().await;
        ended.map_err(|error| {
            let why = StoreFailure::of_writer(&error);
            MediaError::Passing(format!("a file could not be written where files are kept: {why}"))
        })?;
        Ok(size)
    }

    async fn open(&self, key: &ObjectKey) -> Result<Option<StoredObject>, MediaError> {
        match self.store.get(&path(key)).await {
            Ok(found) => {
                let size = found.meta.size;
                let bytes = found.into_stream().map_err(|error| failed("read", &error)).boxed();
                Ok(Some(StoredObject { size, bytes }))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("opened", &error)),
        }
    }

    async fn open_part(&self, key: &ObjectKey, asked: AskedBytes) -> Result<Option<FoundPart>, MediaError> {
        let path = path(key);
        let size = match self.store.head(&path).await {
            Ok(found) => found.size,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed("opened", &error)),
        };
        let Some(range) = asked.of(size) else { return Ok(Some(FoundPart::Beyond(size))) };
        match self.store.get_opts(&path, GetOptions::new().with_range(Some(GetRange::Bounded(range)))).await {
            Ok(found) => {
                let (size, range) = (found.meta.size, found.range.clone());
                let bytes = found.into_stream().map_err(|error| failed("read", &error)).boxed();
                Ok(Some(FoundPart::Of(StoredPart { size, range, bytes })))
            }
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("opened", &error)),
        }
    }

    async fn remove(&self, key: &ObjectKey) -> Result<(), MediaError> {
        self.remove_unfinished(key).await?;
        match self.store.delete(&path(key)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("removed", &error)),
        }
    }
}
