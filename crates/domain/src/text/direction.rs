//! Invisible characters that change the direction of the text beside them.

use std::borrow::Cow;

/// Returns whether a character embeds, overrides, isolates or marks a direction (Unicode, `Bidi_Control`). In
/// a file's name it can make `…gpj.exe` look like `…exe.jpg`.
pub const fn is_direction_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the text without direction controls.
pub fn without_direction_controls(written: &str) -> Cow<'_, str> {
    if written.contains(is_direction_control) {
        Cow::Owned(written.chars().filter(|&c| !is_direction_control(c)).collect())
    } else {
        Cow::Borrowed(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_a_direction_goes_and_letters_of_any_direction_stay() {
        for (written, left) in [
            ("invoice\u{202e}gpj.exe", "invoicegpj.exe"),
            ("\u{2066}a\u{2069}.pdf\u{200f}", "a.pdf"),
            ("\u{61c}فاتورة\u{200e}.pdf", "فاتورة.pdf"),
            ("می\u{200c}خواهم.pdf", "می\u{200c}خواهم.pdf"),
            ("\u{202a}\u{202b}\u{202c}\u{202d}\u{2067}\u{2068}", ""),
        ] {
            assert_eq!(without_direction_controls(written), left);
        }
    }
}
