//! Parsing of `Retry-After`.

use std::time::Duration;

use time::OffsetDateTime;

/// Parses a `Retry-After`, counted from `now`: delta-seconds or an HTTP date in any of its three forms (RFC
/// 9110, sections 10.2.3 and 5.6.7). `None` for anything else; zero for a date gone by.
pub fn retry_after(value: &str, now: OffsetDateTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = OffsetDateTime::from(httpdate::parse_http_date(value).ok()?);
    Some((at - now).try_into().unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;

    use super::retry_after;

    #[test]
    fn seconds_and_dates_are_understood_and_nothing_else() {
        let now = datetime!(2026-11-21 10:00 UTC);
        let table = [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999999999999", Some(u64::MAX)),
            ("Sat, 21 Nov 2026 10:05:00 GMT", Some(300)),
            ("Sat, 21 Nov 2026 09:59:59 GMT", Some(0)),
            ("Saturday, 21-Nov-26 10:05:00 GMT", Some(300)),
            ("Sat Nov 21 10:05:00 2026", Some(300)),
            ("Sun Nov  1 10:05:00 2026", Some(0)),
            ("Sat, 21 Nov 2026 10:05:00 +0300", None),
            ("Sat, 31 Nov 2026 10:05:00 GMT", None),
            ("-5", None),
            ("+5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (value, seconds) in table {
            assert_eq!(retry_after(value, now), seconds.map(Duration::from_secs), "{value}");
        }
    }
}
