//! Passwords.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use super::common::is_common;

/// Shortest new password, in characters.
const SHORTEST: usize = 10;

/// Longest password, in bytes: hashing takes the same time for any length, but reading does not.
const LONGEST: usize = 1024;

/// Password in clear, which `Debug` does not print.
#[derive(Debug, Clone)]
pub struct Password(SecretString);

/// Reason why a text is no good password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    #[error("`password` must have at least 10 characters")]
    TooShort,
    #[error("`password` must have at most 1024 bytes")]
    TooLong,
    #[error("`password` must not be one character repeated")]
    Repeated,
    #[error("`password` is one of those that anybody tries first; choose another")]
    Common,
}

impl Password {
    /// Takes a new password, unless it is easily guessed or too long.
    pub fn choose(text: String) -> Result<Self, PasswordError> {
        let mut characters = text.chars();
        let first = characters.next();
        if text.chars().nth(SHORTEST - 1).is_none() {
            Err(PasswordError::TooShort)
        } else if text.len() > LONGEST {
            Err(PasswordError::TooLong)
        } else if characters.all(|other| Some(other) == first) {
            Err(PasswordError::Repeated)
        } else if is_common(&text) {
            Err(PasswordError::Common)
        } else {
            Ok(Self(text.into()))
        }
    }

    /// Takes a password presented to sign in. One that is too long becomes one that never fits.
    pub fn presented(text: String) -> Self {
        Self(if text.len() > LONGEST { String::new() } else { text }.into())
    }

    /// Returns the password in clear, for its hash.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

/// Hash of a password, as it is stored: a PHC string.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::{Password, PasswordError};

    #[test]
    fn a_password_has_ten_characters_of_more_than_one_kind_and_does_not_print() {
        let choose =
            |text: &str| Password::choose(text.to_owned()).map(|password| password.reveal().to_owned());
        for text in ["correct horse", " ten chars", "كلمة سر طويلة"] {
            assert_eq!(choose(text).as_deref(), Ok(text));
        }
        assert_eq!(choose("123456789"), Err(PasswordError::TooShort));
        assert_eq!(choose(&"x".repeat(20)), Err(PasswordError::Repeated));
        assert_eq!(choose(&"xy".repeat(513)), Err(PasswordError::TooLong));
        assert_eq!(choose("Password2024!"), Err(PasswordError::Common));
        let shown = format!("{:?}", Password::presented("correct horse".to_owned()));
        assert!(!shown.contains("horse"), "{shown}");
    }
}
