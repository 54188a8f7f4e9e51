//! Searches for people.

use crate::{
    phone::{Region, search_digits},
    text::fold_for_search,
};

/// Most characters of a search: those of the longest name.
const LONGEST: usize = 200;

/// Parts of folded names and of numbers' digits, any of which is a match; at least one, none within another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search(Vec<String>);

/// Error of a search that is longer than any name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`search` must have at most 200 characters")]
pub struct SearchTooLong;

impl Search {
    /// Most parts: the text itself, and three readings of a number.
    pub const MOST_PARTS: usize = 4;

    /// Parses what a person typed, in a workspace of `region`; `None` if it has nothing to look for: blank,
    /// or only signs that are ignored.
    pub fn read(written: &str, region: Region) -> Result<Option<Self>, SearchTooLong> {
        if written.chars().nth(LONGEST).is_some() {
            return Err(SearchTooLong);
        }
        let folded = fold_for_search(written);
        if folded.is_empty() {
            return Ok(None);
        }
        let mut wanted = search_digits(written, region);
        wanted.push(folded);
        wanted.sort_unstable_by_key(String::len);
        // Whatever holds a part is found by that part.
        let mut parts: Vec<String> = Vec::new();
        for part in wanted {
            if !parts.iter().any(|shorter| part.contains(shorter.as_str())) {
                parts.push(part);
            }
        }
        parts.truncate(Self::MOST_PARTS);
        Ok(Some(Self(parts)))
    }

    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// Returns whether it matches a person whose folded name and digits are `searchable`.
    pub fn finds(&self, searchable: &str) -> bool {
        self.0.iter().any(|part| searchable.contains(part.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Search, SearchTooLong};
    use crate::phone::Region;

    fn parts(written: &str) -> Vec<String> {
        let search = Search::read(written, Region::default()).unwrap();
        search.map_or_else(Vec::new, |search| search.0)
    }

    #[test]
    fn names_are_folded_and_numbers_read_as_a_person_writes_them() {
        for (written, wanted) in [
            ("Ali", vec!["ali"]),
            ("أحمد  عليّ", vec!["احمد علي"]),
            ("٠٧٧٠", vec!["0770", "964770"]),
            ("0770 123", vec!["0770123", "0770 123", "964770123"]),
            ("+964 770", vec!["964770", "+964 770"]),
            ("964770", vec!["964770"]),
            ("7", vec!["7"]),
            ("علي 0770", vec!["علي 0770"]),
            (" ", vec![]),
            ("\u{640}", vec![]),
        ] {
            assert_eq!(parts(written), wanted, "{written}");
        }
    }

    #[test]
    fn what_is_longer_than_any_name_is_refused() {
        let read = |length| Search::read(&"ع".repeat(length), Region::default());
        assert!(read(200).is_ok());
        assert_eq!(read(201), Err(SearchTooLong));
    }

    #[test]
    fn a_search_finds_who_has_any_of_its_parts() {
        let search = Search::read("0770 123", Region::default()).unwrap().unwrap();
        for (searchable, found) in
            [("ali\n9647701239999", true), ("0770 123\n", true), ("ali\n9647709991230", false), ("\n", false)]
        {
            assert_eq!(search.finds(searchable), found, "{searchable:?}");
        }
    }

    proptest! {
        #[test]
        fn there_are_few_parts_and_none_holds_another(written in "[0-9٠-٩+ ()a-c-]{0,20}") {
            let parts = parts(&written);
            prop_assert!(parts.len() <= Search::MOST_PARTS);
            for (index, part) in parts.iter().enumerate() {
                let others = parts.iter().enumerate().filter(|(other, _)| *other != index);
                prop_assert!(!part.is_empty());
                prop_assert!(others.map(|(_, other)| other).all(|other| !part.contains(other.as_str())));
            }
        }
    }
}
