//! Normalization of texts for comparison: digits, marks and separators.

/// Normalizes a text: lower case, Arabic without marks and of one form, digits of any script as `0` to `9`,
/// no separators of thousands.
pub(crate) fn plain(written: &str) -> String {
    let folded: Vec<char> = written.chars().flat_map(char::to_lowercase).filter_map(fold).collect();
    let is_digit = |at: usize| folded.get(at).is_some_and(char::is_ascii_digit);
    let mut plain = String::with_capacity(folded.len());
    for (at, &c) in folded.iter().enumerate() {
        let separates = matches!(c, ',' | '٬' | '،') && at > 0 && is_digit(at - 1);
        if !(separates && is_digit(at + 1) && is_digit(at + 2) && is_digit(at + 3) && !is_digit(at + 4)) {
            plain.push(c);
        }
    }
    plain
}

fn fold(c: char) -> Option<char> {
    Some(match c {
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' | 'ی' | 'ئ' => 'ي',
        'ة' => 'ه',
        'ؤ' => 'و',
        'ک' => 'ك',
        '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{200b}'..='\u{200f}' | '\u{2066}'..='\u{2069}' => {
            return None;
        }
        '٠'..='٩' => digit(c, '٠')?,
        '۰'..='۹' => digit(c, '۰')?,
        _ => c,
    })
}

fn digit(c: char, zero: char) -> Option<char> {
    char::from_digit(u32::from(c).checked_sub(u32::from(zero))?, 10)
}

/// Returns whether the text contains one of the wordings, which `|` separates.
pub(crate) fn says(text: &str, wordings: &str) -> bool {
    let text = plain(text);
    wordings.split('|').map(plain).any(|wording| text.contains(wording.trim()))
}

/// Counts Arabic and Latin letters.
pub(crate) fn letters(text: &str) -> (usize, usize) {
    let arabic = text.chars().filter(|c| matches!(c, '\u{621}'..='\u{64a}' | '\u{66e}'..='\u{6d3}')).count();
    (arabic, text.chars().filter(char::is_ascii_alphabetic).count())
}

#[cfg(test)]
mod tests {
    use super::{plain, says};

    #[test]
    fn the_same_number_is_the_same_however_it_is_written() {
        for written in ["29000", "29,000", "٢٩٠٠٠", "٢٩٬٠٠٠", "۲۹۰۰۰"] {
            assert_eq!(plain(written), "29000", "{written}");
        }
        assert_eq!(plain("1,2 و 3،4"), "1,2 و 3،4");
        assert!(says("المجموع: ٢٩٬٠٠٠ د.ع", "nothing|29,000"));
    }
}
