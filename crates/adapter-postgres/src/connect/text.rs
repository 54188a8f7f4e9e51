//! The address as text, and those parameters of it that the library does not know.

use std::path::PathBuf;

use data_encoding::HEXLOWER_PERMISSIVE;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// Trusted, and issued for the host.
    Whole,
    /// Trusted, whatever host it is for.
    WhateverName,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) judged: Judged,
    /// File of authorities to trust instead of all others.
    pub(super) authorities: Option<PathBuf>,
    /// The address without these parameters, with a mode that the library knows.
    pub(super) rest: String,
}

/// Reads `sslmode` and `sslrootcert` in either form: `postgres://…?name=value&…` and
/// `name=value name='value'`.
pub(super) fn read(address: &str) -> Said {
    let mut said = Said { judged: Judged::Whole, authorities: None, rest: String::new() };
    let is_url = address.starts_with("postgres://") || address.starts_with("postgresql://");
    if !is_url {
        let kept = pairs(address).into_iter().filter_map(|pair| said.take(pair, plain));
        said.rest = kept.collect::<Vec<_>>().join(" ");
        return said;
    }
    let Some((before, query)) = address.split_once('?') else {
        return Said { rest: address.to_owned(), ..said };
    };
    let kept = query.split('&').filter_map(|pair| said.take(pair, decoded)).collect::<Vec<_>>().join("&");
    said.rest = if kept.is_empty() { before.to_owned() } else { format!("{before}?{kept}") };
    said
}

impl Said {
    fn take(&mut self, pair: &str, read: fn(&str) -> String) -> Option<String> {
        let Some((name, value)) = pair.split_once('=') else { return Some(pair.to_owned()) };
        match (name.trim(), read(value.trim()).as_str()) {
            // Stricter than libpq, which does not verify the certificate in this mode.
            ("sslmode", "verify-full") => Some("sslmode=require".to_owned()),
            ("sslmode", "verify-ca") => {
                self.judged = Judged::WhateverName;
                Some("sslmode=require".to_owned())
            }
            ("sslrootcert", "system") => None,
            ("sslrootcert", file) => {
                self.authorities = Some(file.into());
                None
            }
            _ => Some(pair.to_owned()),
        }
    }
}

/// Splits an address that is not a URL into pairs. Blanks in quotes, and those around `=`, do not separate.
fn pairs(address: &str) -> Vec<&str> {
    let (mut pairs, mut from, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in address.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                pairs.extend(address.get(from..at));
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    pairs.extend(address.get(from..));
    pairs.retain(|pair| !pair.is_empty());
    pairs
}

fn plain(value: &str) -> String {
    let value = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).unwrap_or(value);
    let (mut plain, mut escaped) = (String::new(), false);
    for c in value.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            plain.push(c);
            escaped = false;
        }
    }
    plain
}

fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut left = value;
    while let Some((before, after)) = left.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after
            .get(..2)
            .and_then(|digits| HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok())
            .and_then(|byte| byte.first().copied());
        bytes.push(byte.unwrap_or(b'%'));
        left = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes.extend_from_slice(left.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Judged, Said, read};

    fn said(judged: Judged, authorities: Option<&str>, rest: &str) -> Said {
        Said { judged, authorities: authorities.map(Into::into), rest: rest.to_owned() }
    }

    #[test]
    fn what_is_said_of_certificates_is_read_in_either_form_and_the_rest_is_kept() {
        use Judged::{WhateverName, Whole};
        for (address, wanted) in [
            ("postgres://me:a%3Fb@db/x", said(Whole, None, "postgres://me:a%3Fb@db/x")),
            ("postgres://db/x?sslmode=verify-full", said(Whole, None, "postgres://db/x?sslmode=require")),
            (
                "postgresql://db/x?a=b&sslmode=verify-ca&sslrootcert=%2Fetc%2Fown%20ca.pem&c=d",
                said(WhateverName, Some("/etc/own ca.pem"), "postgresql://db/x?a=b&sslmode=require&c=d"),
            ),
            ("postgres://db/x?sslrootcert=/ca.pem", said(Whole, Some("/ca.pem"), "postgres://db/x")),
            ("postgres://db/x?sslrootcert=system", said(Whole, None, "postgres://db/x")),
            (
                "host=db sslmode=verify-ca sslrootcert='/etc/own ca.pem' password='a b=c'",
                said(WhateverName, Some("/etc/own ca.pem"), "host=db sslmode=require password='a b=c'"),
            ),
            ("host=db  sslmode='verify-full'", said(Whole, None, "host=db sslmode=require")),
            ("host=db sslmode=prefer", said(Whole, None, "host=db sslmode=prefer")),
        ] {
            assert_eq!(read(address), wanted, "{address}");
        }
    }
}
