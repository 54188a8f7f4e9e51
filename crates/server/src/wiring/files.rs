//! Builds the store of customers' files and of members' uploads.

use std::{io, os::unix::fs::MetadataExt, path::Path, sync::Arc};

use adapter_objects::{Objects, S3Config, S3Links, StoreFailure};
use adapter_transcription::SpeechService;
use anyhow::{Context, anyhow};
use async_trait::async_trait;
use domain::{
    attachments::{
        ObjectKey, OpenAttachment, SignedLinks, SweepUploads, TakeUpload,
        ports::{AttachmentLinks, MediaError, NetworkMedia, ObjectStore, Transcriber},
    },
    inbound::files::SettleFiles,
};
use rustix::{
    fs::{Access, access},
    process::geteuid,
};
use tracing::warn;
use url::Url;

use super::{Foundation, wire};
use crate::{
    background::FilesHealth,
    config::{FilesConfig, FilesPlace},
};

/// Customers' files: their store and their links.
#[derive(Clone)]
pub struct Files {
    pub objects: Arc<dyn ObjectStore>,
    /// Check of the same store.
    pub health: Arc<FilesHealth>,
    pub links: Arc<dyn AttachmentLinks>,
    /// Signs and verifies links that this service serves itself.
    signed: SignedLinks,
    /// Speech recognition for voice notes; `None` without it.
    transcriber: Option<Arc<dyn Transcriber>>,
}

impl Files {
    /// Opens the store; `public_url` is where customers' systems reach this service.
    ///
    /// # Errors
    /// When the folder, the bucket or the transcription service cannot be used.
    pub fn open(on: &Foundation, config: &FilesConfig, public_url: Url) -> anyhow::Result<Self> {
        let signed = wire!(SignedLinks { vault: on.vault, clock: on.deps.clock }, public_url);
        let (objects, links): (Objects, Arc<dyn AttachmentLinks>) = match &config.place {
            FilesPlace::Folder(folder) => (in_folder(on, folder)?, Arc::new(signed.clone())),
            FilesPlace::Bucket(bucket) => {
                let (objects, links) = in_bucket(on, bucket)?;
                (objects, Arc::new(links))
            }
        };
        let speech = config.transcription.clone();
        let speech = speech.map(|config| SpeechService::new(config, &on.trust)).transpose();
        let speech = speech.map_err(anyhow::Error::msg).context("the transcription service")?;
        let transcriber = speech.map(|speech| Arc::new(speech) as Arc<dyn Transcriber>);
        let health = Arc::new(FilesHealth::of(objects.clone()));
        Ok(Self { objects: Arc::new(objects), health, links, signed, transcriber })
    }

    /// Tries the store, before anything is served.
    ///
    /// # Errors
    /// What only a setting or a permission can mend. A failure that may pass is logged.
    pub async fn check(on: &Foundation, config: &FilesConfig) -> anyhow::Result<()> {
        match place(on, config)?.check().await {
            Ok(()) => Ok(()),
            Err(reason) if reason.is_misconfigured() => Err(cannot_be_kept(config, reason)),
            Err(reason) => {
                warn!(%reason, "files cannot be kept now");
                Ok(())
            }
        }
    }

    /// Tries the store. A missing folder is not made: this may run as another user than the one who is to
    /// keep files in it.
    ///
    /// # Errors
    /// Any fault, also one that may pass.
    pub async fn try_out(on: &Foundation, config: &FilesConfig) -> anyhow::Result<()> {
        if let FilesPlace::Folder(folder) = &config.place
            && !folder.try_exists().with_context(|| named(folder))?
        {
            return can_be_made(folder).with_context(|| named(folder));
        }
        place(on, config)?.check().await.map_err(|reason| cannot_be_kept(config, reason))
    }

    /// Builds fetching the files that messages wait for.
    pub fn settle(&self, on: &Foundation, networks: Arc<dyn NetworkMedia>) -> SettleFiles {
        let Foundation { stores, vault, deps, .. } = on;
        wire!(
            SettleFiles {
                queue: stores.attachments,
                objects: self.objects,
                links: self.links,
                transcriber: self.transcriber,
                vault,
                deps
            },
            networks
        )
    }

    pub fn take_upload(&self, on: &Foundation) -> TakeUpload {
        let Foundation { stores, vault, deps, .. } = on;
        wire!(TakeUpload { store: stores.attachments, objects: self.objects, vault, deps })
    }

    pub fn sweep_uploads(&self, on: &Foundation) -> SweepUploads {
        let Foundation { stores, deps, .. } = on;
        wire!(SweepUploads { store: stores.attachments, objects: self.objects, clock: deps.clock })
    }

    pub fn open_attachment(&self) -> OpenAttachment {
        wire!(OpenAttachment { links: self.signed, objects: self.objects })
    }
}

fn place(on: &Foundation, config: &FilesConfig) -> anyhow::Result<Objects> {
    match &config.place {
        FilesPlace::Folder(folder) => in_folder(on, folder),
        FilesPlace::Bucket(bucket) => in_bucket(on, bucket).map(|(objects, _)| objects),
    }
}

fn in_folder(on: &Foundation, folder: &Path) -> anyhow::Result<Objects> {
    Objects::in_folder(folder, on.deps.clock.clone()).with_context(|| named(folder))
}

fn in_bucket(on: &Foundation, bucket: &S3Config) -> anyhow::Result<(Objects, S3Links)> {
    Objects::in_s3(bucket, on.trust.clone()).context("MESSAGING_S3_BUCKET")
}

fn named(folder: &Path) -> String {
    format!("MESSAGING_FILES_FOLDER: {}", folder.display())
}

fn cannot_be_kept(config: &FilesConfig, reason: StoreFailure) -> anyhow::Error {
    let (place, owner) = match &config.place {
        FilesPlace::Folder(folder) if reason == StoreFailure::Denied => (named(folder), of_another(folder)),
        FilesPlace::Folder(folder) => (named(folder), String::new()),
        FilesPlace::Bucket(bucket) => (format!("MESSAGING_S3_BUCKET: {}", bucket.bucket), String::new()),
    };
    anyhow!("{place}: files cannot be kept there: {reason}{owner}")
}

/// Checks that this user could make the folder: the existing part of its path is writable.
fn can_be_made(folder: &Path) -> anyhow::Result<()> {
    let whole = std::path::absolute(folder)?;
    let above = whole.ancestors().skip(1).find(|above| above.exists()).unwrap_or(&whole);
    access(above, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| {
        let (parent, why, owner) = (above.display(), io::Error::from(error), of_another(above));
        anyhow!("it is not there, and cannot be made in {parent}: {why}{owner}")
    })
}

/// Names the folder's owner, where that is another user than the one who runs this.
fn of_another(folder: &Path) -> String {
    let own = geteuid().as_raw();
    match folder.metadata().map(|metadata| metadata.uid()) {
        Ok(owner) if owner != own => format!("; it is the user {owner}'s, and this is run by the user {own}"),
        _ => String::new(),
    }
}

/// Stand-in for the links of a process without files.
pub(super) struct NoFiles;

#[async_trait]
impl AttachmentLinks for NoFiles {
    async fn link(&self, _: &ObjectKey) -> Result<String, MediaError> {
        Err(MediaError::Final("this process keeps no files".to_owned()))
    }
}
