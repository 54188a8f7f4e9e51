//! Removal of recipients from texts of the network.

/// Number of a phone number's last digits that identify it: the shortest E.164 number has seven.
const TELLING_DIGITS: usize = 7;

/// Beginning of a message id, which contains the recipient's number in base64.
const MESSAGE_ID: &str = "wamid.";

/// Replacement for what was removed.
const GAP: char = '…';

/// Returns `text` without `recipient`: without groups of digits, in any spacing, that contain the end of a
/// number; without user ids as written; without message ids. U+0000, which the store refuses, is removed,
/// too.
pub(crate) fn scrub(text: &str, recipient: Option<&str>) -> String {
    let text = without_message_ids(&text.replace('\0', ""));
    let Some(recipient) = recipient.filter(|recipient| !recipient.is_empty()) else { return text };
    let digits: Vec<char> = recipient.chars().filter(char::is_ascii_digit).collect();
    if digits.len() < TELLING_DIGITS || recipient.contains(char::is_alphabetic) {
        return text.replace(recipient, &GAP.to_string());
    }
    let tail: String = digits.iter().skip(digits.len() - TELLING_DIGITS).collect();
    without_number(&text, &tail)
}

fn without_message_ids(text: &str) -> String {
    let mut parts = text.split(MESSAGE_ID);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let of_id = |character: char| character.is_ascii_alphanumeric() || "+/=-_".contains(character);
        kept.push(GAP);
        kept.push_str(part.trim_start_matches(of_id));
    }
    kept
}

/// Removes the groups of digits that contain `tail`, with the plus sign before them. Separators are part of a
/// group only between two digits.
fn without_number(text: &str, tail: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut group = String::new();
    let mut trailing = String::new();
    for character in text.chars() {
        if character.is_ascii_digit() {
            group.push_str(&trailing);
            trailing.clear();
            group.push(character);
        } else if !group.is_empty() && is_separator(character) {
            trailing.push(character);
        } else {
            close(&mut kept, &mut group, &mut trailing, tail);
            kept.push(character);
        }
    }
    close(&mut kept, &mut group, &mut trailing, tail);
    kept
}

/// Ends a group of digits: it is kept or becomes a gap; the separators behind it are kept.
fn close(kept: &mut String, group: &mut String, trailing: &mut String, tail: &str) {
    let digits: String = group.chars().filter(char::is_ascii_digit).collect();
    if digits.contains(tail) {
        while kept.ends_with(['+', '(']) {
            kept.pop();
        }
        kept.push(GAP);
    } else {
        kept.push_str(group);
    }
    kept.push_str(trailing);
    group.clear();
    trailing.clear();
}

fn is_separator(character: char) -> bool {
    " -./()\u{a0}\u{202f}\u{2011}".contains(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::scrub;

    #[test]
    fn no_spelling_of_the_number_is_left() {
        for (text, left) in [
            ("9647701234567 is not on the list", "… is not on the list"),
            ("Recipient +9647701234567.", "Recipient …."),
            ("to +964 770 123-4567, code 131026", "to …, code 131026"),
            ("(0770) 1234567 failed", "… failed"),
            ("00964 (770) 123.45.67", "…"),
            ("131026 9647701234567", "…"),
            ("x9647701234567y 7701234567", "x…y …"),
            ("Message Undeliverable.", "Message Undeliverable."),
            ("template 1387372356726668, 3 of 5 (3)", "template 1387372356726668, 3 of 5 (3)"),
            ("see wamid.HBgMOTY0NzcwMTIzNDU2NxUCABEYEjA1+/_-Q0Q= twice", "see … twice"),
            ("a\0b", "ab"),
            ("", ""),
        ] {
            assert_eq!(scrub(text, Some("9647701234567")), left, "{text}");
        }
    }

    #[test]
    fn a_recipient_without_a_number_goes_as_it_is_written() {
        assert_eq!(scrub("user IQ.134a is gone", Some("IQ.134a")), "user … is gone");
        assert_eq!(scrub("9647701234567", None), "9647701234567");
        assert_eq!(scrub("9647701234567", Some("")), "9647701234567");
    }

    proptest! {
        #[test]
        fn a_text_keeps_its_other_words(
            before in "[a-zA-Z ,:]{0,20}", after in "[a-zA-Z,:]{0,20}", digits in "[1-9][0-9]{6,14}",
        ) {
            let scrubbed = scrub(&format!("{before}+{digits}{after}"), Some(&digits));
            prop_assert_eq!(scrubbed, format!("{before}…{after}").replace("+…", "…"));
        }
    }
}
