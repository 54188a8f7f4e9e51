//! Courtesies that a wording may have beside code's own pieces.

use std::sync::LazyLock;

use super::{telling, tokens::Token};
use crate::assistant::speech::voice::Voice;

static ARABIC: LazyLock<Courtesies> = LazyLock::new(|| Courtesies::read(include_str!("courtesies/ar.txt")));
static ENGLISH: LazyLock<Courtesies> = LazyLock::new(|| Courtesies::read(include_str!("courtesies/en.txt")));
static SORANI: LazyLock<Courtesies> = LazyLock::new(|| Courtesies::read(include_str!("courtesies/ckb.txt")));

/// Whole expressions of one language that state nothing and affirm nothing.
#[derive(Debug)]
pub(super) struct Courtesies(Vec<Vec<Token>>);

impl Courtesies {
    pub(super) fn of(voice: Voice) -> &'static Self {
        match voice {
            Voice::IraqiArabic | Voice::FormalArabic => &ARABIC,
            Voice::English => &ENGLISH,
            Voice::Sorani => &SORANI,
        }
    }

    /// Reads a file of expressions, several on a line between bars; `#` begins a remark.
    fn read(file: &str) -> Self {
        let lines = file.lines().filter(|line| !line.starts_with('#'));
        let expressions = lines.flat_map(|line| line.split('|')).map(telling);
        Self(expressions.filter(|expression| !expression.is_empty()).collect())
    }

    /// Returns what stands behind the longest expression that the tokens begin with.
    pub(super) fn behind_one<'a>(&self, tokens: &'a [Token]) -> Option<&'a [Token]> {
        let behind = |expression: &Vec<Token>| tokens.strip_prefix(expression.as_slice());
        self.0.iter().filter_map(behind).min_by_key(|behind| behind.len())
    }

    /// Returns whether a sign separates or adorns, and tells nothing.
    pub(super) const fn is_harmless(sign: char) -> bool {
        matches!(sign, '.' | ',' | '!' | ':' | ';' | '(' | ')' | '"' | '\'' | '\n' | '-' | '–' | '—')
            || matches!(sign, '،' | '؛' | '«' | '»' | '“' | '”' | '’' | '…' | '•' | 'ـ' | '\u{fe0f}')
            || matches!(sign, '🌹' | '🌸' | '🌷' | '🙏' | '😊' | '🙂' | '❤' | '💐' | '👋')
    }
}
