//! The PIN of a number's second factor.

use std::fmt;

use secrecy::SecretString;

/// Six digits of a number's two-step verification. `Debug` does not print them.
#[derive(Clone)]
pub struct Pin(SecretString);

impl Pin {
    /// Parses six digits with nothing around them but blanks; `None` for anything else.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.trim();
        let fits = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_digit());
        fits.then(|| Self(SecretString::from(digits)))
    }

    /// Returns the digits for the network.
    pub const fn secret(&self) -> &SecretString {
        &self.0
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin")
    }
}
