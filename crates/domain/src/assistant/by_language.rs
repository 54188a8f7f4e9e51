//! Texts of the owner's by the language of whoever reads them.

use super::speech::{Phrasebook, Voice, WordingError};

/// A text of the owner's in each language that customers write; `None` where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByLanguage {
    pub arabic: Option<String>,
    pub english: Option<String>,
    /// Central Kurdish, in Arabic letters.
    pub sorani: Option<String>,
}

impl ByLanguage {
    /// Codes of the languages, in the order of the texts.
    pub const CODES: [&str; 3] = ["ar", "en", "ckb"];

    /// Returns the texts in the order of the codes.
    pub fn texts(&self) -> [Option<&str>; 3] {
        [&self.arabic, &self.english, &self.sorani].map(Option::as_deref)
    }

    /// Lists the texts that there are by the codes of their languages.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        Self::CODES.into_iter().zip(self.texts()).filter_map(|(code, text)| Some((code, text?)))
    }

    /// Returns the text for whoever is spoken to in `voice`.
    pub fn text(&self, voice: Voice) -> Option<&str> {
        self.named().find(|(code, _)| *code == voice.language()).map(|(_, text)| text)
    }

    /// Returns the service's wordings with these in their place.
    ///
    /// # Errors
    /// Only if a file that comes with the program is broken, which tests exclude.
    pub(super) fn phrasebook(&self, voice: Voice) -> Result<Phrasebook, WordingError> {
        let shipped = Phrasebook::shipped(voice)?;
        // A file with a phrase that this version no longer has says nothing; the service's own words do.
        let own = self.text(voice).and_then(|own| shipped.clone().with_own(own).ok());
        Ok(own.unwrap_or(shipped))
    }
}

impl From<[Option<String>; 3]> for ByLanguage {
    /// Takes the texts in the order of the codes; a blank one is none.
    fn from(texts: [Option<String>; 3]) -> Self {
        let [arabic, english, sorani] = texts.map(|text| text.filter(|text| !crate::text::is_blank(text)));
        Self { arabic, english, sorani }
    }
}

impl From<ByLanguage> for [Option<String>; 3] {
    fn from(texts: ByLanguage) -> Self {
        [texts.arabic, texts.english, texts.sorani]
    }
}

#[cfg(test)]
mod tests {
    use super::{ByLanguage, Voice};

    #[test]
    fn each_voice_has_the_text_of_its_language_and_a_blank_one_is_none() {
        let texts = ByLanguage::from([Some("نوصل".to_owned()), Some(" \n".to_owned()), None]);
        assert_eq!(texts.named().collect::<Vec<_>>(), [("ar", "نوصل")]);
        for (voice, text) in [
            (Voice::IraqiArabic, Some("نوصل")),
            (Voice::FormalArabic, Some("نوصل")),
            (Voice::English, None),
            (Voice::Sorani, None),
        ] {
            assert_eq!(texts.text(voice), text, "{voice:?}");
        }
        assert!(Voice::ALL.into_iter().all(|voice| ByLanguage::CODES.contains(&voice.language())));
    }
}
