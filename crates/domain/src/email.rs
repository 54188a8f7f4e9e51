//! E-mail addresses that members sign in with.

use std::{fmt, str::FromStr};

use email_address::{EmailAddress as Parsed, Options};

/// Longest address, in bytes (RFC 5321, 4.5.3.1.3, without the brackets).
const LONGEST: usize = 254;

/// Options for a bare address, of a host by its name, which need have no dot.
const PLAIN: Options =
    Options { minimum_sub_domains: 0, allow_domain_literal: false, allow_display_text: false };

/// E-mail address in small letters; capitals make no difference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

/// Rejection of a text that is no e-mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`email` must be an e-mail address, such as sara@shop.example")]
pub struct InvalidEmail;

impl EmailAddress {
    /// Takes a stored address as it is, by whatever rules held when it was stored.
    pub const fn kept(text: String) -> Self {
        Self(text)
    }

    /// Returns an address to look up that somebody signs in with: also one that would be refused today but
    /// was allowed by earlier rules. `None` for what never was an address.
    pub fn presented(written: &str) -> Option<Self> {
        let address = written.trim().to_lowercase();
        let fits = address.len() <= LONGEST && address.contains('@') && !address.contains(char::is_control);
        fits.then_some(Self(address))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = InvalidEmail;

    fn from_str(written: &str) -> Result<Self, InvalidEmail> {
        let address = written.trim().to_lowercase();
        Parsed::parse_with_options(&address, PLAIN).map_err(|_| InvalidEmail)?;
        // A quoted part before the `@` is legal, but serves only those who want to be mistaken for others.
        let odd = |c: char| c.is_whitespace() || c.is_control() || is_unseen(c) || c == '"';
        if address.len() > LONGEST || address.contains(odd) { Err(InvalidEmail) } else { Ok(Self(address)) }
    }
}

/// Returns whether a character is invisible, and turns around or hides what is beside it, so that one address
/// can be made to look like another.
const fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::EmailAddress;

    #[test]
    fn nothing_unseen_makes_one_address_look_like_another() {
        for unseen in [
            '\u{202e}', '\u{202a}', '\u{2066}', '\u{2069}', '\u{200f}', '\u{61c}', '\u{200b}', '\u{feff}',
            '\u{ad}',
        ] {
            for text in [format!("sa{unseen}ra@shop.example"), format!("sara@shop{unseen}.example")] {
                assert!(text.parse::<EmailAddress>().is_err(), "{}", text.escape_unicode());
            }
        }
    }

    #[test]
    fn whoever_signs_in_is_looked_up_by_what_they_write_whatever_rules_hold_today() {
        let presented = |text: &str| EmailAddress::presented(text).map(|address| address.0);
        for (text, wanted) in [
            (" A..B@Shop.example ", "a..b@shop.example"),
            ("sara@shop.example.", "sara@shop.example."),
            ("sa\u{200f}ra@shop.example", "sa\u{200f}ra@shop.example"),
        ] {
            assert!(text.parse::<EmailAddress>().is_err(), "{text}");
            assert_eq!(presented(text).as_deref(), Some(wanted));
        }
        let long = format!("{}@shop.example", "a".repeat(250));
        for text in ["", "sara", "a\0@b", "a\n@b", &long] {
            assert_eq!(presented(text), None, "{text}");
        }
    }

    #[test]
    fn an_address_is_read_without_its_spelling_and_what_is_none_is_refused() {
        let read = |text: &str| text.parse::<EmailAddress>().ok().map(|address| address.0);
        assert_eq!(read(" Sara@Shop.Example ").as_deref(), Some("sara@shop.example"));
        for text in ["a+b.c@localhost", "سارة@متجر.example", "o'hara-1@b-c.example"] {
            assert_eq!(read(text).as_deref(), Some(text));
        }
        let long = format!("{}@shop.example", "a".repeat(250));
        for text in [
            "",
            "sara",
            "@",
            "a@",
            "@b",
            "a@b@c",
            "a b@c",
            "a@.b",
            "a@b.",
            "<a@b>",
            "a\n@b",
            "a..b@c",
            "\"a b\"@c",
            "Sara <sara@c>",
            "a@[127.0.0.1]",
            &long,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
