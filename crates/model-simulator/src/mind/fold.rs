//! One spelling for words that are written in many ways.

/// Folds letters: lower case, without marks, one of each form; digits of any script as `0` to `9`.
pub(super) fn fold(written: &str) -> String {
    let mut folded = String::with_capacity(written.len());
    for c in written.chars().flat_map(char::to_lowercase) {
        match c {
            'أ' | 'إ' | 'آ' | 'ٱ' => folded.push('ا'),
            'ى' | 'ی' | 'ئ' => folded.push('ي'),
            'ة' => folded.push('ه'),
            'ؤ' => folded.push('و'),
            'ک' | 'گ' | 'چ' => folded.push('ك'),
            '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{200b}'..='\u{200f}' => {}
            '٠'..='٩' => folded.extend(digit(c, '٠')),
            '۰'..='۹' => folded.extend(digit(c, '۰')),
            _ => folded.push(c),
        }
    }
    folded
}

fn digit(c: char, zero: char) -> Option<char> {
    char::from_digit(u32::from(c).checked_sub(u32::from(zero))?, 10)
}

/// Splits a text into folded words.
pub(super) fn tokens(written: &str) -> Vec<String> {
    let folded = fold(written);
    folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Strips the article, and what is written together with it, off a folded word.
pub(super) fn bare(word: &str) -> &str {
    ["وال", "بال", "لل", "ال"]
        .into_iter()
        .find_map(|prefix| word.strip_prefix(prefix))
        .filter(|rest| rest.chars().count() > 2)
        .unwrap_or(word)
}

/// Returns whether two folded words are the same but for an article.
pub(super) fn same(one: &str, other: &str) -> bool {
    bare(one) == bare(other)
}

pub(super) fn is_one_of(word: &str, list: &[&str]) -> bool {
    let and = word.strip_prefix('و').unwrap_or(word);
    list.iter().any(|it| *it == word || *it == bare(word) || *it == and)
}

/// Returns whether `list`, words in one text, contains the word.
pub(super) fn is_said(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|it| is_one_of(word, &[it]))
}

/// Returns whether a text is Arabic: by its letters, or by Arabic words in Latin letters.
pub(crate) fn is_arabic(text: &str) -> bool {
    let arabic = text.chars().filter(|c| matches!(c, '\u{621}'..='\u{6d3}')).count();
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    let in_latin = |word: &String| {
        super::lexicon::LATIN.split_whitespace().any(|it| it == word)
            || (word.contains(['3', '7']) && word.chars().filter(char::is_ascii_alphabetic).count() > 2)
    };
    (arabic > 0 && arabic * 3 >= latin) || latin == 0 || tokens(text).iter().any(in_latin)
}
