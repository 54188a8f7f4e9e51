//! Sentences of a text.

/// Splits a text into its sentences; marks stay with their sentence.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | '؟' | '۔' | '…' | '\n');
    let mut sentences = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        // A point within a number or an address ends nothing.
        let ends = rest.char_indices().map(|(place, c)| (place + c.len_utf8(), c)).find(|(behind, c)| {
            is_end(*c) && rest.get(*behind..).is_none_or(|after| *c == '\n' || !after.starts_with(is_within))
        });
        let behind = ends.map_or(rest.len(), |(behind, _)| behind);
        let (sentence, after) = rest.split_at_checked(behind).unwrap_or((rest, ""));
        sentences.push(sentence.trim());
        rest = after.trim_start();
    }
    sentences.retain(|sentence| sentence.contains(char::is_alphanumeric));
    sentences
}

const fn is_within(c: char) -> bool {
    !c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn a_point_within_a_number_ends_no_sentence() {
        for (text, parts) in [
            ("قماش قطن. يغسل بالماء البارد!", &["قماش قطن.", "يغسل بالماء البارد!"][..]),
            ("Weighs 1.5 kg. See shop.example for more", &["Weighs 1.5 kg.", "See shop.example for more"]),
            ("نوصل لبغداد؟ نعم.\nالدفع عند الاستلام", &["نوصل لبغداد؟", "نعم.", "الدفع عند الاستلام"]),
            ("…", &[]),
            ("", &[]),
        ] {
            assert_eq!(sentences(text), parts);
        }
    }
}
