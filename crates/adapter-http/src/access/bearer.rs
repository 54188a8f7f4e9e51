//! Header that carries a key.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};

/// Returns the token of the one `Authorization: Bearer` header; `None` for any other form.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION);
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{AUTHORIZATION, HeaderMap, HeaderValue};

    use super::bearer;

    #[test]
    fn only_one_bearer_token_counts() {
        for (values, wanted) in [
            (vec!["Bearer msk_1"], Some("msk_1")),
            (vec!["bEaReR  msk_1"], Some("msk_1")),
            (vec![], None),
            (vec![""], None),
            (vec!["Bearer"], None),
            (vec!["Bearer "], None),
            (vec!["Basic msk_1"], None),
            (vec!["msk_1"], None),
            (vec!["Bearer msk_1", "Bearer msk_2"], None),
            (vec!["Bearer \u{00e9}"], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in &values {
                headers.append(AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            assert_eq!(bearer(&headers), wanted, "{values:?}");
        }
    }
}
