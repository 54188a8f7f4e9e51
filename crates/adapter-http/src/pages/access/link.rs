//! Secrets of links.

use dashboard_pages::words::AccessWords;
use domain::access::sessions::PasswordError;

/// Extracts the secret: the text itself, or what follows `#` in a pasted link.
pub(super) fn secret(written: &str) -> &str {
    written.rsplit('#').next().unwrap_or_default().trim()
}

/// Returns the sentence for a rejected password.
pub(super) const fn wrong_password(error: PasswordError, words: &AccessWords) -> &'static str {
    match error {
        PasswordError::TooShort => words.password_too_short,
        PasswordError::TooLong => words.password_too_long,
        PasswordError::Repeated => words.password_repeated,
        PasswordError::Common => words.password_common,
    }
}

#[cfg(test)]
mod tests {
    use super::secret;

    #[test]
    fn a_link_is_taken_whole_or_by_its_secret() {
        for written in ["ab12", " ab12 ", "https://messages.example/dashboard/invitation#ab12"] {
            assert_eq!(secret(written), "ab12");
        }
    }
}
