//! Repetition of what a model was told to do.

use std::collections::HashSet;

use crate::text::fold_for_search;

/// Words in a row that count as repeated: people say fewer by chance.
const RUN: usize = 7;

/// Returns whether `text` repeats [`RUN`] words in a row of `told` that `free`, which anybody may hear, does
/// not have.
pub(in crate::assistant) fn echoes<'a>(
    text: &str,
    told: impl IntoIterator<Item = &'a str>,
    free: &str,
) -> bool {
    let said = words(text);
    let said: HashSet<&[String]> = said.windows(RUN).collect();
    if said.is_empty() {
        return false;
    }
    let free = words(free);
    let free: HashSet<&[String]> = free.windows(RUN).collect();
    told.into_iter().any(|told| words(told).windows(RUN).any(|run| said.contains(run) && !free.contains(run)))
}

fn words(text: &str) -> Vec<String> {
    let folded = fold_for_search(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::echoes;

    #[test]
    fn words_in_a_row_are_an_echo_however_they_are_written_unless_they_are_free() {
        let told = ["Say only prices and numbers that a tool returned in this turn."];
        for (text, free, is_echo) in [
            ("(Say only PRICES, and numbers that a tool returned!)", "", true),
            ("I may say: prices *and* numbers that a tool returned", "", true),
            ("Say only prices and numbers that you like", "", false),
            ("Our prices and numbers are on the site", "", false),
            (
                "Say only prices and numbers that a tool returned",
                "say only prices and numbers that a tool returned",
                false,
            ),
            ("", "", false),
        ] {
            assert_eq!(echoes(text, told, free), is_echo, "{text}");
        }
    }
}
