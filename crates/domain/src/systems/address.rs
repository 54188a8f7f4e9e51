//! Base address of a customer's system, and the secret that authenticates calls to it.

use std::fmt;

use url::Url;

/// Most characters of a base address.
const LONGEST_BASE: usize = 2_000;
/// Most characters of a secret: it goes into one header as a bearer token, and servers bound headers at 8 KB.
const LONGEST_SECRET: usize = 1_000;

/// Base address of a system, `https` or `http`. `http` may only be called in networks that the operator
/// allows, which is checked at each call. Paths are appended behind its own last segment.
#[derive(Clone, PartialEq, Eq)]
pub struct SystemBase(Url);

/// Reason why a text is no base address, in words for its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    #[error("the address must be a URL such as https://shop.example/api")]
    NotAUrl,
    #[error("the address must not be longer than 2000 characters")]
    TooLong,
    #[error("the address must use https")]
    Scheme,
    #[error("the address must not hold a user name or password: the secret is given by itself")]
    UserInfo,
    #[error("the address must not have a query (`?…`): paths are appended to it")]
    Query,
    #[error("the address must not have a fragment (`#…`): paths are appended to it")]
    Fragment,
}

impl SystemBase {
    /// Parses what an owner typed. Whether its host may be called is checked separately, by looking it up.
    ///
    /// # Errors
    /// The first [`BaseError`] that applies.
    pub fn parse(typed: &str) -> Result<Self, BaseError> {
        let typed = typed.trim();
        if typed.chars().nth(LONGEST_BASE).is_some() {
            return Err(BaseError::TooLong);
        }
        let mut url = Url::parse(typed).map_err(|_| BaseError::NotAUrl)?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(BaseError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BaseError::UserInfo);
        }
        if url.query().is_some() {
            return Err(BaseError::Query);
        }
        if url.fragment().is_some() {
            return Err(BaseError::Fragment);
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Returns the address with `segments` behind its own path, each encoded so that it stays one segment.
    /// `None` if a segment is empty, `.` or `..`, which no URL can hold as a segment.
    pub fn join(&self, segments: &[&str]) -> Option<Url> {
        let mut path = self.0.path().trim_end_matches('/').to_owned();
        for segment in segments {
            if matches!(*segment, "" | "." | "..") {
                return None;
            }
            path.push('/');
            segment.bytes().for_each(|byte| push_encoded(&mut path, byte));
        }
        let mut url = self.0.clone();
        url.set_path(&path);
        Some(url)
    }

    /// Returns the scheme, host and port. Only they may be shown or logged: the path may hold a secret.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Returns the address as text, without a slash at its end unless it has no path.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Appends a byte, percent-encoded unless it is one of RFC 3986's unreserved characters.
fn push_encoded(path: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
        path.push(char::from(byte));
    } else {
        path.push('%');
        for half in [byte >> 4, byte & 0xf] {
            path.push(HEX.get(usize::from(half)).copied().map_or('0', char::from));
        }
    }
}

/// Shows the host alone: owners put keys into paths.
impl fmt::Debug for SystemBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SystemBase").field(&self.0.host_str().unwrap_or_default()).finish()
    }
}

/// Secret that a system issued and its owner entered. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct SystemSecret(String);

/// Reason why a text is no secret, in words for its owner that do not repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    #[error("the secret is empty")]
    Empty,
    #[error("the secret must not be longer than 1000 characters")]
    TooLong,
    /// Line break, such as at the end of a copied file.
    #[error("the secret has a line break in it: take it off")]
    LineBreak,
    #[error("the secret has white space in it: take it off")]
    Space,
    #[error(
        "the secret has characters that a header cannot carry: only ASCII letters, digits and signs can be"
    )]
    Characters,
}

impl SecretError {
    /// Checks that a text can be a secret in a header.
    pub(crate) fn check(typed: &str) -> Result<(), Self> {
        if typed.is_empty() {
            return Err(Self::Empty);
        }
        if typed.chars().nth(LONGEST_SECRET).is_some() {
            return Err(Self::TooLong);
        }
        if typed.contains(['\n', '\r']) {
            return Err(Self::LineBreak);
        }
        if typed.contains(char::is_whitespace) {
            return Err(Self::Space);
        }
        if !typed.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Self::Characters);
        }
        Ok(())
    }
}

impl SystemSecret {
    /// Parses what an owner typed; nothing is trimmed or changed.
    ///
    /// # Errors
    /// The first [`SecretError`] that applies.
    pub fn parse(typed: &str) -> Result<Self, SecretError> {
        SecretError::check(typed)?;
        Ok(Self(typed.to_owned()))
    }

