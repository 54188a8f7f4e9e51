use proptest::prelude::*;
use time::{OffsetDateTime, macros::datetime};

use super::OpeningHours;
use crate::zone::Zone;

fn hours(json: &str) -> OpeningHours {
    serde_json::from_str(json).unwrap()
}

#[test]
fn a_shop_is_open_by_its_own_clock() {
    let shop = hours(
        r#"{"zone":"Asia/Baghdad","week":{"saturday":[["09:00","13:00"],["16:00","24:00"]],"sunday":[["20:00","02:30"]]}}"#,
    );
    // 21 November 2026 is a Saturday; Baghdad is three hours ahead.
    for (at, open) in [
        (datetime!(2026-11-21 05:59 UTC), false),
        (datetime!(2026-11-21 06:00 UTC), true),
        (datetime!(2026-11-21 09:59:59 UTC), true),
        (datetime!(2026-11-21 10:00 UTC), false),
        (datetime!(2026-11-21 20:59 UTC), true),
        (datetime!(2026-11-21 21:00 UTC), false),
        (datetime!(2026-11-22 16:59 UTC), false),
        (datetime!(2026-11-22 17:00 UTC), true),
        (datetime!(2026-11-22 23:29 UTC), true),
        (datetime!(2026-11-22 23:30 UTC), false),
        (datetime!(2026-11-20 23:00 UTC), false),
    ] {
        assert_eq!(shop.are_open(at), open, "{at}");
    }
}

