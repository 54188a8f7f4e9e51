//! Posted forms with a file: `multipart/form-data` (RFC 7578).

use std::borrow::Cow;

use actix_web::{HttpRequest, http::header::CONTENT_TYPE, web::Payload};
use url::form_urlencoded;

use super::form::Sent;
use crate::{body, problem::Problem};

/// Room for the fields beside a file, in bytes.
const FIELDS: usize = 16 * 1024;
/// Most parts of a form.
const MOST_PARTS: usize = 32;

/// A posted form, part by part.
pub(super) struct Upload {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
struct Part {
    name: String,
    /// Name of the file; `None` for a field.
    file: Option<String>,
    bytes: Vec<u8>,
}

impl Upload {
    /// Reads a form whose file and texts have at most `limit` bytes together.
    pub(super) async fn of(request: &HttpRequest, payload: Payload, limit: usize) -> Result<Self, Problem> {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let boundary = boundary(kind).map(str::to_owned);
        let bytes = body::bytes(request, payload, limit + FIELDS).await?;
        let parts = match boundary {
            Some(boundary) => parts(&bytes, &boundary),
            None => Some(fields(&bytes)),
        };
        let upload = parts.map(|parts| Self { parts });
        let upload = upload.ok_or_else(|| Problem::invalid("the form cannot be read"))?;
        let names = upload.parts.iter().map(|part| part.name.clone()).collect();
        Sent::mark(request, names, |name| upload.text(name).ok().filter(|text| !text.is_empty()));
        Ok(upload)
    }

    /// Returns a field's text; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> Result<String, Problem> {
        let part = self.parts.iter().find(|part| part.name == name && part.file.is_none());
        let text = part.map_or(Ok(String::new()), |part| String::from_utf8(part.bytes.clone()));
        text.map_err(|_| Problem::invalid(format!("`{name}` is no text")))
    }

    /// Returns name and content of the file that was chosen; `None` if none was.
    pub(super) fn file(&self, name: &str) -> Option<(&str, &[u8])> {
        let part = self.parts.iter().find(|part| part.name == name)?;
        let file = part.file.as_deref()?;
        (!file.is_empty() || !part.bytes.is_empty()).then_some((file, &part.bytes))
    }
}

fn boundary(kind: &str) -> Option<&str> {
    let (form, parameters) = kind.split_once(';')?;
    if !form.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let mut parameters = parameters.split(';').filter_map(|parameter| parameter.split_once('='));
    let (_, boundary) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))?;
    let boundary = boundary.trim().trim_matches('"');
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Reads a form without a file, as browsers send those that have none.
fn fields(body: &[u8]) -> Vec<Part> {
    let part = |(name, value): (Cow<'_, str>, Cow<'_, str>)| Part {
        name: name.into_owned(),
        file: None,
        bytes: value.into_owned().into_bytes(),
    };
    form_urlencoded::parse(body).take(MOST_PARTS).map(part).collect()
}

/// Splits a body into its parts; `None` if it is none.
fn parts(body: &[u8], boundary: &str) -> Option<Vec<Part>> {
    let between = format!("\r\n--{boundary}");
    let mut rest = body.strip_prefix(between.as_bytes().get(2..)?)?;
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        let (headers, content) = split(rest.strip_prefix(b"\r\n")?, b"\r\n\r\n")?;
        let (content, behind) = split(content, between.as_bytes())?;
        let headers = std::str::from_utf8(headers).ok()?;
        let disposition = headers.lines().find(|line| {
            line.split_once(':').is_some_and(|(name, _)| name.eq_ignore_ascii_case("content-disposition"))
        })?;
        let name = parameter(disposition, "name")?;
        parts.push(Part { name, file: parameter(disposition, "filename"), bytes: content.to_vec() });
        if parts.len() > MOST_PARTS {
            return None;
        }
        rest = behind;
    }
    Some(parts)
}

fn split<'a>(bytes: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let place = bytes.windows(at.len()).position(|window| window == at)?;
    let (before, rest) = bytes.split_at_checked(place)?;
    Some((before, rest.get(at.len()..)?))
}

/// Returns a quoted parameter of a header, in which browsers write a quotation mark as `%22`.
fn parameter(header: &str, name: &str) -> Option<String> {
    let (_, value) = header.split_once(&format!("; {name}=\""))?;
    let (value, _) = value.split_once('"')?;
    Some(value.replace("%22", "\""))
}

#[cfg(test)]
mod tests {
    use super::{Part, boundary, parts};

    #[test]
    fn a_form_with_a_file_is_read_part_by_part() {
        let body = "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nسياسة\r\n--x\r\n\
            content-disposition: form-data; name=\"file\"; filename=\"a %22b%22.md\"\r\nContent-Type: text/plain\r\n\r\n\
            # A\r\n--y\r\n\r\n--x--\r\n";
        let part = |name: &str, file: Option<&str>, text: &str| Part {
            name: name.to_owned(),
            file: file.map(str::to_owned),
            bytes: text.as_bytes().to_vec(),
        };
        assert_eq!(
            parts(body.as_bytes(), "x"),
            Some(vec![part("title", None, "سياسة"), part("file", Some("a \"b\".md"), "# A\r\n--y\r\n")])
        );
        for end in 0..body.len() - 4 {
            assert_eq!(parts(&body.as_bytes()[..end], "x"), None, "{end}");
        }
        assert_eq!(parts(b"--x--\r\n", "x"), Some(vec![]));
        assert_eq!(parts(b"title=a", "x"), None);
    }

    #[test]
    fn the_boundary_is_in_the_content_type() {
        for (kind, wanted) in [
            ("multipart/form-data; boundary=----WebKit1", Some("----WebKit1")),
            ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", Some("a b")),
            ("multipart/form-data; boundary=", None),
            ("multipart/mixed; boundary=a", None),
            ("application/x-www-form-urlencoded", None),
        ] {
            assert_eq!(boundary(kind), wanted, "{kind}");
        }
    }
}
