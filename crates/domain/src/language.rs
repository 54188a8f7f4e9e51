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
}

impl Language {
    pub const ALL: [Self; 2] = [Self::Arabic, Self::English];

    /// Returns its ISO 639-1 code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arabic => "ar",
            Self::English => "en",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    /// Returns the text in this language.
    pub(crate) const fn pick(self, arabic: &'static str, english: &'static str) -> &'static str {
        match self {
            Self::Arabic => arabic,
            Self::English => english,
        }
    }

    /// Formats an amount within a sentence: `15,000 IQD`, `15,000 د.ع`.
    pub(crate) fn amount(self, money: &Money, currency: Currency) -> String {
        let figure = figure(money, currency);
        match self {
            Self::Arabic => format!("{figure} {}", self.run(currency.arabic())),
            Self::English => format!("{figure} {currency}"),
        }
    }

    /// Formats text that is read from left to right, such as a phone number: within Arabic it is isolated, or
    /// its signs would change places.
    pub(crate) fn run(self, written: &str) -> String {
        match self {
            Self::Arabic if written.contains(|c: char| c.is_ascii_alphabetic() || "+-#".contains(c)) => {
                format!("\u{2066}{written}\u{2069}")
            }
            _ => written.to_owned(),
        }
    }

    /// Formats text in any language: within Arabic it is isolated if it has Latin letters, which would
    /// turn the line around it.
    pub(crate) fn words(self, written: &str) -> String {
        match self {
            Self::Arabic if written.contains(|c: char| c.is_ascii_alphabetic()) => {
                format!("\u{2068}{written}\u{2069}")
            }
            _ => written.to_owned(),
        }
    }
}
