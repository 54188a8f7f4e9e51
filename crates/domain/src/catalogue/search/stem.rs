//! What a word is without what grammar adds to it.

/// What stands before a word without being of it, the longer first.
const BEFORE: [&str; 7] = ["وال", "بال", "كال", "فال", "لل", "ال", "و"];
/// What stands after it.
const AFTER: [&str; 9] = ["هات", "ات", "ان", "ين", "ون", "يه", "ها", "ه", "ي"];

pub(super) fn is_arabic(word: &str) -> bool {
    word.starts_with(|c| matches!(c, '\u{600}'..='\u{6ff}'))
}

/// The light stem: without article, conjunction, plural and feminine endings; three letters stay.
pub(super) fn light(word: &str) -> String {
    if !is_arabic(word) {
        return latin(word);
    }
    let long = |rest: &&str| rest.chars().count() >= 3;
    let bare = BEFORE.iter().find_map(|before| word.strip_prefix(before).filter(long)).unwrap_or(word);
    let bare = AFTER.iter().find_map(|after| bare.strip_suffix(after).filter(long)).unwrap_or(bare);
    bare.to_owned()
}

fn latin(word: &str) -> String {
    let long = |rest: &&str| rest.len() >= 3;
    let bare = ["es", "s"].iter().find_map(|after| word.strip_suffix(after).filter(long)).unwrap_or(word);
    bare.to_owned()
}

/// The consonants that a word keeps in its broken plural: قميص and قمصان, فستان and فساتين, عطر and عطور. Empty where
/// there are fewer than three, which too many words share.
pub(super) fn root(word: &str) -> String {
    if !is_arabic(word) {
        return String::new();
    }
    let stem = light(word);
    let root: String = stem.chars().filter(|c| !matches!(c, 'ا' | 'و' | 'ي' | 'ء')).collect();
    if root.chars().count() >= 3 { root } else { String::new() }
}

/// Words that `word` may be the broken plural of, as they begin.
pub(super) fn singulars(word: &str) -> Vec<String> {
    let stem =
        BEFORE.iter().find_map(|before| word.strip_prefix(before).filter(|it| it.chars().count() >= 3));
    let letters: Vec<char> = stem.unwrap_or(word).chars().collect();
    match letters[..] {
        ['ا', a, b, 'ا', c] | [a, b, 'و' | 'ا', c] => vec![[a, b, c].iter().collect()],
        ['ا', a, b, 'ي', 'ه'] => vec![[a, b, 'ا'].iter().collect()],
        ['ا', a, b, c, 'ه'] => vec![[a, b, 'ا', c].iter().collect()],
        [a, b, 'ا', c, 'ي', d] if d != 'ه' => {
            vec![[a, b, c, 'ا', d].iter().collect(), [a, b, c, 'و', d].iter().collect()]
        }
        [a, b, c, 'ا', 'ن'] => vec![[a, b, 'ي', c].iter().collect(), [a, b, c].iter().collect()],
        [a, 'و', 'ا', b, c] => vec![[a, 'ا', b, c].iter().collect()],
        [a, b, 'ا', 'ي', c] => vec![[a, b, 'ي', c].iter().collect(), [a, b, 'ا', c].iter().collect()],
        _ => Vec::new(),
    }
}
