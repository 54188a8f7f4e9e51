//! Sources of settings: the environment first, then the file, then the defaults.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context;

use super::{ConfigError, SETTINGS, Setting};
use crate::unreadable::Unreadable;

/// Prefix of the environment's names of all settings.
const PREFIX: &str = "MESSAGING_";
/// Prefix of the names reserved for this repository's tests.
const OF_TESTS: &str = "MESSAGING_TEST_";

/// Settings as text, each with the source that set it.
#[derive(Clone, Default)]
pub struct Source {
    said: BTreeMap<&'static str, (String, String)>,
}

impl Source {
    /// Reads the process's environment and, where one is named, a TOML file.
    ///
    /// # Errors
    /// [`Unreadable`] when the file cannot be read or is not TOML; a plain message when file or environment
    /// hold an unknown setting, or a value that is not text.
    #[expect(clippy::disallowed_methods, reason = "the home of configuration")]
    pub fn read(file: Option<&Path>) -> anyhow::Result<Self> {
        let name = file.map(|path| path.display().to_string()).unwrap_or_default();
        let unreadable = || Unreadable::new("the settings cannot be read");
        let text = file.map(std::fs::read_to_string).transpose();
        let text = text.with_context(|| name.clone()).with_context(unreadable)?;
        table(&name, text.as_deref()).with_context(unreadable)?;
        for (variable, value) in std::env::vars_os() {
            let variable = variable.to_string_lossy();
            known(&variable)?;
            is_text(&variable, value.to_str())?;
        }
        Ok(Self::of(|variable| std::env::var(variable).ok(), &name, text.as_deref())?)
    }

    /// Takes settings from `environment` and from the text of a file called `name`.
    ///
    /// # Errors
    /// When the text is not TOML or holds an unknown setting.
    pub fn of(
        environment: impl Fn(&str) -> Option<String>,
        name: &str,
        text: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let wrong = |key: &str, problem: &str| ConfigError {
            setting: format!("{name}: {key}"),
            problem: problem.to_owned(),
        };
        let mut source = Self::default();
        for (key, value) in table(name, text)? {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) else {
                let near = nearest(&key).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                return Err(wrong(&key, &format!("there is no such setting{near}")));
            };
            let text =
                plain(&value).ok_or_else(|| wrong(&key, "must be a text, a number or a list of texts"))?;
            source.said.insert(setting.key, (format!("{name}: {key}"), text));
        }
        for setting in SETTINGS {
            if let Some(text) = environment(&setting.variable()) {
                source.said.insert(setting.key, (setting.variable(), text));
            }
        }
        Ok(source)
    }

    /// Sets a setting, over any earlier value.
    pub fn with(mut self, key: &str, text: String) -> Self {
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) {
            self.said.insert(setting.key, (setting.variable(), text));
        }
        self
    }

    pub fn says(&self, key: &str) -> bool {
        self.said.contains_key(key)
    }

    /// Returns the setting's text or its default.
    pub(super) fn get(&self, key: &str) -> Result<&str, ConfigError> {
        let said = self.said.get(key).map(|(_, text)| text.trim());
        let default = || SETTINGS.iter().find(|setting| setting.key == key)?.default;
        said.or_else(default).ok_or_else(|| self.wrong(key, "is not set"))
    }

    /// Returns the same, refusing an empty text.
    pub(super) fn required(&self, key: &str) -> Result<&str, ConfigError> {
        let text = self.get(key)?;
        if text.is_empty() { Err(self.wrong(key, "is empty")) } else { Ok(text) }
    }

    /// Makes an error about a setting, named as its source names it.
    pub(super) fn wrong(&self, key: &str, problem: &str) -> ConfigError {
        let variable = || format!("MESSAGING_{}", key.to_ascii_uppercase());
        let setting = self.said.get(key).map_or_else(variable, |(place, _)| place.clone());
        ConfigError { setting, problem: problem.to_owned() }
    }
}

/// Parses the text of a file called `name`.
fn table(name: &str, text: Option<&str>) -> Result<toml::Table, ConfigError> {
    text.unwrap_or_default().parse().map_err(|error: toml::de::Error| ConfigError {
        setting: format!("{name}: not TOML"),
        problem: error.message().to_owned(),
    })
}

/// Refuses a setting whose value is not UTF-8: it would be overlooked in silence.
pub(super) fn is_text(variable: &str, value: Option<&str>) -> Result<(), ConfigError> {
    if value.is_some() || !variable.starts_with(PREFIX) {
        return Ok(());
    }
    Err(ConfigError { setting: variable.to_owned(), problem: "is not UTF-8".to_owned() })
}

/// Refuses a variable that is named like a setting and is none: it would be overlooked in silence.
pub(super) fn known(variable: &str) -> Result<(), ConfigError> {
    let Some(key) = variable.strip_prefix(PREFIX).filter(|_| !variable.starts_with(OF_TESTS)) else {
        return Ok(());
    };
    if SETTINGS.iter().any(|setting| setting.variable() == variable) {
        return Ok(());
    }
    let near = nearest(&key.to_lowercase());
    let near = near.map(|near| format!("; did you mean {PREFIX}{}?", near.to_uppercase()));
    let problem = format!("there is no such setting{}", near.unwrap_or_default());
    Err(ConfigError { setting: variable.to_owned(), problem })
}

/// Returns the setting with the closest name, if one is close enough.
fn nearest(key: &str) -> Option<&'static str> {
    let distance = |setting: &Setting| strsim::osa_distance(setting.key, key);
    let nearest = SETTINGS.iter().min_by_key(|setting| distance(setting))?;
    (distance(nearest) * 3 <= key.len()).then_some(nearest.key)
}

/// Returns a TOML value as the text that the environment would hold; `None` for other kinds of value.
fn plain(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        toml::Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(toml::Value::as_str).collect();
            Some(texts?.join(","))
        }
        _ => None,
    }
}
