//! Other questions to a shop whose own search compares letter by letter.

use super::{
    asked::{Asked, Word, is_number, question},
    lists::{describes, is_unit},
    synonyms::Synonyms,
    ways::{Way, of_number, of_several, of_word},
};

/// Most variants that a shop is asked.
pub const MAX_VARIANTS_ASKED: usize = 3;
/// What a way is worth less if its word only belongs to the story.
const ASIDE: f64 = 6.0;
/// Most words that may be one name.
const LONGEST_NAME: usize = 4;

/// Returns up to three other ways to ask for `asked`, likeliest first. Words whose first or last letters have
/// several spellings are cut to the part between, since such a search finds whatever holds the part.
pub fn variants(asked: &str, synonyms: &Synonyms) -> Vec<String> {
    let words = telling(Asked::read_unparted(asked, synonyms).words);
    let mut ways = ways(&words, synonyms);
    // Of equal worth, the earlier: Arabic says what a thing is first, and then which.
    ways.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    let first = question(asked, synonyms);
    let mut variants: Vec<String> = Vec::new();
    for Way { text, .. } in ways {
        // What holds a part that is asked for is found by the part.
        let is_found = text.contains(&first) || variants.iter().any(|other| text.contains(other.as_str()));
        if text.chars().nth(1).is_some() && text != asked.trim() && !is_found {
            variants.push(text);
        }
        if variants.len() == MAX_VARIANTS_ASKED {
            break;
        }
    }
    variants
}

/// Keeps the words that a title is likely to have; numbers and units only if there is nothing else.
fn telling(words: Vec<Word>) -> Vec<Word> {
    let tells = |Word { text, .. }: &Word| {
        !describes(text)
            && !is_unit(text.trim_start_matches(|c: char| c.is_ascii_digit()))
            && !is_number(text)
            && text.chars().nth(1).is_some()
    };
    if words.iter().any(tells) { words.into_iter().filter(tells).collect() } else { words }
}

fn ways(words: &[Word], synonyms: &Synonyms) -> Vec<Way> {
    let mut ways = Vec::new();
    let mut rest = words;
    while let [word, after @ ..] = rest {
        let several = (2..=LONGEST_NAME.min(rest.len())).rev().find_map(|length| {
            let several = rest.get(..length)?;
            let joined: String = several.iter().map(|word| word.text.as_str()).collect();
            let groups = synonyms.spelled(&joined);
            (!groups.is_empty()).then(|| (of_several(several, &groups), length))
        });
        let (mut own, length) = several.unwrap_or_else(|| {
            let own =
                if is_number(&word.text) { of_number(&word.text) } else { of_word(&word.text, synonyms) };
            (own, 1)
        });
        if word.aside {
            for way in &mut own {
                way.worth -= ASIDE;
            }
        }
        ways.extend(own);
        rest = after.get(length - 1..).unwrap_or_default();
    }
    ways
}
