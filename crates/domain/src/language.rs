//! Languages in which customers are written to.

use crate::{
    currency::Currency,
    money::{Money, figure},
};

/// Language in which a customer is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Arabic,
    English,
    /// Central Kurdish, in Arabic letters.
    Sorani,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::Arabic, Self::English, Self::Sorani];

    /// Returns its code: ISO 639-1, or 639-3 where that has none.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arabic => "ar",
            Self::English => "en",
            Self::Sorani => "ckb",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    /// Returns the text in this language.
    pub(crate) const fn pick(
        self,
        arabic: &'static str,
        english: &'static str,
        sorani: &'static str,
    ) -> &'static str {
        match self {
            Self::Arabic => arabic,
            Self::English => english,
            Self::Sorani => sorani,
        }
    }

    /// Formats an amount within a sentence: `15,000 IQD`, `15,000 د.ع`, `15,000 دینار`.
    pub(crate) fn amount(self, money: &Money, currency: Currency) -> String {
        let figure = figure(money, currency);
        match self {
            Self::Arabic => format!("{figure} {}", self.run(currency.arabic())),
            Self::English => format!("{figure} {currency}"),
            Self::Sorani => format!("{figure} {}", self.run(currency.sorani())),
        }
    }

    /// Formats text that is read from left to right, such as a phone number: within Arabic letters it is
    /// isolated, or its signs would change places.
    pub(crate) fn run(self, written: &str) -> String {
        match self {
            Self::Arabic | Self::Sorani
                if written.contains(|c: char| c.is_ascii_alphabetic() || "+-#".contains(c)) =>
            {
                format!("\u{2066}{written}\u{2069}")
            }
            _ => written.to_owned(),
        }
    }

    /// Joins the parts of an enumeration.
    pub(crate) const fn comma(self) -> &'static str {
        self.pick("، ", ", ", "، ")
    }

    /// Formats text in any language: within Arabic letters it is isolated if it has Latin ones, which would
    /// turn the line around it.
    pub(crate) fn words(self, written: &str) -> String {
        match self {
            Self::Arabic | Self::Sorani if written.contains(|c: char| c.is_ascii_alphabetic()) => {
                format!("\u{2068}{written}\u{2069}")
            }
            _ => written.to_owned(),
        }
    }
}

/// Returns the one letter for those that people who write Kurdish on an Arabic keyboard put for each other.
pub(crate) const fn plain_letter(c: char) -> char {
    match c {
        'ڕ' => 'ر',
        'ڵ' => 'ل',
        'ێ' => 'ي',
        'ۆ' => 'و',
        _ => c,
    }
}

/// Letters of Sorani Kurdish that Arabic does not have.
const SORANI: &str = "ێۆەڵڕ";

/// Returns whether a text in Arabic letters is Sorani Kurdish: people write a word of Arabic with a letter of
/// it now and then, and no sentence.
pub(crate) fn is_sorani(text: &str) -> bool {
    let letters = text.chars().filter(|&c| is_arabic_letter(c) || SORANI.contains(c)).count();
    let own = text.chars().filter(|&c| SORANI.contains(c)).count();
    own * 8 > letters
}

/// Returns whether it is a letter of the Arabic script, of whichever language.
pub(crate) const fn is_arabic_letter(c: char) -> bool {
    matches!(c, '\u{621}'..='\u{64a}' | '\u{66e}'..='\u{6d3}' | '\u{6d5}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}
