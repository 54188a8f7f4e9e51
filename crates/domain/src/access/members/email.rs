//! The address that a member signs in with.

use std::{fmt, str::FromStr};

/// Most bytes of an address (RFC 5321, 4.5.3.1.3, without the brackets).
const LONGEST: usize = 254;

/// An e-mail address in small letters: what is written in capitals is the same address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

/// The text is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`email` must be an e-mail address, such as sara@shop.example")]
pub struct InvalidEmail;

impl EmailAddress {
    /// One that was kept, by whatever rules held then.
    pub const fn kept(text: String) -> Self {
        Self(text)
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = InvalidEmail;

    fn from_str(written: &str) -> Result<Self, InvalidEmail> {
        let address = written.trim().to_lowercase();
        let (local, host) = address.split_once('@').ok_or(InvalidEmail)?;
        let plain = |part: &str| {
            let odd =
                |c: char| c.is_whitespace() || c.is_control() || is_unseen(c) || "@<>(),;:\\\"[]".contains(c);
            !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.contains(odd)
        };
        let fits = plain(local) && plain(host) && address.len() <= LONGEST;
        if fits { Ok(Self(address)) } else { Err(InvalidEmail) }
    }
}

/// What shows nothing and turns around or hides what is beside it: with it, one address can be made to look like
/// another.
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
    fn an_address_is_read_without_its_spelling_and_what_is_none_is_refused() {
        let read = |text: &str| text.parse::<EmailAddress>().ok().map(|address| address.0);
        assert_eq!(read(" Sara@Shop.Example ").as_deref(), Some("sara@shop.example"));
        assert_eq!(read("a+b.c@localhost").as_deref(), Some("a+b.c@localhost"));
        let long = format!("{}@shop.example", "a".repeat(250));
        for text in ["", "sara", "@", "a@", "@b", "a@b@c", "a b@c", "a@.b", "a@b.", "<a@b>", "a\n@b", &long] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
