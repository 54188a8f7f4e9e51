//! Where customers' files are kept, and what renders voice notes as words.

use std::path::PathBuf;

use adapter_objects::S3Config;
use url::Url;

use super::{ConfigError, Source};

/// Where files are kept.
#[derive(Debug, Clone)]
pub enum FilesPlace {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A bucket.
    Bucket(S3Config),
}

/// What customers' files need.
#[derive(Debug, Clone)]
pub struct FilesConfig {
    /// Where they are kept.
    pub place: FilesPlace,
    /// What renders voice notes as words.
    pub transcription: Option<adapter_transcription::Config>,
}

impl Source {
    /// Where the language model is, unless the installation has none.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub fn model(&self) -> Result<Option<adapter_assistant::Config>, ConfigError> {
        let Some(base_url) = self.web_address("model_url")? else { return Ok(None) };
        let key = self.said("model_key")?.map(Into::into);
        Ok(Some(adapter_assistant::Config { base_url, key, model: self.required("model_name")?.to_owned() }))
    }

    /// What customers' files need.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub fn files(&self) -> Result<FilesConfig, ConfigError> {
        let place = match self.said("s3_bucket")? {
            None => FilesPlace::Folder(self.required("files_folder")?.into()),
            Some(bucket) => FilesPlace::Bucket(S3Config {
                endpoint: self.web_address("s3_endpoint")?,
                bucket: bucket.to_owned(),
                region: self.required("s3_region")?.to_owned(),
                access_key_id: self.required("s3_access_key_id")?.to_owned(),
                secret_access_key: self.required("s3_secret_access_key")?.into(),
            }),
        };
        let transcription = match self.web_address("transcription_url")? {
            None => None,
            Some(base_url) => Some(adapter_transcription::Config {
                base_url,
                key: self.said("transcription_key")?.map(Into::into),
                model: self.required("transcription_model")?.to_owned(),
            }),
        };
        Ok(FilesConfig { place, transcription })
    }

    /// The setting, unless it is empty.
    fn said(&self, key: &str) -> Result<Option<&str>, ConfigError> {
        Ok(Some(self.get(key)?).filter(|text| !text.is_empty()))
    }

    /// The setting as an address of the web, unless it is empty.
    fn web_address(&self, key: &str) -> Result<Option<Url>, ConfigError> {
        let read = |text: &str| {
            let url = text.parse().ok();
            let url =
                url.filter(|url: &Url| matches!(url.scheme(), "http" | "https") && url.query().is_none());
            url.ok_or_else(|| self.wrong(key, "must be an http or https address without a query"))
        };
        self.said(key)?.map(read).transpose()
    }
}
