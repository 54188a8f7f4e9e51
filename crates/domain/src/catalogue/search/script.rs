//! Transcription of Latin words into Arabic letters, by sound.

/// Transcribes a Latin word: with all its vowels, as foreign names are written, and without the short ones,
/// as Arabic words are.
pub(super) fn in_arabic(word: &str) -> [String; 2] {
    [heard(word), heard(&without_short_vowels(word))]
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
    let vowel = |c: &char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u');
    let mut written = String::new();
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        if !vowel(c)
            || at == 0
            || at + 1 == letters.len()
            || after.is_some_and(vowel)
            || before.is_some_and(vowel)
        {
            written.push(*c);
        }
    }
    // A long vowel is one letter, and of a diphthong the second part is written.
    let one = [("aa", "a"), ("ii", "i"), ("uu", "u"), ("ai", "i"), ("ay", "y"), ("au", "u"), ("aw", "w")];
    one.iter().fold(written, |written, (two, one)| written.replace(two, one))
}

fn heard(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut written = String::new();
    let mut rest = letters.as_slice();
    while let [c, after @ ..] = rest {
        let next = after.first().copied().unwrap_or(' ');
        let (arabic, taken) = match (c, next) {
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
