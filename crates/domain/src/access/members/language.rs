//! The language of a member's pages and mails.

use serde::{Deserialize, Serialize};

/// Language of a member's pages and mails. A workspace's locale is another matter: the language of its
/// templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    #[serde(rename = "ar")]
    Arabic,
    #[serde(rename = "en")]
    English,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::Arabic, Self::English];

    /// Returns the code, as on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arabic => "ar",
            Self::English => "en",
        }
    }

    /// Parses what `as_str` returns; `None` for anything else.
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    /// Returns the language of somebody who has chosen none: Arabic if the workspace's locale is, otherwise
    /// English.
    pub fn of_locale(locale: &str) -> Self {
        if locale.split(['-', '_']).next() == Some("ar") { Self::Arabic } else { Self::English }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_language_reads_back_from_its_code() {
        for language in Language::ALL {
            assert_eq!(Language::read(language.as_str()), Some(language));
        }
        for code in ["", "AR", "ar-IQ", "ku"] {
            assert_eq!(Language::read(code), None, "{code}");
        }
    }

    #[test]
    fn an_arabic_locale_stands_for_arabic_and_every_other_for_english() {
        for (locale, wanted) in [
            ("ar", Language::Arabic),
            ("ar-IQ", Language::Arabic),
            ("ar_IQ", Language::Arabic),
            ("en_US", Language::English),
            ("ckb", Language::English),
            ("arc", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), wanted, "{locale}");
        }
    }
}
