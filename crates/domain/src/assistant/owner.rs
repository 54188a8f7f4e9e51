//! What the owner has set for answers: words for the model, facts to cite, and how code speaks.

use super::{
    by_language::ByLanguage,
    speech::{OwnersFact, Phrasebook, Register, Voice, WordingError},
};
use crate::{language::Language, text::PlainText};

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
    /// Whether the answer says that an assistant answers, as the first one of a conversation does.
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
        Self {
            written: String::new(),
            facts: Vec::new(),
            name: None,
            business: None,
            register: Register::Dialect,
            wordings: ByLanguage::default(),
            introduces_itself: false,
        }
    }
}

impl OwnersWords {
    /// Returns the voice that answers in a language.
    pub(super) const fn voice(&self, language: Language) -> Voice {
        self.register.voice(match language {
            Language::English => Voice::English,
            Language::Sorani => Voice::Sorani,
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

    #[test]
    fn the_owner_chooses_the_register() {
        for (register, language, voice) in [
            (Register::Dialect, Language::Arabic, Voice::IraqiArabic),
            (Register::Formal, Language::Arabic, Voice::FormalArabic),
            (Register::Formal, Language::Sorani, Voice::Sorani),
            (Register::Formal, Language::English, Voice::English),
        ] {
            let words = OwnersWords { register, ..OwnersWords::default() };
            assert_eq!(words.voice(language), voice);
        }
    }
}
