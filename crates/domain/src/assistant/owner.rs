//! What the owner has set for answers: words for the model, facts to cite, and how code speaks.

use super::{
    settings::AssistantSettings,
    speech::{OwnersFact, Phrasebook, Register, Voice, WordingError},
};
use crate::{external_id::ExternalId, language::Language, systems::LONGEST_LABEL, text::PlainText};

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
    /// Their own wordings, in the format of the service's files.
    pub wordings: Option<String>,
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
        let fact = |(place, fact): (usize, &super::settings::Fact)| {
            let id = ExternalId::of_text(&format!("f{}", place + 1))?;
            let said = OwnersFact { id, text: fact.text.clone(), approved: Vec::new() };
            Some(TitledFact { title: fact.title.clone(), fact: said })
        };
        Self {
            written: settings.written(),
            facts: settings.facts.iter().enumerate().filter_map(fact).collect(),
            name: settings.name.as_deref().and_then(|name| PlainText::read(name, LONGEST_LABEL)),
            business: PlainText::read(business, LONGEST_LABEL),
            register: Register::Dialect,
            wordings: None,
        }
    }

    /// Returns the voice that answers in a language.
    pub(super) const fn voice(&self, language: Language, is_sorani: bool) -> Voice {
        match (language, self.register) {
            (Language::English, _) => Voice::English,
            (Language::Arabic, _) if is_sorani => Voice::Sorani,
            (Language::Arabic, Register::Dialect) => Voice::IraqiArabic,
            (Language::Arabic, Register::Formal) => Voice::FormalArabic,
        }
    }

    /// Returns the wordings of a voice: the service's, with the owner's in their place.
    pub(super) fn phrasebook(&self, voice: Voice) -> Result<Phrasebook, WordingError> {
        let shipped = Phrasebook::shipped(voice)?;
        let Some(own) = &self.wordings else { return Ok(shipped) };
        // Settings were checked; what no longer can be read is worded as shipped.
        Ok(shipped.clone().with_own(own).unwrap_or(shipped))
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, OwnersWords, Register, Voice};
    use crate::assistant::{AssistantSettings, Fact, speech::Phrasebook};

    #[test]
    fn a_fact_is_cited_by_its_place_and_told_with_its_title() {
        let fact = |title: &str| Fact { title: title.to_owned(), text: format!("{title}.") };
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
    fn the_owner_chooses_the_register_and_wordings() {
        let mut words =
            OwnersWords { wordings: Some("[greet]\nMarhaba\n".to_owned()), ..OwnersWords::default() };
        for (register, language, is_sorani, voice) in [
            (Register::Dialect, Language::Arabic, false, Voice::IraqiArabic),
            (Register::Formal, Language::Arabic, false, Voice::FormalArabic),
            (Register::Formal, Language::Arabic, true, Voice::Sorani),
            (Register::Formal, Language::English, false, Voice::English),
        ] {
            words.register = register;
            assert_eq!(words.voice(language, is_sorani), voice);
        }
        let count = |book: &Phrasebook| book.wordings(crate::assistant::speech::Phrase::Greet).count();
        assert_eq!(count(&words.phrasebook(Voice::English).unwrap()), 1);
        words.wordings = Some("[nothing]".to_owned());
        assert!(count(&words.phrasebook(Voice::English).unwrap()) > 1);
    }
}
