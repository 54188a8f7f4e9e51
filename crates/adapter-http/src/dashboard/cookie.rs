//! The cookie that carries a session.

use actix_web::{
    HttpResponse,
    http::header::{COOKIE, HeaderMap, SET_COOKIE},
};
use domain::access::sessions::{LONGEST, SessionToken};

/// Browsers take a cookie of this prefix only from this host, over TLS, for every path.
const NAME: &str = "__Host-session";

const ATTRIBUTES: &str = "Path=/; HttpOnly; Secure; SameSite=Lax";

/// The language that a browser has chosen.
pub(crate) const LANGUAGE: &str = "__Host-language";

/// A year, in seconds.
const YEAR: u64 = 31_536_000;

/// What the browser presents; `None` where it has no such cookie, or several.
pub(crate) fn presented(headers: &HeaderMap) -> Option<&str> {
    of_name(headers, NAME)
}

/// The only cookie of this name.
pub(crate) fn of_name<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(COOKIE).filter_map(|value| value.to_str().ok());
    let mut ours = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == wanted).then_some(value)
    });
    match (ours.next(), ours.next()) {
        (Some(value), None) => Some(value),
        _ => None,
    }
}

/// Has the browser keep the session.
pub(crate) fn keep(answer: &mut HttpResponse, token: &SessionToken) {
    set(answer, &format!("{NAME}={}; Max-Age={}; {ATTRIBUTES}", token.reveal(), LONGEST.as_secs()));
}

/// Has the browser forget it.
pub(crate) fn forget(answer: &mut HttpResponse) {
    set(answer, &format!("{NAME}=; Max-Age=0; {ATTRIBUTES}"));
}

/// Has the browser keep its language, in one of our codes.
pub(crate) fn keep_language(answer: &mut HttpResponse, code: &'static str) {
    set(answer, &format!("{LANGUAGE}={code}; Max-Age={YEAR}; {ATTRIBUTES}"));
}

fn set(answer: &mut HttpResponse, cookie: &str) {
    // A token is hexadecimal digits, a code is letters: nothing in it is no header.
    if let Ok(value) = cookie.parse() {
        answer.headers_mut().append(SET_COOKIE, value);
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{COOKIE, HeaderMap};

    use super::presented;

    #[test]
    fn only_one_cookie_of_that_name_counts() {
        for (values, wanted) in [
            (vec!["__Host-session=ab"], Some("ab")),
            (vec!["a=b; __Host-session=ab;c=d"], Some("ab")),
            (vec!["a=b", "__Host-session=ab"], Some("ab")),
            (vec![], None),
            (vec!["session=ab"], None),
            (vec!["__Host-session"], None),
            (vec!["__Host-session=ab; __Host-session=cd"], None),
            (vec!["__Host-session=ab", "__Host-session=ab"], None),
        ] {
            let mut headers = HeaderMap::new();
            for value in &values {
                headers.append(COOKIE, value.parse().unwrap());
            }
            assert_eq!(presented(&headers), wanted, "{values:?}");
        }
    }
}
