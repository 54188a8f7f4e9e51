//! Synonyms that an owner sets for the workspace's shop.

use super::search::Synonyms;
use crate::text::{PlainText, fold_for_search};

/// Most groups of a workspace.
pub const MOST_GROUPS: usize = 200;
/// Most words of a group.
pub const MOST_WORDS: usize = 10;
/// Most characters of a word.
pub const LONGEST_WORD: usize = 40;

/// Groups of words that stand for each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnSynonyms(Vec<Vec<PlainText>>);

/// Reason why groups cannot be stored, worded for their owner. Groups are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSynonyms {
    #[error("a workspace has at most {MOST_GROUPS} groups")]
    TooMany,
    /// A group has too few or too many words; words that differ only in spelling count as one.
    #[error("group {0} must have 2 to {MOST_WORDS} different words")]
    Words(usize),
    #[error("group {0} has a word that is not 1 to {LONGEST_WORD} characters with a letter or a digit")]
    Word(usize),
}

impl OwnSynonyms {
    /// Parses what an owner typed; fails by the first rule that is broken.
    pub fn read(typed: &[Vec<String>]) -> Result<Self, InvalidSynonyms> {
        if typed.len() > MOST_GROUPS {
            return Err(InvalidSynonyms::TooMany);
        }
        let groups = typed.iter().zip(1..).map(|(words, number)| group(words, number));
        groups.collect::<Result<_, _>>().map(Self)
    }

    /// Lists the groups, each with its words in the order in which they were typed.
    pub fn groups(&self) -> impl Iterator<Item = &[PlainText]> {
        self.0.iter().map(Vec::as_slice)
    }

    pub(super) fn beside(&self, shipped: &Synonyms) -> Synonyms {
        let mut all = shipped.clone();
        self.groups().for_each(|group| all.add(group.iter().map(PlainText::as_str)));
        all
    }
}

fn group(typed: &[String], number: usize) -> Result<Vec<PlainText>, InvalidSynonyms> {
    let mut words: Vec<PlainText> = Vec::new();
    let mut folded: Vec<String> = Vec::new();
    if typed.len() > MOST_WORDS {
        return Err(InvalidSynonyms::Words(number));
    }
    for word in typed {
        let (word, whole) = PlainText::read_whole(word, LONGEST_WORD).ok_or(InvalidSynonyms::Word(number))?;
        if !whole || !word.as_str().contains(char::is_alphanumeric) {
            return Err(InvalidSynonyms::Word(number));
        }
        let spelled = fold_for_search(word.as_str());
        if !folded.contains(&spelled) {
            folded.push(spelled);
            words.push(word);
        }
    }
    if words.len() < 2 { Err(InvalidSynonyms::Words(number)) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{InvalidSynonyms, LONGEST_WORD, MOST_GROUPS, MOST_WORDS, OwnSynonyms};

    fn read(groups: &[&[&str]]) -> Result<Vec<Vec<String>>, InvalidSynonyms> {
        let typed = |group: &&[&str]| group.iter().map(|word| (*word).to_owned()).collect();
        let read = OwnSynonyms::read(&groups.iter().map(typed).collect::<Vec<_>>())?;
        let words =
            |group: &[crate::text::PlainText]| group.iter().map(|it| it.as_str().to_owned()).collect();
        Ok(read.groups().map(words).collect())
    }

    #[test]
    fn a_group_has_two_to_ten_different_words() {
        let long = "ب".repeat(LONGEST_WORD + 1);
        for (group, broken) in [
            (vec!["تلاجة", "ثلاجة"], None),
            (vec!["air fryer", "قلاية هوائية", "قلاية"], None),
            (vec![], Some(InvalidSynonyms::Words(1))),
            (vec!["ثلاجة"], Some(InvalidSynonyms::Words(1))),
            // One word, spelled in two ways.
            (vec!["ثلاجة", "ثلاجه"], Some(InvalidSynonyms::Words(1))),
            (vec!["TV", "tv"], Some(InvalidSynonyms::Words(1))),
            (vec!["ثلاجة", " "], Some(InvalidSynonyms::Word(1))),
            (vec!["ثلاجة", "!؟"], Some(InvalidSynonyms::Word(1))),
            (vec!["ثلاجة", &long], Some(InvalidSynonyms::Word(1))),
            (vec!["a"; MOST_WORDS + 1], Some(InvalidSynonyms::Words(1))),
        ] {
            assert_eq!(read(&[&group]).err(), broken, "{group:?}");
        }
    }

    #[test]
    fn a_word_is_kept_without_what_cannot_be_seen() {
        assert_eq!(read(&[&["  كولا\u{202e} \n", "بيبسي"]]), Ok(vec![vec!["كولا".into(), "بيبسي".into()]]));
    }

    #[test]
    fn the_broken_group_is_told_by_its_number_and_there_are_not_too_many() {
        let fine: &[&str] = &["a", "b"];
        assert_eq!(read(&[fine, fine, &["c"]]), Err(InvalidSynonyms::Words(3)));
        assert!(read(&vec![fine; MOST_GROUPS]).is_ok());
        assert_eq!(read(&vec![fine; MOST_GROUPS + 1]), Err(InvalidSynonyms::TooMany));
    }

    proptest! {
        #[test]
        fn what_is_read_is_read_again_the_same(typed in prop::collection::vec(prop::collection::vec("\\PC{0,12}", 0..5), 0..4)) {
            if let Ok(read) = OwnSynonyms::read(&typed) {
                let again: Vec<Vec<String>> =
                    read.groups().map(|group| group.iter().map(|it| it.as_str().to_owned()).collect()).collect();
                prop_assert_eq!(OwnSynonyms::read(&again), Ok(read));
            }
        }
    }
}
