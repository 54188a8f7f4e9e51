//! What prices are in.

use std::{fmt, str::FromStr};

/// It is a currency by its ISO 4217 code, in capitals. Which codes are assigned changes, so only the form is
/// checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency([u8; 3]);

/// The text is not three Latin letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a three-letter currency code")]
pub struct NotACurrency;

impl Currency {
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for Currency {
    type Err = NotACurrency;

    fn from_str(text: &str) -> Result<Self, NotACurrency> {
        let letters: [u8; 3] = text.trim().as_bytes().try_into().map_err(|_| NotACurrency)?;
        let code = letters.map(|letter| letter.to_ascii_uppercase());
        if code.iter().all(u8::is_ascii_uppercase) { Ok(Self(code)) } else { Err(NotACurrency) }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Currency({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Currency;

    #[test]
    fn a_code_has_three_latin_letters() {
        for (text, code) in [("IQD", Some("IQD")), ("iqd", Some("IQD")), (" USD ", Some("USD"))] {
            assert_eq!(text.parse::<Currency>().ok().map(|code| code.to_string()).as_deref(), code);
        }
        for text in ["", "IQ", "IQDD", "I D", "12A", "د.ع", "€"] {
            assert!(text.parse::<Currency>().is_err(), "{text}");
        }
    }
}
