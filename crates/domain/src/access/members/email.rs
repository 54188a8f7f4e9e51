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
            let odd = |c: char| c.is_whitespace() || c.is_control() || "@<>(),;:\\\"[]".contains(c);
            !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.contains(odd)
        };
        let fits = plain(local) && plain(host) && address.len() <= LONGEST;
        if fits { Ok(Self(address)) } else { Err(InvalidEmail) }
    }
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
