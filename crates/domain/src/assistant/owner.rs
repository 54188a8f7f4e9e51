//! What the owner has set for answers: words for the model, facts to cite, and how code speaks.

use super::{
    by_language::ByLanguage,
    settings::AssistantSettings,
    speech::{OwnersFact, Phrasebook, Register, Voice, WordingError},
};
use crate::{language::Language, systems::LONGEST_LABEL, text::PlainText};

/// Words and wishes of the owner, as a turn needs them.
#[derive(Debug, Clone)]
pub struct OwnersWords {
    /// Text for the model, without the facts.
    pub written: String,
    pub facts: Vec<TitledFact>,
    /// What the assistant calls itself.
    pub name: Option<PlainText>,
    pub business: Option<PlainText>,
    /// Register of Arabic.
    pub register: Register,
    /// Wordings in place of the service's own.
    pub wordings: ByLanguage,
    /// Whether the first answer in a conversation says that an assistant answers.
    pub introduces_itself: bool,
}

/// A fact of the owner's, which a model cites by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TitledFact {
    pub title: String,
    pub fact: OwnersFact,
}

impl Default for OwnersWords {
    fn default() -> Self {
        Self::of(&AssistantSettings::default(), "")
    }
}

impl OwnersWords {
    /// Gathers them from the settings and the workspace's name.
    pub fn of(settings: &AssistantSettings, business: &str) -> Self {
        let titles = settings.facts.iter().map(|fact| fact.title.clone());
        let facts = titles.zip(settings.owners_facts()).map(|(title, fact)| TitledFact { title, fact });
        Self {
            written: settings.written(),
            facts: facts.collect(),
            name: settings.name.as_deref().and_then(|name| PlainText::read(name, LONGEST_LABEL)),
            business: PlainText::read(business, LONGEST_LABEL),
            register: settings.register,
            wordings: settings.wordings.clone(),
            introduces_itself: settings.introduces_itself,
        }
    }

    /// Returns the voice that answers in a language.
    pub(super) const fn voice(&self, language: Language, is_sorani: bool) -> Voice {
        self.register.voice(match language {
            Language::English => Voice::English,
            Language::Arabic if is_sorani => Voice::Sorani,
            Language::Arabic => Voice::IraqiArabic,
        })
    }

    /// Returns the wordings of a voice: the service's, with the owner's in their place.
    pub(super) fn phrasebook(&self, voice: Voice) -> Result<Phrasebook, WordingError> {
        self.wordings.phrasebook(voice)
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, OwnersWords, Register, Voice};
    use crate::assistant::{AssistantSettings, Fact};

    #[test]
    fn a_fact_is_cited_by_its_place_and_told_with_its_title() {
        let fact =
            |title: &str| Fact { title: title.to_owned(), text: format!("{title}."), ..Fact::default() };
        let settings = AssistantSettings {
            facts: vec![fact("الدوام"), fact("التوصيل")],
            name: Some("سارة".to_owned()),
            ..AssistantSettings::default()
        };
        let words = OwnersWords::of(&settings, "متجر");
        let ids: Vec<_> = words.facts.iter().map(|it| (it.fact.id.as_str(), it.title.as_str())).collect();
        assert_eq!(ids, [("f1", "الدوام"), ("f2", "التوصيل")]);
        assert!(!words.written.contains("التوصيل") && words.written.contains("سارة"));
    }

    #[test]
    fn the_owner_chooses_the_register() {
        let mut words = OwnersWords::default();
        for (register, language, is_sorani, voice) in [
            (Register::Dialect, Language::Arabic, false, Voice::IraqiArabic),
            (Register::Formal, Language::Arabic, false, Voice::FormalArabic),
            (Register::Formal, Language::Arabic, true, Voice::Sorani),
            (Register::Formal, Language::English, false, Voice::English),
        ] {
            words.register = register;
            assert_eq!(words.voice(language, is_sorani), voice);
        }
    }
}
