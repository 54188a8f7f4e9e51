//! Transcription of Latin words into Arabic letters, by sound.

/// Transcribes a Latin word: with all its vowels, as foreign names are written, and without the short ones,
/// as Arabic words are.
pub(super) fn in_arabic(word: &str) -> [String; 2] {
    [heard(word), heard(&without_short_vowels(word))]
}

/// Most short vowels of a Latin word that are read in both ways.
const MOST_VOWELS: usize = 3;

/// Transcribes a Latin word as the Arabic words that it may be: each vowel inside long or short, an `a` at
/// the end the feminine ending, `th` and `d` either letter of that sound. The likeliest is first.
pub(super) fn readings(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let inside: Vec<usize> = (1..letters.len().saturating_sub(1))
        .filter(|&at| {
            let is_vowel = |at: usize| letters.get(at).is_some_and(|c| is_vowel(*c));
            is_vowel(at) && !is_vowel(at - 1) && !is_vowel(at + 1)
        })
        .take(MOST_VOWELS)
        .collect();
    let mut all: Vec<String> = Vec::new();
    // The first is mostly short and the last long: فستان, عباية; then all are short: قمصلة.
    let ways = 1_usize << inside.len();
    for short in (0..ways).filter(|it| it % 2 == 1).chain((0..ways).filter(|it| it % 2 == 0).rev()) {
        // An o is mostly long.
        let os = inside
            .iter()
            .enumerate()
            .filter(|(bit, at)| short >> bit & 1 == 1 && letters.get(**at) == Some(&'o'));
        if os.count() > 1 {
            continue;
        }
        let is_short =
            |at: usize| inside.iter().position(|it| *it == at).is_some_and(|bit| short >> bit & 1 == 1);
        let kept = letters.iter().enumerate().filter(|(at, _)| !is_short(*at));
        // A long e is written as a long i is.
        let long = |(at, c): (usize, &char)| if *c == 'e' && inside.contains(&at) { 'i' } else { *c };
        let heard = heard(&with_one_letter(&kept.map(long).collect::<String>()));
        let feminine =
            ["ات", "ا"].iter().find_map(|end| heard.strip_suffix(end)).map(|bare| format!("{bare}ه"));
        for reading in feminine.into_iter().chain([heard]) {
            let other = if reading.contains('ث') {
                Some(reading.replace('ث', "ذ"))
            } else {
                reading.contains('د').then(|| reading.replace('د', "ض"))
            };
            all.push(reading);
            all.extend(other);
        }
    }
    all
}

/// Returns the sound of an Arabic word: letters that speakers pronounce alike become one, doubled letters
/// become single, and a silent ending is dropped.
pub(super) fn sound(word: &str) -> String {
    let mut sound = String::with_capacity(word.len());
    for c in word.chars() {
        let class = match c {
            'ط' => 'ت',
            'ص' | 'ث' => 'س',
            'ذ' | 'ظ' => 'ض',
            'ق' | 'غ' => 'ك',
            'ح' => 'ه',
            'ع' => 'ا',
            c => c,
        };
        if !sound.ends_with(class) {
            sound.push(class);
        }
    }
    let sound = sound.replace("تش", "ج");
    let long = |rest: &&str| rest.chars().count() >= 2;
    sound.strip_suffix(['ا', 'ه', 'ي']).filter(long).unwrap_or(&sound).to_owned()
}

/// Removes short vowels, which are those written once; the first and the last letter stay.
fn without_short_vowels(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut written = String::new();
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        if !is_vowel(*c)
            || at == 0
            || at + 1 == letters.len()
            || after.is_some_and(|c| is_vowel(*c))
            || before.is_some_and(|c| is_vowel(*c))
        {
            written.push(*c);
        }
    }
    with_one_letter(&written)
}

const fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// Writes a long vowel as one letter, and of a diphthong the second part; before a vowel it is none.
fn with_one_letter(written: &str) -> String {
    let letters: Vec<char> = written.chars().collect();
    let is_first = |at: usize, c: char| {
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        let is_long = c == next && matches!(c, 'a' | 'i' | 'u');
        let is_diphthong = c == 'a' && matches!(next, 'i' | 'y' | 'u' | 'w');
        is_long || (is_diphthong && !letters.get(at + 2).is_some_and(|c| is_vowel(*c)))
    };
    letters.iter().enumerate().filter(|&(at, c)| !is_first(at, *c)).map(|(_, c)| c).collect()
}

/// Transcribes a part of an Arabic word that has few spellings in Latin letters: a consonant and the long
/// vowel after it, with the next consonant if that is telling, too; never the first letter, which may be a
/// capital. `None` if the word has no such part.
pub(super) fn in_latin(word: &str) -> Option<String> {
    let consonant = |c: char| match c {
        'ت' => Some('t'),
        'د' => Some('d'),
        'ر' => Some('r'),
        'ز' => Some('z'),
        'ل' => Some('l'),
        'م' => Some('m'),
        'ن' => Some('n'),
        _ => None,
    };
    let vowel = |c: char| match c {
        'ا' => Some('a'),
        'و' => Some('o'),
        'ي' => Some('i'),
        _ => None,
    };
    let letters: Vec<char> = word.chars().skip(1).collect();
    let three = letters.windows(3).find_map(|part| match part {
        [a, b, c] => Some(String::from_iter([consonant(*a)?, vowel(*b)?, consonant(*c)?])),
        _ => None,
    });
    let two = || {
        letters.windows(2).find_map(|part| match part {
            [a, b] => {
                let sound = consonant(*a).zip(vowel(*b)).or_else(|| vowel(*a).zip(consonant(*b)))?;
                Some(String::from_iter([sound.0, sound.1]))
            }
            _ => None,
        })
    };
    three.or_else(two)
}

fn heard(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut written = String::new();
    let mut rest = letters.as_slice();
    while let [c, after @ ..] = rest {
        let next = after.first().copied().unwrap_or(' ');
        let (arabic, taken) = match (c, next) {
            // A doubled consonant is written once.
            (c, next) if *c == next && !is_vowel(*c) => ("", 1),
            ('s', 'h') => ("ش", 2),
            ('c', 'h') => ("تش", 2),
            ('k', 'h') => ("خ", 2),
            ('g', 'h') => ("غ", 2),
            ('t', 'h') => ("ث", 2),
            ('d', 'h') => ("ض", 2),
            ('p', 'h') => ("ف", 2),
            ('o', 'o' | 'u') => ("و", 2),
            ('e', 'e') => ("ي", 2),
            ('c', 'k') => ("ك", 2),
            ('e', _) if written.is_empty() => ("ا", 1),
            ('a' | '2', _) => ("ا", 1),
            ('b' | 'p', _) => ("ب", 1),
            ('s', _) | ('c', 'e' | 'i' | 'y') => ("س", 1),
            ('c' | 'k', _) => ("ك", 1),
            ('d', _) => ("د", 1),
            ('f' | 'v', _) => ("ف", 1),
            ('g' | 'j', _) => ("ج", 1),
            ('h', _) => ("ه", 1),
            ('i' | 'y', _) => ("ي", 1),
            ('l', _) => ("ل", 1),
            ('m', _) => ("م", 1),
            ('n', _) => ("ن", 1),
            ('o' | 'u' | 'w', _) => ("و", 1),
            ('q' | '8', _) => ("ق", 1),
            ('r', _) => ("ر", 1),
            ('t', _) => ("ت", 1),
            ('x', _) => ("كس", 1),
            ('z', _) => ("ز", 1),
            ('3', _) => ("ع", 1),
            ('5', _) => ("خ", 1),
            ('6', _) => ("ط", 1),
            ('7', _) => ("ح", 1),
            ('9', _) => ("ص", 1),
            _ => ("", 1),
        };
        written.push_str(arabic);
        rest = after.get(taken - 1..).unwrap_or_default();
    }
    written
}
