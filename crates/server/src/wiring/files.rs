//! Customers' files and those that people of the team bring.

use std::sync::Arc;

use adapter_objects::{Objects, StoreFailure};
use adapter_transcription::SpeechService;
use anyhow::Context;
use async_trait::async_trait;
use domain::attachments::{
    ObjectKey, OpenAttachment, SettleFiles, SignedLinks, SweepUploads, TakeUpload,
    ports::{AttachmentLinks, MediaError, NetworkMedia, ObjectStore, Transcriber},
};
use tracing::warn;
use url::Url;

use super::Foundation;
use crate::{
    background::FilesHealth,
    config::{FilesConfig, FilesPlace},
};

/// Customers' files: where they are kept and how they are linked.
#[derive(Clone)]
pub struct Files {
    /// Where they are kept.
    pub objects: Arc<dyn ObjectStore>,
    /// The same, to be checked.
    pub health: Arc<FilesHealth>,
    /// Makes links to them.
    pub links: Arc<dyn AttachmentLinks>,
    /// Makes and judges those that this service serves itself.
    signed: SignedLinks,
    /// What renders voice notes as words.
    transcriber: Option<Arc<dyn Transcriber>>,
}

impl Files {
    /// Over a foundation; `public_url` is where customers' systems reach this service.
    ///
    /// # Errors
    /// When the folder, the bucket or the transcription service cannot be used.
    pub fn open(on: &Foundation, config: &FilesConfig, public_url: Url) -> anyhow::Result<Self> {
        let signed = SignedLinks { vault: on.vault.clone(), clock: on.deps.clock.clone(), public_url };
        let (objects, links): (Objects, Arc<dyn AttachmentLinks>) = match &config.place {
            FilesPlace::Folder(folder) => {
                (Objects::in_folder(folder, on.deps.clock.clone())?, Arc::new(signed.clone()))
            }
            FilesPlace::Bucket(bucket) => {
                let (objects, links) = Objects::in_s3(bucket, on.trust.clone())?;
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

    /// Tries where files are kept, before anything is served.
    ///
    /// # Errors
    /// What only a setting or a right can mend. What may pass is said in the log.
    pub async fn check(on: &Foundation, config: &FilesConfig) -> anyhow::Result<()> {
        let (objects, what) = place(on, config)?;
        match objects.check().await {
            Ok(()) => Ok(()),
            Err(reason) if reason.is_misconfigured() => Err(cannot_be_kept(what, reason)),
            Err(reason) => {
                warn!(%reason, "files cannot be kept now");
                Ok(())
            }
        }
    }

    /// Tries where files are kept.
    ///
    /// # Errors
    /// Whatever is wrong, also what may pass.
    pub async fn try_out(on: &Foundation, config: &FilesConfig) -> anyhow::Result<()> {
        let (objects, what) = place(on, config)?;
        objects.check().await.map_err(|reason| cannot_be_kept(what, reason))
    }

    /// Fetches those that messages wait for.
    pub fn settle(&self, on: &Foundation, networks: Arc<dyn NetworkMedia>) -> SettleFiles {
        let Foundation { stores, vault, deps, .. } = on.clone();
        SettleFiles {
            queue: stores.attachments.clone(),
            networks,
            objects: self.objects.clone(),
            links: self.links.clone(),
            transcriber: self.transcriber.clone(),
            vault,
            deps,
        }
    }

    /// Takes in those that people of the team bring.
    pub fn take_upload(&self, on: &Foundation) -> TakeUpload {
        let Foundation { stores, vault, deps, .. } = on.clone();
        TakeUpload { store: stores.attachments.clone(), objects: self.objects.clone(), vault, deps }
    }

    /// Removes those of them that nobody sent.
    pub fn sweep_uploads(&self, on: &Foundation) -> SweepUploads {
        let Foundation { stores, deps, .. } = on.clone();
        SweepUploads { store: stores.attachments.clone(), objects: self.objects.clone(), clock: deps.clock }
    }

    /// Serves them.
    pub fn open_attachment(&self) -> OpenAttachment {
        OpenAttachment { links: self.signed.clone(), objects: self.objects.clone() }
    }
}

/// Where files are kept, and the setting that says so.
fn place(on: &Foundation, config: &FilesConfig) -> anyhow::Result<(Objects, &'static str)> {
    Ok(match &config.place {
        FilesPlace::Folder(folder) => (Objects::in_folder(folder, on.deps.clock.clone())?, "files_folder"),
        FilesPlace::Bucket(bucket) => (Objects::in_s3(bucket, on.trust.clone())?.0, "s3_bucket"),
    })
}

fn cannot_be_kept(setting: &str, reason: StoreFailure) -> anyhow::Error {
    anyhow::anyhow!("files cannot be kept in what `{setting}` names: {reason}")
}

/// A process that keeps no files.
pub(super) struct NoFiles;

#[async_trait]
impl AttachmentLinks for NoFiles {
    async fn link(&self, _: &ObjectKey) -> Result<String, MediaError> {
        Err(MediaError::Final("this process keeps no files".to_owned()))
    }
}
