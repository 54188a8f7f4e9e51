//! A workspace's own key of a model.

use std::fmt;

use time::OffsetDateTime;

use crate::{ids::ModelKeyId, systems::SecretError};

/// A key that a model's vendor issued to a workspace. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct ModelKey(String);

impl ModelKey {
    /// Parses what an owner typed; nothing is taken off or changed.
    pub fn parse(typed: &str) -> Result<Self, SecretError> {
        SecretError::check(typed)?;
        Ok(Self(typed.to_owned()))
    }

    /// Returns the key in clear text.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ModelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ModelKey(…)")
    }
}

/// The key of a model's provider as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptModelKey {
    pub id: ModelKeyId,
    pub key: ModelKey,
    /// When the model's server began to refuse it; `None` while it does not.
    pub refused_at: Option<OffsetDateTime>,
}

/// State of a workspace's key, without the key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelKeyState {
    /// `None` if the workspace has no key.
    pub set_at: Option<OffsetDateTime>,
    pub refused_at: Option<OffsetDateTime>,
}
