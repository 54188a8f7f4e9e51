//! Questions whether a person or a machine answers, which are read before any model is asked.

use std::sync::LazyLock;

use super::words_of;

/// Patterns of whole questions; the file says how they are written.
static PATTERNS: LazyLock<Vec<Vec<Place>>> = LazyLock::new(|| {
    let lines = include_str!("who_it_is.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().map(Place::read).collect()).collect()
});

/// A place of a pattern.
struct Place {
    words: Vec<String>,
    may_be_left_out: bool,
}

impl Place {
    fn read(written: &str) -> Self {
        let inner = written.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
        let words = inner.unwrap_or(written).split('|').map(|word| words_of(word).concat()).collect();
        Self { words, may_be_left_out: inner.is_some() }
    }
}

/// Returns whether the text asks just whether a person or a machine answers.
pub(in crate::assistant) fn asks_who_it_is(text: &str) -> bool {
    let words = words_of(text);
    PATTERNS.iter().any(|pattern| fits(pattern, &words))
}

fn fits(pattern: &[Place], words: &[String]) -> bool {
    let Some((place, behind)) = pattern.split_first() else { return words.is_empty() };
    let is_taken = |(word, left): (&String, &[String])| {
        place.words.iter().any(|known| known == word) && fits(behind, left)
    };
    words.split_first().is_some_and(is_taken) || (place.may_be_left_out && fits(behind, words))
}

#[cfg(test)]
mod tests {
    use super::asks_who_it_is;

    #[test]
    fn whoever_asks_what_answers_is_understood_and_nobody_else() {
        for (text, is) in [
            ("Are you a person or a bot?", true),
            ("hello, are you human?", true),
            ("r u a robot", true),
            ("am I talking to a real person?", true),
            ("Is this a bot??", true),
            ("انت بوت؟", true),
            ("إنت بشر لو روبوت؟", true),
            ("هل أنت شخص حقيقي", true),
            ("دا احچي ويه بشر لو بوت", true),
            ("انت إنسان؟", true),
            ("enta bot lo bashar", true),
            ("ئایا تۆ مرۆڤیت؟", true),
            ("تۆ ڕۆبۆتیت یان مرۆڤ", true),
            ("", false),
            ("اكو بوت؟", false),
            ("انت وين؟", false),
            ("اريد احجي ويه شخص", false),
            ("are you open?", false),
            ("do you have a robot for children?", false),
            ("are you a person or a bot, and how much is the milk?", false),
        ] {
            assert_eq!(asks_who_it_is(text), is, "{text}");
        }
    }
}
