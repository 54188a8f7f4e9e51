//! Stems: words without what grammar adds to them.

/// Prefixes that do not belong to the word, longer ones first.
const BEFORE: [&str; 9] = ["وال", "بال", "كال", "فال", "هال", "عال", "لل", "ال", "و"];
/// Suffixes, and the letters that have to be left before each: names end in ون as well (آيفون).
const AFTER: [(&str, usize); 12] = [
    ("هات", 3),
    ("تين", 3),
    ("تان", 3),
    ("يات", 3),
    ("ات", 3),
    ("ان", 4),
    ("ين", 4),
    ("ون", 4),
    ("يه", 3),
    ("ها", 3),
    ("ه", 3),
    ("ي", 3),
];

pub(super) fn is_arabic(word: &str) -> bool {
    word.starts_with(|c| matches!(c, '\u{600}'..='\u{6ff}'))
}

/// Returns the light stem: without article, conjunction, plural and feminine endings.
pub(super) fn light(word: &str) -> String {
    if !is_arabic(word) {
        return latin(word);
    }
    let bare = without_before(word);
    let bare = AFTER.iter().find_map(|(after, left)| without_after(bare, after, *left)).unwrap_or(bare);
    bare.to_owned()
}

fn latin(word: &str) -> String {
    let long = |rest: &&str| rest.len() >= 3;
    let hissed = ["ses", "xes", "ches", "shes"].iter().any(|after| word.ends_with(after));
    let bare = word.strip_suffix(if hissed { "es" } else { "s" }).filter(long);
    bare.filter(|bare| !bare.ends_with('s')).unwrap_or(word).to_owned()
}

/// Removes the article and the particles attached to it. Two letters may be left after an article (القطط),
/// three after any other prefix: a و alone more often belongs to the word.
fn without_before(word: &str) -> &str {
    let bare = |before: &&str| {
        let left = if before.ends_with("ال") { 2 } else { 3 };
        word.strip_prefix(before).filter(|rest| rest.chars().count() >= left)
    };
    BEFORE.iter().find_map(bare).unwrap_or(word)
}

fn without_after<'a>(word: &'a str, after: &str, left: usize) -> Option<&'a str> {
    // A ت after an alef belongs to the word: فساتين.
    let dual = after.starts_with('ت');
    word.strip_suffix(after).filter(|rest| rest.chars().count() >= left && !(dual && rest.ends_with('ا')))
}

/// Returns the beginning of the likely plural of `word`: ملعقة and ملاعق, فنجان and فناجين, ستارة and ستائر.
pub(super) fn plural(word: &str) -> Option<String> {
    if !is_arabic(word) {
        return None;
    }
    let long = |c: char| matches!(c, 'ا' | 'و' | 'ي');
    let letters: Vec<char> = light(word).chars().collect();
    match letters[..] {
        [a, b, c, d] if ![a, b, c, d].into_iter().any(long) => Some([a, b, 'ا', c, d].iter().collect()),
        [first, second, third, fourth, last]
            if long(fourth) && ![first, second, third, last].into_iter().any(long) =>
        {
            Some([first, second, 'ا', third, 'ي', last].iter().collect())
        }
        [a, b, 'ا' | 'ي', _] => Some([a, b, 'ا'].iter().collect()),
        _ => None,
    }
}

/// Returns the consonants that a word keeps in its broken plural: قميص and قمصان, فستان and فساتين, عطر and
/// عطور. Empty if there are fewer than three, which too many words share.
pub(super) fn root(word: &str) -> String {
    if !is_arabic(word) {
        return String::new();
    }
    let stem = light(word);
    // The endings of قمصان and of فستان alike.
    let stem = ["ان", "ين", "ون"].iter().find_map(|after| without_after(&stem, after, 3)).unwrap_or(&stem);
    // An alef at the beginning belongs to the word (اسبرين), except in plurals such as اقلام and اغطية.
    let letters: Vec<char> = without_before(word).chars().collect();
    let added = matches!(letters[..], ['ا', _, _, 'ا', _] | ['ا', _, _, _, 'ه']);
    let is_long = |at: usize, c: char| matches!(c, 'ا' | 'و' | 'ي' | 'ء') && (at > 0 || added);
    let root: String = stem.chars().enumerate().filter(|&(at, c)| !is_long(at, c)).map(|(_, c)| c).collect();
    if root.chars().count() >= 3 { root } else { String::new() }
}

/// Returns the beginnings of words that `word` may be the broken plural of.
pub(super) fn singulars(word: &str) -> Vec<String> {
    let letters: Vec<char> = without_before(word).chars().collect();
    match letters[..] {
        ['ا', a, b, 'ا', c] | [a, b, 'و' | 'ا', c] if c != 'ه' => vec![[a, b, c].iter().collect()],
        ['ا', a, b, 'ي', 'ه'] => vec![[a, b, 'ا'].iter().collect()],
        ['ا', a, b, c, 'ه'] => vec![[a, b, 'ا', c].iter().collect()],
        [a, 'و', 'ا', b, 'ي', c] => {
            vec![
                [a, 'ا', b, 'و', c].iter().collect(),
                [a, 'ا', b, c].iter().collect(),
                [a, 'ا', b, 'ي', c].iter().collect(),
            ]
        }
        // A doubled letter is written once in the singular: تنانير, تنورة.
        [a, b, 'ا', c, 'ي', d] if b == c => {
            ['و', 'ا', 'ي'].iter().map(|long| [a, b, *long, d].iter().collect()).collect()
        }
        [a, b, 'ا', c, 'ي', d] if d != 'ه' => {
            let mut all: Vec<String> =
                ['ا', 'و', 'ي'].iter().map(|long| [a, b, c, *long, d].iter().collect()).collect();
            all.push([a, b, c, d].iter().collect());
            all
        }
        [a, b, 'ا', c, 'ي'] => vec![[a, b, c, 'ي'].iter().collect()],
        [a, b, c, 'ا', 'ن'] => vec![[a, b, 'ي', c].iter().collect(), [a, b, c].iter().collect()],
        [a, 'و', 'ا', b, c] => vec![[a, 'ا', b, c].iter().collect(), [a, 'و', b, c].iter().collect()],
        [a, b, 'ا', 'ي', c] => vec![[a, b, 'ي', c].iter().collect(), [a, b, 'ا', c].iter().collect()],
        [a, b, 'ا', c, d] if d != 'ه' => vec![[a, b, c, d].iter().collect()],
        _ => Vec::new(),
    }
}
