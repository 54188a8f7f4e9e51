//! The header `Idempotency-Key`.

use actix_web::http::header::HeaderMap;
use domain::sending::MAX_KEY_CHARS;
use utoipa::IntoParams;

use crate::problem::Problem;

/// How the header is described.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it is read by hand, to tell what is wrong with it")]
pub(crate) struct IdempotencyKeyHeader {
    /// Any text of up to 200 characters, such as your own id for this message. A repeat of the same request
    /// with the same key within 24 hours answers as the first did and sends nothing. After a refusal the same
    /// key sends.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 200, required = false)]
    idempotency_key: String,
}

/// Reads the key; `None` if the header is absent.
pub(crate) fn read(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all("idempotency-key");
    let Some(value) = values.next() else { return Ok(None) };
    let refuse = |rule: &str| Err(Problem::invalid(format!("`Idempotency-Key` {rule}")));
    if values.next().is_some() {
        return refuse("comes more than once");
    }
    let Ok(key) = str::from_utf8(value.as_bytes()) else { return refuse("must be UTF-8 text") };
    match key.chars().count() {
        0 => refuse("must not be empty"),
        length if length > MAX_KEY_CHARS => refuse(&format!("has at most {MAX_KEY_CHARS} characters")),
        _ => Ok(Some(key.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

    use super::read;

    fn of(values: &[&[u8]]) -> Result<Option<String>, String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers
                .append(HeaderName::from_static("idempotency-key"), HeaderValue::from_bytes(value).unwrap());
        }
        read(&headers).map_err(|problem| problem.message().to_owned())
    }

    #[test]
    fn a_key_is_any_text_of_up_to_200_characters() {
        let (longest, longest_arabic) = ("k".repeat(200), "م".repeat(200));
        assert_eq!(of(&[]), Ok(None));
        for key in ["k", longest.as_str(), longest_arabic.as_str(), "a b\tc"] {
            assert_eq!(of(&[key.as_bytes()]), Ok(Some(key.to_owned())));
        }
    }

    #[test]
    fn what_is_no_such_text_is_refused_by_the_name_of_the_header() {
        let too_long = "k".repeat(201);
        for values in [vec![&b""[..]], vec![too_long.as_bytes()], vec![b"\xff"], vec![b"a", b"b"]] {
            assert!(of(&values).unwrap_err().contains("Idempotency-Key"), "{values:?}");
        }
    }
}
