//! Wishes that code reads in what customers write, before any model is asked.
//!
//! The words are in files beside the rules, so that somebody who knows the tongue can change them.

mod cancellation;
mod order_change;
mod person;
mod who_it_is;

pub(super) use cancellation::asks_to_cancel;
pub(super) use order_change::asks_to_change;
pub use person::asks_for_a_person;
pub(super) use who_it_is::asks_who_it_is;

use crate::{language::plain_letter, text::fold_for_search};

/// Words and phrases of a list.
struct List(Vec<String>);

impl List {
    fn has(&self, said: &str) -> bool {
        self.0.iter().any(|listed| listed == said)
    }

    fn has_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.has(word))
    }
}

/// Reads the lists of a file, in the order of `names`; one that the file does not have is empty.
fn read_lists<const N: usize>(file: &str, names: [&str; N]) -> [List; N] {
    let mut lists = names.map(|_| List(Vec::new()));
    let mut current = None;
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix('[') {
            let name = head.split(']').next();
            current = names.iter().position(|listed| Some(*listed) == name);
        } else if let Some(List(entries)) = current.and_then(|at| lists.get_mut(at)) {
            entries.extend(line.split('|').map(words_of).filter(|it| !it.is_empty()).map(|it| it.join(" ")));
        }
    }
    lists
}

/// Returns the words of a text as [`fold_for_search`] leaves them, with one letter for those that people who
/// write Kurdish on an Arabic keyboard put for each other.
fn words_of(text: &str) -> Vec<String> {
    let folded: String = fold_for_search(text).chars().map(plain_letter).collect();
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_a_file_is_read() {
        for (file, names) in
            [("[a] some\nx | Y z\nأحد\n\n[c] other\n", ["a", "b", "c"]), ("# [a]\n", ["a", "b", "c"])]
        {
            let read = read_lists(file, names).map(|list| list.0);
            let a: &[&str] = if file.starts_with('#') { &[] } else { &["x", "y z", "احد"] };
            assert_eq!(
                (read[0].iter().map(String::as_str).collect::<Vec<_>>().as_slice(), read[1].len()),
                (a, 0)
            );
        }
    }
}
