//! Languages and registers that code speaks.

/// Register of a language that has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    /// As people of the place write in chats.
    Dialect,
    Formal,
}

/// Language and register in which code words an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Voice {
    IraqiArabic,
    FormalArabic,
    English,
    /// Central Kurdish, in Arabic letters.
    Sorani,
}

impl Register {
    pub const ALL: [Self; 2] = [Self::Dialect, Self::Formal];

    /// Returns the voice for a language, given by any of its voices.
    pub const fn voice(self, language: Voice) -> Voice {
        match (language, self) {
            (Voice::IraqiArabic | Voice::FormalArabic, Self::Dialect) => Voice::IraqiArabic,
            (Voice::IraqiArabic | Voice::FormalArabic, Self::Formal) => Voice::FormalArabic,
            (language @ (Voice::English | Voice::Sorani), _) => language,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dialect => "dialect",
            Self::Formal => "formal",
        }
    }

    /// Parses what [`Self::as_str`] returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|register| register.as_str() == name)
    }
}

impl Voice {
    pub const ALL: [Self; 4] = [Self::IraqiArabic, Self::FormalArabic, Self::English, Self::Sorani];

    /// Language tags that [`Self::read`] takes.
    pub const TAGS: [&str; 4] = ["ar-IQ", "ar", "en", "ckb"];

    /// Parses a language tag. Arabic of Iraq is the dialect and plain Arabic the formal register, unless
    /// `register` says otherwise; the other languages have one register.
    pub fn read(tag: &str, register: Option<Register>) -> Option<Self> {
        let arabic = |otherwise| match register.unwrap_or(otherwise) {
            Register::Dialect => Self::IraqiArabic,
            Register::Formal => Self::FormalArabic,
        };
        match tag {
            "ar-IQ" => Some(arabic(Register::Dialect)),
            "ar" => Some(arabic(Register::Formal)),
            "en" => Some(Self::English),
            "ckb" => Some(Self::Sorani),
            _ => None,
        }
    }

    /// Returns the language's code, by which approved wordings of the owner are kept.
    pub const fn language(self) -> &'static str {
        match self {
            Self::IraqiArabic | Self::FormalArabic => "ar",
            Self::English => "en",
            Self::Sorani => "ckb",
        }
    }

    /// Returns whether it is written from right to left.
    pub(super) const fn is_right_to_left(self) -> bool {
        !matches!(self, Self::English)
    }

    /// Returns a text as a line begins.
    pub(super) fn capital(self, text: &str) -> String {
        let mut rest = text.chars();
        match (self, rest.next()) {
            (Self::English, Some(first)) => first.to_uppercase().chain(rest).collect(),
            _ => text.to_owned(),
        }
    }

    /// Joins the parts of an enumeration.
    pub(super) fn join(self, parts: &[String]) -> String {
        parts.join(self.comma())
    }

    /// Returns what stands between the parts of a sentence.
    pub(super) const fn comma(self) -> &'static str {
        match self {
            Self::IraqiArabic | Self::FormalArabic | Self::Sorani => "، ",
            Self::English => ", ",
        }
    }

    /// Isolates a text whose direction would turn the line around it, or whose signs would change places.
    pub(super) fn isolate(self, text: &str) -> String {
        let is_turned = match self {
            Self::IraqiArabic | Self::FormalArabic | Self::Sorani => {
                text.contains(|c: char| c.is_ascii_alphabetic() || "+-#/".contains(c))
            }
            Self::English => text.contains(is_right_to_left),
        };
        if is_turned { format!("\u{2068}{text}\u{2069}") } else { text.to_owned() }
    }
}

/// Returns whether it is a letter of the Hebrew or Arabic scripts.
const fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{5d0}'..='\u{5ea}' | '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d5}' | '\u{6fa}'..='\u{6ff}'
        | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::{Register, Voice};

    #[test]
    fn a_tag_names_a_voice_and_a_register_chooses_among_two() {
        for (tag, register, voice) in [
            ("ar-IQ", None, Some(Voice::IraqiArabic)),
            ("ar-IQ", Some(Register::Formal), Some(Voice::FormalArabic)),
            ("ar", None, Some(Voice::FormalArabic)),
            ("ar", Some(Register::Dialect), Some(Voice::IraqiArabic)),
            ("en", Some(Register::Formal), Some(Voice::English)),
            ("ckb", None, Some(Voice::Sorani)),
            ("fr", None, None),
        ] {
            assert_eq!(Voice::read(tag, register), voice, "{tag}");
        }
        assert!(Voice::TAGS.into_iter().all(|tag| Voice::read(tag, None).is_some()));
        assert!(Register::ALL.into_iter().all(|it| Register::read(it.as_str()) == Some(it)));
    }

    #[test]
    fn what_would_turn_a_line_is_isolated() {
        for (voice, text, is_isolated) in [
            (Voice::IraqiArabic, "حليب نيدو", false),
            (Voice::IraqiArabic, "iPhone 15", true),
            (Voice::Sorani, "#A-7", true),
            (Voice::FormalArabic, "أبيض / وسط", true),
            (Voice::English, "حليب نيدو", true),
            (Voice::English, "iPhone 15", false),
        ] {
            assert_eq!(voice.isolate(text).starts_with('\u{2068}'), is_isolated, "{text}");
        }
    }
}
