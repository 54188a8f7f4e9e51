//! Words that deny what follows them. All are as [`crate::text::fold_for_search`] leaves them.

/// Words that deny what follows. `ما` does, too, except after one of [`RELATING`].
const NEGATIONS: &[&str] = &[
    "لم", "لن", "مو", "موب", "مب", "مش", "ماكو", "مافي", "ليس", "ليست", "not", "never", "cannot", "cant",
    "dont", "doesnt", "wont", "unable",
];
/// Words that deny with a `t` behind them: "don't".
const SHORTENED: &[&str] = &[
    "don", "won", "doesn", "didn", "isn", "aren", "hasn", "haven", "wasn", "weren", "couldn", "wouldn",
    "shouldn", "can",
];
/// Words before which a negation comforts or excepts, and denies nothing: "no problem, it was placed".
pub(super) const COMFORTS: &[&str] = &[
    "يخالف",
    "عدا",
    "مشكله",
    "مشكل",
    "تقلق",
    "تقلقين",
    "تخاف",
    "تخافين",
    "تحاتي",
    "تشيل",
    "تهتم",
    "باس",
    "عليك",
    "مانع",
    "شاء",
    "يهمك",
    "يهم",
    "problem",
    "problems",
    "worry",
    "worries",
    "only",
    "just",
];
/// Words after which `ما` denies nothing: "as it was placed", "after it was".
const RELATING: &[&str] = &["مثل", "متل", "زي", "كيف", "بعد", "عقب", "كل", "حسب", "وقت", "اول", "بدون"];

/// Returns whether the word there denies what follows it.
pub(super) fn denies(words: &[&str], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let word = word.strip_prefix('و').unwrap_or(word);
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let comforts = words.get(at + 1).is_some_and(|next| COMFORTS.contains(next));
    let relates = |word: &&str| {
        RELATING.contains(word) || word.strip_prefix('و').is_some_and(|word| RELATING.contains(&word))
    };
    let shortens = |word: &&str| SHORTENED.contains(word);
    let negates = match word {
        "ما" => !before.is_some_and(relates),
        "t" => before.is_some_and(shortens),
        word => NEGATIONS.contains(&word),
    };
    negates && !comforts
}

#[cfg(test)]
mod tests {
    use super::{COMFORTS, NEGATIONS, RELATING, SHORTENED, denies};

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        for word in [COMFORTS, NEGATIONS, RELATING, SHORTENED].into_iter().flatten() {
            assert_eq!(crate::text::fold_for_search(word), *word);
        }
    }

    #[test]
    fn a_word_denies_unless_it_relates_or_comforts() {
        for (text, denied) in [
            ("ما", true),
            ("مو", true),
            ("وما", true),
            ("بعد ما", false),
            ("ومثل ما", false),
            ("ما يخالف", false),
            ("ماكو توصيل", true),
            ("ماكو مشكله", false),
            ("don t deliver", true),
            ("don t worry", false),
            ("the t shirt", false),
            ("not only", false),
            ("نعم", false),
            ("", false),
        ] {
            let words: Vec<_> = text.split_whitespace().collect();
            assert_eq!((0..=words.len()).any(|at| denies(&words, at)), denied, "{text}");
        }
    }
}
