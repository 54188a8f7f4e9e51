//! How long an answer asks us to wait.

use std::time::Duration;

use time::{OffsetDateTime, PrimitiveDateTime, format_description::BorrowedFormatItem};

/// What a `Retry-After` asks for, counted from `now`: delta-seconds or an HTTP date (RFC 9110, section 10.2.3),
/// of which only the form that senders must use is read. `None` for anything else; a date gone by asks for
/// nothing.
pub fn retry_after(value: &str, now: OffsetDateTime) -> Option<Duration> {
    const IMF_FIXDATE: &[BorrowedFormatItem<'_>] = time::macros::format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = PrimitiveDateTime::parse(value, IMF_FIXDATE).ok()?.assume_utc();
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
