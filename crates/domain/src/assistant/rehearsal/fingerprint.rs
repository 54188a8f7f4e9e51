//! What answers rest on, in one value: results of another are out of date.

use sha2::{Digest, Sha256};

use crate::{
    assistant::{settings::AssistantSettings, toolbox::Tool},
    hex::hex,
    knowledge::Document,
};

/// Fingerprint of the settings and documents that answers rest on, and of the model's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Whom the assistant answers, its limits and the sentences of a hand-over change no answer.
    pub fn of(settings: &AssistantSettings, documents: &[Document], model: Option<&str>) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &str| {
            hash.update(u64::try_from(part.len()).unwrap_or_default().to_be_bytes());
            hash.update(part);
        };
        for part in [model, settings.name.as_deref(), settings.tone.as_deref()] {
            add(part.unwrap_or_default());
        }
        add(&settings.instructions);
        for fact in &settings.facts {
            add("fact");
            add(&fact.title);
            add(&fact.text);
            for (code, text) in fact.wordings.named() {
                add(code);
                add(text);
            }
        }
        for language in &settings.languages {
            add(language.as_str());
        }
        for tool in Tool::ALL.into_iter().filter(|tool| settings.allows(*tool)) {
            add(tool.as_str());
        }
        add(settings.register.as_str());
        for (code, text) in settings.wordings.named() {
            add(code);
            add(text);
        }
        for document in documents {
            add("document");
            add(&document.id.to_string());
            add(&document.changed_at.unix_timestamp_nanos().to_string());
        }
        add(if settings.introduces_itself { "introduces" } else { "" });
        Self(hex(&hash.finalize()))
    }

    /// Restores a stored one.
    pub const fn from_stored(stored: String) -> Self {
        Self(stored)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;
    use crate::{
        assistant::{
            AssistantMode, AssistantSettings, ByLanguage, Fact, HandOverTexts, Tool, speech::Register,
        },
        language::Language,
        testing::a_recipient,
    };

    #[test]
    fn whatever_an_answer_rests_on_changes_it_and_nothing_else() {
        let own = || ByLanguage { english: Some("x".to_owned()), ..ByLanguage::default() };
        let fact = |title: &str, text: &str| Fact {
            title: title.to_owned(),
            text: text.to_owned(),
            wordings: ByLanguage::default(),
        };
        let new = AssistantSettings::default;
        let of = |settings: &AssistantSettings| Fingerprint::of(settings, &[], Some("model"));
        let others = [
            AssistantSettings { name: Some("x".to_owned()), ..new() },
            AssistantSettings { tone: Some("x".to_owned()), ..new() },
            AssistantSettings { instructions: "x".to_owned(), ..new() },
            AssistantSettings { facts: vec![fact("ab", "c")], ..new() },
            AssistantSettings { facts: vec![fact("a", "bc")], ..new() },
            AssistantSettings { facts: vec![Fact { wordings: own(), ..fact("a", "bc") }], ..new() },
            AssistantSettings { languages: vec![Language::English], ..new() },
            AssistantSettings { tools: Some(vec![Tool::SearchProducts]), ..new() },
            AssistantSettings { register: Register::Formal, ..new() },
            AssistantSettings { wordings: own(), ..new() },
            AssistantSettings { introduces_itself: false, ..new() },
        ];
        let mut seen = vec![of(&new()), Fingerprint::of(&new(), &[], Some("another"))];
        for settings in &others {
            let fingerprint = of(settings);
            assert!(!seen.contains(&fingerprint), "{settings:?}");
            seen.push(fingerprint);
        }
        let same = AssistantSettings {
            mode: AssistantMode::On,
            test_numbers: vec![a_recipient()],
            daily_tokens: 1,
            hand_over: HandOverTexts { english: Some("x".to_owned()), ..HandOverTexts::default() },
            rehearses_changes: false,
            ..new()
        };
        assert_eq!(of(&same), of(&new()));
    }
}
