//! Words and signs for money, and the currencies that they may be. All are as
//! [`crate::text::fold_for_search`] leaves them.

use super::prefixes::bare;

/// Arabic words for two of a currency.
pub(super) const TWO_OF_A_CURRENCY: &[&str] =
    &["دينارين", "ديناران", "دولارين", "دولاران", "ريالين", "درهمين", "ليرتين", "جنيهين"];
/// Words for parts of a unit, of whatever currency.
const PARTS: &[&str] = &["فلس", "fils", "سنت", "cent", "cents"];
/// Codes of the currencies that a word may name.
pub(super) type Codes = &'static [&'static str];
const DINARS: Codes = &["IQD", "KWD", "JOD", "BHD", "LYD", "TND", "DZD"];
/// Dinars and dirhams, by their first letter: `د.ع` and `د.إ` are three tokens.
const D: Codes = &["IQD", "KWD", "JOD", "BHD", "LYD", "TND", "DZD", "AED", "MAD"];
const DOLLARS: Codes = &["USD", "AUD", "CAD"];
const NAMED: &[(&[&str], Codes)] = &[
    (
        &["دينار", "دنانير", "دينارا", "دينارات", "الدينار", "دينارين", "ديناران", "دع", "dinar", "dinars"],
        DINARS,
    ),
    (&["دولار", "دولارات", "دولارا", "الدولار", "دولارين", "دولاران", "dollar", "dollars", "bucks"], DOLLARS),
    (&["ريال", "ريالات", "ريالين", "riyal", "riyals"], &["SAR", "QAR", "OMR", "YER", "IRR"]),
    (&["درهم", "دراهم", "درهمين", "dirham", "dirhams"], &["AED", "MAD"]),
    (&["ليره", "ليرات", "ليرتين", "lira", "liras"], &["TRY", "SYP", "LBP"]),
    (&["جنيه", "جنيهين"], &["EGP", "SDG", "GBP"]),
    (&["يورو", "euro", "euros", "eur"], &["EUR"]),
    (&["iqd"], &["IQD"]),
    (&["usd"], &["USD"]),
    (&["sar"], &["SAR"]),
    (&["aed"], &["AED"]),
    (&["egp"], &["EGP"]),
    (&["gbp"], &["GBP"]),
    (&["kwd"], &["KWD"]),
    (&["jod"], &["JOD"]),
    (&["bhd"], &["BHD"]),
    (&["omr"], &["OMR"]),
    (&["qar"], &["QAR"]),
];

pub(super) fn is_currency(word: &str) -> bool {
    PARTS.contains(&word) || NAMED.iter().any(|(names, _)| names.contains(&word))
}

pub(super) fn codes_of(word: &str) -> Option<Codes> {
    if word == "د" {
        return Some(D);
    }
    let named = |word: &str| NAMED.iter().find(|(names, _)| names.contains(&word)).map(|(_, codes)| *codes);
    std::iter::once(word).chain(bare(word)).find_map(named)
}

pub(super) const fn codes_of_sign(sign: char) -> Option<Codes> {
    match sign {
        '$' => Some(DOLLARS),
        '€' => Some(&["EUR"]),
        '£' => Some(&["GBP", "EGP", "SYP", "LBP"]),
        _ => None,
    }
}

pub(super) fn is_two_of_a_currency(word: &str) -> bool {
    std::iter::once(word).chain(bare(word)).any(|word| TWO_OF_A_CURRENCY.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{NAMED, PARTS, TWO_OF_A_CURRENCY, codes_of, is_currency};

    #[test]
    fn every_word_is_written_as_it_is_compared_and_names_a_currency() {
        let all = [PARTS, TWO_OF_A_CURRENCY].into_iter().chain(NAMED.iter().map(|(names, _)| *names));
        for word in all.flatten() {
            assert_eq!(crate::text::fold_for_search(word), *word);
            assert!(is_currency(word), "{word}");
        }
    }

    #[test]
    fn a_word_names_each_currency_that_is_called_so() {
        for (word, code) in [
            ("دينار", "IQD"),
            ("بدينارين", "KWD"),
            ("د", "IQD"),
            ("د", "AED"),
            ("dollars", "USD"),
            ("ريال", "SAR"),
        ] {
            assert!(codes_of(word).is_some_and(|codes| codes.contains(&code)), "{word}");
        }
        assert!(codes_of("دولار").is_some_and(|codes| !codes.contains(&"IQD")));
        assert_eq!((codes_of("حليب"), codes_of("")), (None, None));
    }
}
