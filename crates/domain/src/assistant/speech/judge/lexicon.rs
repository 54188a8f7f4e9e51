//! Words that a wording may have beside code's own.

use std::{collections::HashSet, sync::LazyLock};

use super::tokens::{Token, tokens};
use crate::assistant::speech::voice::Voice;

static ARABIC: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(include_str!("words/ar.txt")));
static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(include_str!("words/en.txt")));
static SORANI: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(include_str!("words/ckb.txt")));

/// Words of one language that state nothing, words that deny, and signs that mean no more than courtesy.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    courtesy: HashSet<String>,
    negations: HashSet<String>,
    signs: HashSet<char>,
}

impl Lexicon {
    pub(super) fn of(voice: Voice) -> &'static Self {
        match voice {
            Voice::IraqiArabic | Voice::FormalArabic => &ARABIC,
            Voice::English => &ENGLISH,
            Voice::Sorani => &SORANI,
        }
    }

    fn read(file: &str) -> Self {
        let mut lexicon = Self::default();
        let mut section = "";
        for line in file.lines().filter(|line| !line.starts_with('#')) {
            if line.starts_with('[') {
                section = line;
                continue;
            }
            let words = tokens(line).into_iter().filter_map(|token| match token {
                Token::Word(word) => Some(word),
                Token::Number(_) | Token::Sign(_) => None,
            });
            match section {
                "[courtesy]" => lexicon.courtesy.extend(words),
                "[negation]" => lexicon.negations.extend(words),
                _ => lexicon.signs.extend(line.chars().filter(|c| !c.is_whitespace())),
            }
        }
        lexicon
    }

    pub(super) fn is_courteous(&self, word: &str) -> bool {
        self.courtesy.contains(word)
    }

    pub(super) fn denies(&self, word: &str) -> bool {
        let bare = word.strip_prefix('و').unwrap_or(word);
        self.negations.contains(word) || self.negations.contains(bare)
    }

    pub(super) fn is_harmless(&self, sign: char) -> bool {
        self.signs.contains(&sign)
            || matches!(sign, '.' | ',' | '!' | '?' | ':' | ';' | '(' | ')' | '"' | '\'' | '\n')
            || matches!(
                sign,
                '،' | '؛' | '؟' | '-' | '–' | '—' | '«' | '»' | '“' | '”' | '’' | '…' | '•' | 'ـ'
            )
    }
}

#[cfg(test)]
mod tests {
    use super::{Lexicon, Voice};

    #[test]
    fn no_word_is_courteous_and_denies() {
        for voice in Voice::ALL {
            let lexicon = Lexicon::of(voice);
            assert!(lexicon.courtesy.len() > 20 && lexicon.negations.len() > 10 && !lexicon.signs.is_empty());
            let both: Vec<_> = lexicon.courtesy.intersection(&lexicon.negations).collect();
            assert!(both.is_empty(), "{both:?}");
        }
    }
}