    /// Returns the secret in clear, for a call.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SystemSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SystemSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BaseError, SecretError, SystemBase, SystemSecret};

    #[test]
    fn paths_are_appended_to_a_base_that_keeps_its_last_segment() {
        for (base, verify) in [
            ("https://shop.example", "https://shop.example/verify"),
            ("https://shop.example/", "https://shop.example/verify"),
            ("https://shop.example/api", "https://shop.example/api/verify"),
            (" https://shop.example/api/v2// ", "https://shop.example/api/v2/verify"),
            ("https://shop.example:8443/a%20b/index.php", "https://shop.example:8443/a%20b/index.php/verify"),
            ("http://127.0.0.1:4000/x", "http://127.0.0.1:4000/x/verify"),
        ] {
            let joined = SystemBase::parse(base).unwrap().join(&["verify"]).unwrap();
            assert_eq!(joined.as_str(), verify, "{base}");
        }
    }

    #[test]
    fn a_segment_is_one_segment_whatever_stands_in_it() {
        let base = SystemBase::parse("https://shop.example/api").unwrap();
        for (segment, encoded) in [
            ("A-1001", "A-1001"),
            ("a/b", "a%2Fb"),
            ("../admin", "..%2Fadmin"),
            ("a?b#c", "a%3Fb%23c"),
            ("50%", "50%25"),
            ("%2e%2e", "%252e%252e"),
            ("a b\tc\n", "a%20b%09c%0A"),
            ("a\\b;c", "a%5Cb%3Bc"),
            ("طلب", "%D8%B7%D9%84%D8%A8"),
            ("...", "..."),
        ] {
            let joined = base.join(&["orders", segment, "cancel"]).unwrap();
            assert_eq!(joined.as_str(), format!("https://shop.example/api/orders/{encoded}/cancel"));
        }
        for segment in ["", ".", ".."] {
            assert_eq!(base.join(&["orders", segment]), None, "{segment:?}");
        }
    }

    #[test]
    fn each_fault_of_a_base_has_its_name() {
        for (typed, fault) in [
            ("", BaseError::NotAUrl),
            ("shop.example", BaseError::NotAUrl),
            ("https://", BaseError::NotAUrl),
            ("ftp://shop.example", BaseError::Scheme),
            ("javascript:alert(1)", BaseError::Scheme),
            ("https://user@shop.example", BaseError::UserInfo),
            ("https://:pass@shop.example", BaseError::UserInfo),
            ("https://shop.example/?", BaseError::Query),
            ("https://shop.example/?key=1", BaseError::Query),
            ("https://shop.example/#x", BaseError::Fragment),
        ] {
            assert_eq!(SystemBase::parse(typed), Err(fault), "{typed}");
        }
        let long = format!("https://shop.example/{}", "x".repeat(2_000));
        assert_eq!(SystemBase::parse(&long), Err(BaseError::TooLong));
    }

    #[test]
    fn each_fault_of_a_secret_has_its_name() {
        for (typed, fault) in [
            ("", SecretError::Empty),
            ("abc\n", SecretError::LineBreak),
            ("a\r\nX-Evil: 1", SecretError::LineBreak),
            ("Bearer abc", SecretError::Space),
            ("abc\u{a0}", SecretError::Space),
            ("سر", SecretError::Characters),
            ("a\0", SecretError::Characters),
        ] {
            assert_eq!(SystemSecret::parse(typed), Err(fault), "{typed:?}");
        }
        assert_eq!(SystemSecret::parse(&"x".repeat(1_001)), Err(SecretError::TooLong));
        assert_eq!(SystemSecret::parse("sk_live~!=").unwrap().reveal(), "sk_live~!=");
    }

    #[test]
    fn neither_a_secret_nor_a_path_is_printed() {
        let shown = format!(
            "{:?} {:?}",
            SystemSecret::parse("hidden"),
            SystemBase::parse("https://shop.example/hidden")
        );
        assert!(!shown.contains("hidden") && shown.contains("shop.example"), "{shown}");
    }

    proptest! {
        #[test]
        fn no_segment_leaves_its_place(segment in "\\PC{1,20}|.{1,20}") {
            let base = SystemBase::parse("https://shop.example/api").unwrap();
            if let Some(url) = base.join(&["orders", &segment, "cancel"]) {
                prop_assert_eq!(url.path_segments().unwrap().count(), 4);
                prop_assert!(url.path().starts_with("/api/orders/") && url.path().ends_with("/cancel"));
                prop_assert!(url.query().is_none() && url.fragment().is_none());
            }
        }
    }
}
