//! Words about buying, and not about a good.

use std::{collections::HashSet, sync::LazyLock};

use super::{
    lists::{is_long, read},
    script::in_arabic,
    stem::{is_arabic, light},
    synonyms::Synonyms,
    words::plain,
};

static SERVICE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let spelled = read(include_str!("service.txt"));
    let stems: Vec<String> =
        spelled.iter().map(|word| light(&plain(word))).filter(|it| is_long(it)).collect();
    spelled.into_iter().chain(stems).collect()
});

/// Returns whether a folded word speaks of buying and not of a good: delivery, payment, thanks, a place.
/// What is a good as well, in just this spelling, is one.
pub(super) fn is_of_service(word: &str, synonyms: &Synonyms) -> bool {
    let plain_word = plain(word);
    let is_listed = |word: &str| SERVICE.contains(word);
    if is_listed(word) || is_listed(&plain_word) {
        return synonyms.spelled(word).is_empty();
    }
    if is_arabic(&plain_word) {
        let bare = plain_word.strip_prefix(['ل', 'ب', 'و']).filter(|rest| is_long(rest));
        let has_stem =
            is_listed(&light(&plain_word)) || bare.is_some_and(|it| is_listed(it) || is_listed(&light(it)));
        return has_stem && synonyms.groups(word).is_empty();
    }
    let is_heard =
        in_arabic(&plain_word).iter().any(|heard| is_long(heard) && is_listed(&light(&plain(heard))));
    is_heard && synonyms.groups(word).is_empty()
}
