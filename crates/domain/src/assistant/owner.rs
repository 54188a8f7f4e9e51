//! What the owner has set for answers: words for the model, facts to cite, and how code speaks.

use super::speech::{OwnersFact, Phrasebook, Register, Voice, WordingError};
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
        Self {
            written: String::new(),
            facts: Vec::new(),
            name: None,
            business: None,
            register: Register::Dialect,
            wordings: None,
        }
    }
}

impl OwnersWords {
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
    use crate::assistant::speech::{Phrase, Phrasebook};

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
        let count = |book: &Phrasebook| book.wordings(Phrase::Greet).count();
        assert_eq!(count(&words.phrasebook(Voice::English).unwrap()), 1);
        words.wordings = Some("[nothing]".to_owned());
        assert!(count(&words.phrasebook(Voice::English).unwrap()) > 1);
    }
}
