//! Moments as callers write them.

use time::{
    Date, OffsetDateTime, PrimitiveDateTime, UtcOffset,
    format_description::well_known::{Iso8601, Rfc3339},
};

/// Parses a date, for its first instant in UTC, or a date with a time, in UTC unless it names an offset. The
/// result is in UTC; `None` for anything else, and before the year 0.
pub fn read_since(text: &str) -> Option<OffsetDateTime> {
    let at = if text.contains(['T', 't', ':']) {
        OffsetDateTime::parse(text, &Rfc3339)
            .or_else(|_| OffsetDateTime::parse(text, &Iso8601::PARSING))
            .or_else(|_| PrimitiveDateTime::parse(text, &Iso8601::PARSING).map(PrimitiveDateTime::assume_utc))
    } else {
        Date::parse(text, &Iso8601::PARSING).map(|date| date.midnight().assume_utc())
    };
    let at = at.ok().filter(|at| at.offset().whole_hours().abs() < 24)?;
    at.checked_to_offset(UtcOffset::UTC).filter(|at| at.year() >= 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::{OffsetDateTime, format_description::well_known::Rfc3339, macros::datetime};

    use super::read_since;

    #[test]
    fn dates_and_times_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("2026-11-21", datetime!(2026-11-21 00:00 UTC)),
            ("20261121", datetime!(2026-11-21 00:00 UTC)),
            ("2026-11-21T10:00:00Z", datetime!(2026-11-21 10:00 UTC)),
            ("2026-11-21t10:00:00z", datetime!(2026-11-21 10:00 UTC)),
            ("2026-11-21T10:00:00.123Z", datetime!(2026-11-21 10:00:00.123 UTC)),
            ("2026-11-21T13:00:00+03:00", datetime!(2026-11-21 10:00 UTC)),
            ("2026-11-21T13:00+03", datetime!(2026-11-21 10:00 UTC)),
            ("20261121T100000Z", datetime!(2026-11-21 10:00 UTC)),
            ("2026-11-21T10:00", datetime!(2026-11-21 10:00 UTC)),
            ("2026-11-21T10:00:00,5", datetime!(2026-11-21 10:00:00.5 UTC)),
            ("0000-01-01", datetime!(0000-01-01 00:00 UTC)),
            ("9999-12-31T23:59:59.999999Z", datetime!(9999-12-31 23:59:59.999999 UTC)),
        ] {
            let read = read_since(text);
            assert_eq!(read, Some(wanted), "{text}");
            assert!(read.is_some_and(|at| at.offset().is_utc()), "{text}");
        }
    }

    #[test]
    fn what_names_no_moment_is_refused() {
        for text in [
            "",
            " ",
            "yesterday",
            "1700000000000",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-29",
            "21-11-2026",
            "2026/11/21",
            " 2026-11-21",
            "2026-11-21 ",
            "2026-11-21T",
            "2026-11-21T25:00:00Z",
            "2026-11-21T10:00:00+25:00",
            "2026-11-21T10:00:00 03:00",
            "2026-11-21T23:59:60",
            "2026-11-21Z",
            "T10:00:00Z",
            "10:00",
            "-0001-01-01",
            "-002026-11-21",
            "9999-12-31T23:59:59-01:00",
            "٢٠٢٦-١١-٢١",
            "2026-11-21T10:00:00Z\0",
        ] {
            assert_eq!(read_since(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_reading_panic(text in "[-+0-9TtZzW:., ]{0,40}|.{0,40}") {
            read_since(&text);
        }

        #[test]
        fn what_the_api_writes_reads_back(seconds in 0_i64..253_402_300_800, micros in 0_i64..1_000_000) {
            let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap() + time::Duration::microseconds(micros);
            prop_assert_eq!(read_since(&at.format(&Rfc3339).unwrap()), Some(at));
        }
    }
}
