//! Rule: customers who write Arabic, in either script, are answered in Arabic; others in English.

use super::Catalogue;
use crate::{
    text::{letters, plain},
    transcript::{Entry, newest_words},
};

/// Arabic words in Latin letters that scenarios use.
const LATIN: [&str; 25] = [
    "bish", "tawseel", "shgad", "si3r", "se3r", "aku", "areed", "ared", "arid", "shukran", "salam", "wen",
    "wain", "talabi", "maku", "ismi", "marhaba", "3indkum", "mawjood", "alghi", "maw3id", "na3am", "shlon",
    "kam", "shnu",
];

/// Returns a violation if the answer is not in the customer's language.
pub(super) fn wrong(catalogue: &Catalogue, text: &str, before: &[Entry]) -> Option<String> {
    let wants_arabic = is_arabic(&newest_words(before))?;
    let own = catalogue.without_titles(&plain(text));
    let unlinked = own.split_whitespace().filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ");
    let (arabic, latin) = letters(&unlinked);
    // Neither Arabic nor English has letters such as `ç` or `ı`.
    let is_third = unlinked.contains(|c: char| c.is_alphabetic() && matches!(c, '\u{c0}'..='\u{24f}'));
    let is_wrong = is_third || if wants_arabic { latin > arabic } else { arabic > latin };
    is_wrong.then(|| "another language than the customer's".to_owned())
}

/// Returns `None` if there is nothing to tell it by.
fn is_arabic(words: &str) -> Option<bool> {
    let (arabic, latin) = letters(words);
    if arabic + latin == 0 {
        return None;
    }
    let lower = words.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    Some(arabic * 3 >= latin && arabic > 0 || words.any(|word| LATIN.contains(&word)))
}
