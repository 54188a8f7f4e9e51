//! Reading and changing the settings.

use std::sync::Arc;

use super::{
    ports::AssistantStore,
    settings::{AssistantMode, AssistantSettings, SettingsRule},
};
use crate::{
    audit::{Acting, Action},
    contacts::{is_a_number, ports::ContactStore},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
};

/// Reason the settings were not stored.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Invalid(#[from] SettingsRule),
    #[error("there is no such group in this workspace")]
    NoSuchGroup,
    #[error("this installation has no language model: an operator sets one")]
    NoModel,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that shows and changes the settings.
pub struct ManageAssistant {
    pub store: Arc<dyn AssistantStore>,
    /// Source of contacts' numbers, which may try the assistant even if no numbering plan has them.
    pub contacts: Arc<dyn ContactStore>,
    /// Name of the installation's model; `None` if it has none.
    pub model: Option<String>,
    pub deps: Deps,
}

impl ManageAssistant {
    /// Returns the settings; if there are none, those of an assistant that is off.
    pub async fn get(&self, workspace: WorkspaceId) -> Result<AssistantSettings, StoreError> {
        Ok(self.store.settings(workspace).await?.unwrap_or_default())
    }

    /// Replaces the settings.
    pub async fn set(&self, acting: Acting, settings: &AssistantSettings) -> Result<(), SettingsError> {
        settings.check()?;
        if settings.mode != AssistantMode::Off && self.model.is_none() {
            return Err(SettingsError::NoModel);
        }
        for phone in &settings.test_numbers {
            if !is_a_number(&*self.contacts, acting.workspace, phone).await? {
                return Err(SettingsRule::NoSuchNumber.into());
            }
        }
        let entry = acting
            .does(Action::AssistantChanged, self.deps.clock.now(), &*self.deps.ids)
            .with("mode", settings.mode.as_str())
            .with("dailyTokens", settings.daily_tokens)
            .with("facts", u64::try_from(settings.facts.len()).unwrap_or(u64::MAX));
        let texts = settings.hand_over.named().into_iter();
        let entry = texts.fold(entry, |entry, (name, text)| match text {
            Some(text) => entry.with(name, text),
            None => entry,
        });
        if self.store.set(acting.workspace, settings, &entry).await? {
            Ok(())
        } else {
            Err(SettingsError::NoSuchGroup)
        }
    }
}
