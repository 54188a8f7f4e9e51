//! Passwords.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use super::common::is_common;

/// A new password has at least so many characters.
const SHORTEST: usize = 10;

/// A password has at most so many bytes: hashing one takes the same time, but reading one should.
const LONGEST: usize = 1024;

/// It is a password in clear, and prints nothing.
#[derive(Debug, Clone)]
pub struct Password(SecretString);

/// It says why a text is no good password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// It has fewer than 10 characters.
    #[error("`password` must have at least 10 characters")]
    TooShort,
    /// It has more than 1024 bytes.
    #[error("`password` must have at most 1024 bytes")]
    TooLong,
    /// It is the same character over and over.
    #[error("`password` must not be one character repeated")]
    Repeated,
    /// It is one of those that anybody tries first.
    #[error("`password` is one of those that anybody tries first; choose another")]
    Common,
}

impl Password {
    /// Takes a new password.
    ///
    /// # Errors
    /// See [`PasswordError`].
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

    /// Takes what somebody presents to sign in. What is too long to be a password is none that fits.
    pub fn presented(text: String) -> Self {
        Self(if text.len() > LONGEST { String::new() } else { text }.into())
    }

    /// Returns the password in clear, for its hash.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

/// The store keeps this of a password: a PHC string.
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
