//! Changing a workspace's settings.

use std::sync::Arc;

use super::{Workspace, ports::WorkspaceStore, settings::WorkspaceSettings};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
};

/// Longest name, in characters.
const LONGEST_NAME: usize = 200;

/// Longest locale, in characters (RFC 5646, 4.4.1).
const LONGEST_LOCALE: usize = 35;

/// Reason why the settings were not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeWorkspaceError {
    #[error("`name` must have 1 to 200 characters, white space at the ends not counted")]
    Name,
    #[error("`locale` must be a language such as `ar` or `en_US`")]
    Locale,
    #[error("there is no such workspace")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that changes a workspace's settings.
pub struct ChangeWorkspace {
    pub store: Arc<dyn WorkspaceStore>,
    pub deps: Deps,
}

impl ChangeWorkspace {
    /// Changes the settings, and returns the workspace as changed.
    pub async fn run(
        &self,
        acting: Acting,
        wanted: WorkspaceSettings,
    ) -> Result<Workspace, ChangeWorkspaceError> {
        let wanted = checked(wanted)?;
        let mut entry = acting.does(Action::WorkspaceChanged, self.deps.clock.now(), &*self.deps.ids);
        for (name, value) in wanted.told() {
            if let Some(value) = value {
                entry = entry.with(name, value);
            }
        }
        self.store.change(acting.workspace, &wanted, &entry).await?.ok_or(ChangeWorkspaceError::Unknown)
    }
}

/// Validates the settings. Destructuring names every field, so a new one needs a check here, or a type that
/// has checked it.
fn checked(wanted: WorkspaceSettings) -> Result<WorkspaceSettings, ChangeWorkspaceError> {
    let WorkspaceSettings { name, locale, region, time_zone } = wanted;
    let name = name.map(|name| kept_name(&name).ok_or(ChangeWorkspaceError::Name)).transpose()?;
    if locale.as_deref().is_some_and(|locale| !is_locale(locale)) {
        return Err(ChangeWorkspaceError::Locale);
    }
    Ok(WorkspaceSettings { name, locale, region, time_zone })
}

/// Returns the trimmed name; `None` if it is empty or too long.
pub(super) fn kept_name(text: &str) -> Option<String> {
    let name = text.trim();
    let fits = !name.is_empty() && name.chars().nth(LONGEST_NAME).is_none();
    fits.then(|| name.to_owned())
}

/// Returns whether the text is a language of two or three letters, followed by parts of letters and digits.
pub(super) fn is_locale(text: &str) -> bool {
    let mut parts = text.split(['-', '_']);
    let language = parts.next().unwrap_or_default();
    let is_language =
        (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_part =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_language && parts.all(is_part) && text.len() <= LONGEST_LOCALE
}

#[cfg(test)]
mod tests {
    use super::is_locale;

    #[test]
    fn a_locale_is_a_language_with_or_without_more() {
        for (text, wanted) in [
            ("ar", true),
            ("en_US", true),
            ("zh-Hant-TW", true),
            ("ckb", true),
            ("", false),
            ("a", false),
            ("AR", false),
            ("arab", false),
            ("ar_", false),
            ("ar IQ", false),
        ] {
            assert_eq!(is_locale(text), wanted, "{text}");
        }
    }
}
