//! Bodies that are JSON objects.

use actix_web::{
    HttpRequest,
    http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue},
    web::Payload,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    canonical,
    read::bytes,
    strict::{self, at},
};
use crate::problem::Problem;

/// Largest body under `/v1`, in bytes (docs/use/rest-api.md, "Limits").
const JSON_LIMIT: usize = 1024 * 1024;

/// A parsed body, with its canonical text.
pub(crate) struct JsonBody<T> {
    pub(crate) fields: T,
    /// The canonical text, equal for equal values.
    pub(crate) canonical: String,
}

/// Parses a JSON object, whatever its declared content type.
pub(crate) async fn json<T: DeserializeOwned>(
    request: &HttpRequest,
    payload: Payload,
) -> Result<JsonBody<T>, Problem> {
    let bytes = bytes(request, payload, JSON_LIMIT).await?;
    read_json(&bytes).map_err(|problem| not_json(request, &bytes).unwrap_or(problem))
}

/// Explains a body that is not JSON by its headers or first bytes; `None` if they do not show it.
fn not_json(request: &HttpRequest, bytes: &[u8]) -> Option<Problem> {
    let header = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let kind = header(CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
    let packed = header(CONTENT_ENCODING).is_some_and(|packed| !packed.eq_ignore_ascii_case("identity"));
    let trimmed = bytes.trim_ascii_start();
    let is_wide = bytes.get(1) == Some(&0);
    if trimmed.first().is_some_and(|first| b"{[\"".contains(first)) && !packed && !is_wide {
        return None;
    }
    let what = match bytes {
        _ if trimmed.is_empty() => "it is empty",
        [0xef, 0xbb, 0xbf, ..] => "it begins with a byte order mark (U+FEFF); leave that out",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..] => "it is UTF-16 or UTF-32; send UTF-8",
        _ if packed || bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => {
            "it is compressed; send it as it is, without a `Content-Encoding`"
        }
        _ if kind.starts_with("multipart/") || bytes.starts_with(b"--") => {
            "it is `multipart/form-data`; send one JSON object"
        }
        _ if kind.starts_with("application/x-www-form-urlencoded") || is_form(trimmed) => {
            "it is a form (`a=1&b=2`); send a JSON object, as `{\"a\": \"1\"}`"
        }
        [b'<', ..] => "it is XML or HTML; send a JSON object",
        [b'\'', ..] => "it is in single quotes, as a shell's may be; JSON begins with `{`",
        _ => return None,
    };
    Some(Problem::invalid(format!("the body is not valid JSON: {what}")))
}

/// Returns whether the body begins like a form that was sent under another type, as `curl -d` does.
fn is_form(bytes: &[u8]) -> bool {
    let name = bytes.iter().position(|byte| !byte.is_ascii_alphanumeric() && !b"_-.[]%".contains(byte));
    name.is_some_and(|end| end > 0 && bytes.get(end) == Some(&b'='))
}

/// Parses a JSON object.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<JsonBody<T>, Problem> {
    let mut value = strict::parse(bytes)?;
    if !value.is_object() {
        return Err(Problem::invalid("the body must be a JSON object"));
    }
    let canonical = canonical::text(&mut value);
    Ok(JsonBody { fields: fields(value)?, canonical })
}

fn fields<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| Problem::invalid(at(&error.path().to_string(), error.inner())))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::{not_json, read_json};
    use crate::problem::Problem;

    fn told(headers: &[(&str, &str)], bytes: &[u8]) -> String {
        let mut request = TestRequest::post();
        for header in headers {
            request = request.append_header(*header);
        }
        let refused: Problem = read_json::<serde_json::Value>(bytes).err().unwrap();
        not_json(&request.to_http_request(), bytes).unwrap_or(refused).message().to_owned()
    }

    #[test]
    fn what_is_no_json_is_told_what_it_is() {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let multipart = ("content-type", "multipart/form-data; boundary=x");
        let gzip = ("content-encoding", "gzip");
        for (headers, bytes, cause) in [
            (&[form][..], &b""[..], "it is empty"),
            (&[], b" \n", "it is empty"),
            (&[form], b"to=0770&template=a", "it is a form"),
            (&[], b"to=0770&template=a", "it is a form"),
            (&[], b"to%5B%5D=0770", "it is a form"),
            (&[multipart], b"--x\r\nContent-Disposition: form-data", "multipart/form-data"),
            (&[gzip], b"\x1f\x8b\x08\0", "it is compressed"),
            (&[], b"\x1f\x8b\x08\0", "it is compressed"),
            (&[("content-encoding", "br")], b"\x0b\x02\x80{}", "it is compressed"),
            (&[], b"\xef\xbb\xbf{}", "byte order mark"),
            (&[], b"\xff\xfe{\0}\0", "UTF-16"),
            (&[], b"\xfe\xff\0{\0}", "UTF-16"),
            (&[], b"{\0}\0", "UTF-16"),
            (&[], b"<html></html>", "XML or HTML"),
            (&[], b"'{}'", "single quotes"),
            // The parser's message names the cause.
            (&[form], b"{\"to\":1,}", "trailing comma"),
            (&[], b"{\"a\":1", "EOF"),
            (&[], b"nil", "expected"),
        ] {
            let told = told(headers, bytes);
            assert!(told.starts_with("the body is not valid JSON: ") && told.contains(cause), "{told}");
            assert!(!told.contains('?'), "{told}");
        }
    }

    #[test]
    fn a_path_is_told_without_what_is_not_known_of_it_and_not_to_its_end() {
        let told = |body: &str| told(&[], body.as_bytes());
        assert!(
            told("{\"a\":[1,]}").contains("`a[1]`: trailing comma")
                || told("{\"a\":[1,]}").contains("`a`: trailing comma")
        );
        let deep = told(&format!("{{\"phone\":{}", "[".repeat(500)));
        assert!(
            deep.contains("`phone[0][0]") && deep.contains("…`: recursion limit") && deep.len() < 200,
            "{deep}"
        );
    }
}
