//! Words for money. All are as
//! [`crate::text::fold_for_search`] leaves them.

use super::prefixes::bare;

/// Arabic words for two of a currency.
pub(super) const TWO_OF_A_CURRENCY: &[&str] =
    &["دينارين", "ديناران", "دولارين", "دولاران", "ريالين", "درهمين", "ليرتين", "جنيهين"];
/// Words for parts of a unit, of whatever currency.
const PARTS: &[&str] = &["فلس", "fils", "سنت", "cent", "cents"];
const NAMES: &[&str] = &[
    "دينار",
    "دنانير",
    "دينارا",
    "دينارات",
    "الدينار",
    "دينارين",
    "ديناران",
    "دع",
    "dinar",
    "dinars",
    "دولار",
    "دولارات",
    "دولارا",
    "الدولار",
    "دولارين",
    "دولاران",
    "dollar",
    "dollars",
    "bucks",
    "ريال",
    "ريالات",
    "ريالين",
    "riyal",
    "riyals",
    "درهم",
    "دراهم",
    "درهمين",
    "dirham",
    "dirhams",
    "ليره",
    "ليرات",
    "ليرتين",
    "lira",
    "liras",
    "جنيه",
    "جنيهين",
    "يورو",
    "euro",
    "euros",
    "eur",
    "دۆلار",
    "دۆلاره",
    "ديناره",
    "ديناري",
    "iqd",
    "usd",
    "sar",
    "aed",
    "egp",
    "gbp",
    "kwd",
    "jod",
    "bhd",
    "omr",
    "qar",
];

pub(super) fn is_currency(word: &str) -> bool {
    PARTS.contains(&word) || NAMES.contains(&word)
}

pub(super) fn is_two_of_a_currency(word: &str) -> bool {
    std::iter::once(word).chain(bare(word)).any(|word| TWO_OF_A_CURRENCY.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{NAMES, PARTS, TWO_OF_A_CURRENCY, is_currency};

    #[test]
    fn every_word_is_written_as_it_is_compared_and_names_a_currency() {
        let all = [PARTS, TWO_OF_A_CURRENCY, NAMES].into_iter();
        for word in all.flatten() {
            assert_eq!(crate::text::fold_for_search(word), *word);
            assert!(is_currency(word), "{word}");
        }
    }
}
