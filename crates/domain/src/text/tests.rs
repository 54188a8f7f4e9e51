//! The rules of [`super`], against published vectors and what must hold for any text.

use proptest::prelude::*;

use super::{fold_for_search, is_folded, latin_digits, push_folded};
use crate::testing::unescape;

#[test]
fn a_number_is_read_in_the_digits_of_any_script() {
    for (typed, latin) in [
        ("1440", "1440"),
        ("١٤٤٠", "1440"),
        ("۰۱۲", "012"),
        ("\u{200f}٠٫٠٢٥٨", "0.0258"),
        ("abcd-٢", "abcd-2"),
        ("", ""),
    ] {
        assert_eq!(latin_digits(typed), latin, "{typed}");
    }
}

#[test]
fn every_published_spelling_is_folded_as_its_vector_says() {
    let lines = include_str!("fold.tsv").lines().filter(|line| !line.starts_with('#'));
    let wrong: Vec<String> = lines
        .filter_map(|line| {
            let (written, folded) = line.split_once('\t').unwrap();
            let got = fold_for_search(&unescape(written));
            (got != unescape(folded)).then(|| format!("{line} but got {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_letter_that_is_taken_as_it_stands_is_what_the_tables_would_have_left() {
    let taken: Vec<char> = ('\0'..=char::MAX).filter(|&c| is_folded(c)).collect();
    assert_eq!(taken.len(), 26 + 10 + 28);
    for c in taken {
        let mut folded = String::new();
        unicode_normalization::char::decompose_compatible(c, |c| push_folded(&mut folded, c));
        assert_eq!(folded, c.to_string());
    }
}

/// Generates texts with many letters that folding changes.
fn letters() -> impl Strategy<Value = String> {
    prop_oneof![".{0,40}", "[أإآٱاىيیةهۀۃؤئءـًٰکكА-яA-zÀ-ž ٠-٩۰-۹\u{200f}\u{fe8d}-\u{fefc}]{0,40}"]
}

proptest! {
    #[test]
    fn folding_again_changes_nothing(text in letters()) {
        let once = fold_for_search(&text);
        prop_assert_eq!(fold_for_search(&once), once);
    }

    #[test]
    fn any_part_of_a_text_is_found_in_it(text in letters(), start in 0_usize..40, length in 0_usize..40) {
        let part: String = text.chars().skip(start).take(length).collect();
        prop_assert!(fold_for_search(&text).contains(&fold_for_search(&part)));
    }

    #[test]
    fn capitals_do_not_matter(text in "[a-zA-Zа-яА-Я ]{0,40}") {
        prop_assert_eq!(fold_for_search(&text.to_uppercase()), fold_for_search(&text));
    }

    #[test]
    fn a_folded_text_is_one_line_without_what_cannot_be_kept(text in letters()) {
        prop_assert!(!fold_for_search(&text).contains(char::is_control));
    }
}