#[test]
fn summer_time_is_kept_where_there_is_one() {
    let office = hours(r#"{"zone":"Europe/Berlin","week":{"monday":[["09:00","17:00"]]}}"#);
    let open = |at: OffsetDateTime| office.are_open(at);
    assert!(open(datetime!(2026-07-06 07:00 UTC)) && !open(datetime!(2026-07-06 15:00 UTC)));
    assert!(!open(datetime!(2026-01-05 07:59 UTC)) && open(datetime!(2026-01-05 15:59 UTC)));
}

#[test]
fn an_offset_is_a_zone_and_what_is_neither_is_refused() {
    let fixed = hours(r#"{"zone":"-03:30","week":{"friday":[["00:00","01:00"]]}}"#);
    assert!(fixed.are_open(datetime!(2026-11-20 03:30 UTC)));
    assert!(!fixed.are_open(datetime!(2026-11-20 03:29 UTC)));
    for name in ["UTC", "Asia/Baghdad", "+00:00", "+14:00"] {
        assert!(Zone::read(name).is_ok(), "{name}");
    }
    for name in ["", "+3", "+03", "03:00", "+03:60", "+3:00", "+99:00", "Asia/Nowhere", "🕰"] {
        assert!(Zone::read(name).is_err(), "{name}");
    }
}

#[test]
fn what_is_no_time_of_day_is_refused_and_what_is_reads_back() {
    for span in [r#"["9:00","17:00"]"#, r#"["09:00","24:01"]"#, r#"["09:00","09:00"]"#, r#"["09:00"]"#] {
        let json = format!(r#"{{"zone":"UTC","week":{{"monday":[{span}]}}}}"#);
        assert!(serde_json::from_str::<OpeningHours>(&json).is_err(), "{span}");
    }
    let shop = hours(r#"{"zone":"UTC","week":{"monday":[["00:00","24:00"]]}}"#);
    assert_eq!(hours(&serde_json::to_string(&shop).unwrap()), shop);
}

#[test]
fn all_opening_hours_of_the_corpus_are_read_or_refused() {
    for text in include_str!("../../../../../tests/corpora/opening-hours.jsonl").lines() {
        if let Ok(read) = serde_json::from_str::<OpeningHours>(text) {
            assert_eq!(hours(&serde_json::to_string(&read).unwrap()), read, "{text}");
            let _ = read.check();
            read.are_open(datetime!(2026-11-21 10:00 UTC));
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_reading_hours_panic(
        zone in "[+-]?[0-9]{0,3}:?[0-9]{0,3}|[A-Za-z/_]{0,20}|.{0,20}",
        from in "[0-9]{0,3}:[0-9]{0,3}|.{0,8}", to in "[0-9]{0,3}:[0-9]{0,3}|.{0,8}",
        at in -377_705_116_800_i64..=253_402_300_799,
    ) {
        let text = serde_json::json!({ "zone": zone, "week": { "monday": [[from, to]] } }).to_string();
        if let Ok(read) = serde_json::from_str::<OpeningHours>(&text) {
            prop_assert_eq!(&hours(&serde_json::to_string(&read).unwrap()), &read);
            if let Ok(at) = OffsetDateTime::from_unix_timestamp(at) {
                read.are_open(at);
            }
        }
        let _ = serde_json::from_str::<OpeningHours>(&zone);
    }
}

#[test]
fn quiet_hours_end_where_their_clock_says_so() {
    use super::QuietHours;
    use crate::zone::Zone;
    let quiet = |zone: &str, from: &str, to: &str| -> QuietHours {
        serde_json::from_value(serde_json::json!({ "zone": zone, "hours": [from, to] })).unwrap()
    };
    let at =
        |text: &str| OffsetDateTime::parse(text, &time::format_description::well_known::Rfc3339).unwrap();
    for (hours, now, until) in [
        (quiet("Asia/Baghdad", "21:00", "09:00"), "2026-11-25T17:59:59Z", None),
        (quiet("Asia/Baghdad", "21:00", "09:00"), "2026-11-25T18:00:00Z", Some("2026-11-26T06:00:00Z")),
        (quiet("Asia/Baghdad", "21:00", "09:00"), "2026-11-25T23:30:00Z", Some("2026-11-26T06:00:00Z")),
        (quiet("Asia/Baghdad", "21:00", "09:00"), "2026-11-26T06:00:00Z", None),
        (quiet("UTC", "13:00", "14:30"), "2026-11-25T13:10:00Z", Some("2026-11-25T14:30:00Z")),
        (quiet("UTC", "22:00", "24:00"), "2026-11-25T23:10:00Z", Some("2026-11-26T00:00:00Z")),
        // The clocks go back in this night.
        (quiet("Europe/Berlin", "22:00", "08:00"), "2026-10-24T21:00:00Z", Some("2026-10-25T07:00:00Z")),
        // The clock shows the end twice: quiet hours last until the second.
        (quiet("Europe/Berlin", "22:00", "02:30"), "2026-10-24T23:50:00Z", Some("2026-10-25T01:30:00Z")),
        (quiet("Europe/Berlin", "22:00", "02:30"), "2026-10-25T00:10:00Z", Some("2026-10-25T01:30:00Z")),
        (quiet("Europe/Berlin", "22:00", "02:30"), "2026-10-25T01:10:00Z", Some("2026-10-25T01:30:00Z")),
        (quiet("Europe/Berlin", "22:00", "02:30"), "2026-10-25T01:30:00Z", None),
        // The clock skips the end.
        (quiet("Europe/Berlin", "22:00", "02:30"), "2026-03-29T00:50:00Z", Some("2026-03-29T01:30:00Z")),
        (quiet("Europe/Berlin", "22:00", "02:30"), "2026-03-29T01:00:00Z", None),
    ] {
        assert_eq!(hours.until(at(now)), until.map(at), "{now}");
    }
    let baghdad = Zone::read("Asia/Baghdad").unwrap();
    assert_eq!(baghdad.moment("2026-11-27T10:00"), Some(at("2026-11-27T07:00:00Z")));
    assert_eq!(baghdad.moment("2026-11-27 10:00"), Some(at("2026-11-27T07:00:00Z")));
    assert_eq!(baghdad.moment("tomorrow"), None);
    assert_eq!(baghdad.name(), "Asia/Baghdad");
}

#[test]
fn a_moment_that_names_its_offset_is_not_read_by_the_clock_of_a_zone() {
    let at =
        |text: &str| OffsetDateTime::parse(text, &time::format_description::well_known::Rfc3339).unwrap();
    let baghdad = Zone::read("Asia/Baghdad").unwrap();
    for (written, wanted) in [
        ("2026-11-27", Some("2026-11-26T21:00:00Z")),
        ("2026-11-27T10:00", Some("2026-11-27T07:00:00Z")),
        (" 2026-11-27 10:00 ", Some("2026-11-27T07:00:00Z")),
        ("2026-11-27T10:00Z", Some("2026-11-27T10:00:00Z")),
        ("2026-11-27 10:00Z", Some("2026-11-27T10:00:00Z")),
        ("2026-11-27 10:00+01:00", Some("2026-11-27T09:00:00Z")),
        ("2026-11-27T10:00:00-05:00", Some("2026-11-27T15:00:00Z")),
        ("2026-11-27 10:00 +01:00", None),
        ("2026-11-27T10:00[Europe/Berlin]", None),
        // In UTC it is the year before the first that can be written.
        ("0000-01-01", None),
        ("tomorrow", None),
        ("", None),
    ] {
        assert_eq!(baghdad.read_moment(written), wanted.map(at), "{written}");
    }
    for written in ["2026-11-27T10:00+01:00", "2026-11-27 10:00Z", "2026-11-27T10:00-05[America/New_York]"] {
        assert_eq!(baghdad.moment(written), None, "{written}");
    }
}
