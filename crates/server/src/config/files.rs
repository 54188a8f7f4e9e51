//! Settings of the file store, of transcription and of the assistant's models.

use std::path::PathBuf;

use adapter_assistant::Dialect;
use adapter_objects::S3Config;
use domain::assistant::{ModelPrice, Prices};
use url::Url;

use super::{ConfigError, Source};

#[derive(Debug, Clone)]
pub enum FilesPlace {
    Folder(PathBuf),
    Bucket(S3Config),
}

#[derive(Debug, Clone)]
pub struct FilesConfig {
    pub place: FilesPlace,
    /// Speech recognition for voice notes; `None` without it.
    pub transcription: Option<adapter_transcription::Config>,
}

/// Language models that the assistant answers with.
#[derive(Debug, Clone)]
pub struct ModelConfig {
    pub first: adapter_assistant::Config,
    /// Asked where the first fails.
    pub fallback: Option<adapter_assistant::Config>,
    /// Whether workspaces may have the first asked with keys of their own.
    pub own_keys: bool,
    /// Whether the first reads pictures.
    pub reads_pictures: bool,
    pub prices: Prices,
}

impl ModelConfig {
    /// Returns the price of what is asked; `None` if any model has none.
    pub fn price(&self) -> Option<ModelPrice> {
        self.prices.first.filter(|_| self.fallback.is_none() || self.prices.fallback.is_some())
    }
}

/// Names of one model's settings.
struct ModelSettings {
    dialect: &'static str,
    url: &'static str,
    key: &'static str,
    name: &'static str,
}

impl Source {
    /// Parses the language models; `None` where the installation has none.
    pub fn model(&self) -> Result<Option<ModelConfig>, ConfigError> {
        let first = self.model_at(&ModelSettings {
            dialect: "model_dialect",
            url: "model_url",
            key: "model_key",
            name: "model_name",
        })?;
        let fallback = self.model_at(&ModelSettings {
            dialect: "fallback_model_dialect",
            url: "fallback_model_url",
            key: "fallback_model_key",
            name: "fallback_model_name",
        })?;
        let own_keys = match self.required("model_own_keys")? {
            "allowed" => true,
            "refused" => false,
            _ => return Err(self.wrong("model_own_keys", "must be allowed or refused")),
        };
        let reads_pictures = match self.required("model_pictures")? {
            "read" => true,
            "refused" => false,
            _ => return Err(self.wrong("model_pictures", "must be read or refused")),
        };
        match first {
            Some(first) => {
                let prices = self.prices()?;
                Ok(Some(ModelConfig { first, fallback, own_keys, reads_pictures, prices }))
            }
            None if fallback.is_some() => {
                Err(self.wrong("model_url", "is empty, though there is a model to ask in its place"))
            }
            None => Ok(None),
        }
    }

    /// Parses the models' prices, in one currency.
    fn prices(&self) -> Result<Prices, ConfigError> {
        let price = |name| -> Result<Option<ModelPrice>, ConfigError> {
            let Some(written) = self.said(name)? else { return Ok(None) };
            written.parse().map(Some).map_err(|_| {
                let wanted = "must be the prices of a million tokens read and written, a currency and the day of the \
                              prices: 0.15 0.60 USD 2026-11-01";
                self.wrong(name, wanted)
            })
        };
        let prices = Prices { first: price("model_price")?, fallback: price("fallback_model_price")? };
        match (prices.first, prices.fallback) {
            (Some(first), Some(fallback)) if first.currency != fallback.currency => {
                Err(self.wrong("fallback_model_price", "is in another currency than the first model's"))
            }
            _ => Ok(prices),
        }
    }

    /// Parses one model's settings. A key without an address is for the vendor whose dialect is set.
    fn model_at(&self, settings: &ModelSettings) -> Result<Option<adapter_assistant::Config>, ConfigError> {
        let dialect = Dialect::read(self.required(settings.dialect)?)
            .ok_or_else(|| self.wrong(settings.dialect, "must be openai, anthropic or gemini"))?;
        let key = self.said(settings.key)?.map(Into::into);
        let base_url = match self.web_address(settings.url)? {
            Some(url) => url,
            None if key.is_none() => return Ok(None),
            None => dialect
                .vendor()
                .parse()
                .map_err(|_| self.wrong(settings.url, "has no address to take its place"))?,
        };
        let model = self.required(settings.name)?.to_owned();
        Ok(Some(adapter_assistant::Config { dialect, base_url, key, model }))
    }

    pub fn files(&self) -> Result<FilesConfig, ConfigError> {
        let place = match self.said("s3_bucket")? {
            None => {
                let of_a_bucket = ["s3_endpoint", "s3_access_key_id", "s3_secret_access_key"];
                self.nothing_beside("s3_bucket", &of_a_bucket)?;
                FilesPlace::Folder(self.required("files_folder")?.into())
            }
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

    /// Returns the setting, unless it is empty.
    fn said(&self, key: &str) -> Result<Option<&str>, ConfigError> {
        Ok(Some(self.get(key)?).filter(|text| !text.is_empty()))
    }

    /// Parses the setting as a web address, unless it is empty.
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
