//! Reading and changing the settings.

use std::sync::Arc;

use super::{
    cost::ModelPrice,
    ports::AssistantStore,
    rehearsal::ManageRehearsals,
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
    /// Asks the owner's questions again after a change.
    pub rehearsals: ManageRehearsals,
    /// Price of the model; `None` if it, or the one asked in its place, has none.
    pub price: Option<ModelPrice>,
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
        if settings.daily_budget.is_some() && self.price.is_none() {
            return Err(SettingsRule::NoPrice.into());
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
            .with("facts", u64::try_from(settings.facts.len()).unwrap_or(u64::MAX))
            .with("register", settings.register.as_str())
            .with("introducesItself", settings.introduces_itself)
            .with("rehearsesChanges", settings.rehearses_changes)
            .with("wordings", settings.wordings.named().map(|(code, _)| code).collect::<Vec<_>>().join(","));
        let texts = settings.hand_over.named().into_iter();
        let entry = texts.fold(entry, |entry, (name, text)| match text {
            Some(text) => entry.with(name, text),
            None => entry,
        });
        let entry = match settings.daily_budget {
            Some(budget) => entry.with("dailyBudget", budget.to_string()),
            None => entry,
        };
        if !self.store.set(acting.workspace, settings, &entry).await? {
            return Err(SettingsError::NoSuchGroup);
        }
        // The settings are kept, whatever comes of this: the page says that the results are out of date.
        let _ = self.rehearsals.after_change(acting).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pollster::FutureExt;

    use super::{ManageAssistant, SettingsError};
    use crate::{
        assistant::{
            AssistantMode, AssistantSettings, SettingsRule, ports::MockAssistantStore,
            rehearsal::fixtures::without_questions,
        },
        audit::Acting,
        contacts::{ContactProfile, ports::MockContactStore},
        phone::PhoneNumber,
        testing::{a_contact, a_workspace, some_deps},
    };

    #[test]
    fn what_a_contact_has_as_its_number_may_try_it_though_no_plan_of_today_has_it() {
        for (number, known, taken) in [
            ("+9647701234567", false, true),
            ("+5215512345678", true, true),
            ("+5215512345678", false, false),
        ] {
            let (mut store, mut contacts) = (MockAssistantStore::new(), MockContactStore::new());
            store.expect_set().times(usize::from(taken)).returning(|_, _, _| Ok(true));
            contacts
                .expect_find_by_phone()
                .returning(move |_, _| Ok(known.then(|| ContactProfile::without_conversations(a_contact()))));
            let manage = ManageAssistant {
                store: Arc::new(store),
                contacts: Arc::new(contacts),
                model: Some("model".to_owned()),
                rehearsals: without_questions(),
                price: None,
                deps: some_deps(),
            };
            let settings = AssistantSettings {
                mode: AssistantMode::Test,
                test_numbers: vec![PhoneNumber::from_e164(number).unwrap()],
                ..AssistantSettings::default()
            };
            match manage.set(Acting::operator(a_workspace().id), &settings).block_on() {
                Ok(()) => assert!(taken, "{number}"),
                Err(SettingsError::Invalid(SettingsRule::NoSuchNumber)) => assert!(!taken, "{number}"),
                Err(other) => panic!("{number}: {other}"),
            }
        }
    }
}
