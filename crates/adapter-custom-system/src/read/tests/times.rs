//! Times, and what looks like one but cannot be passed on.

use serde_json::json;

use super::slots;
use crate::read::{order, read};

const TIMES: [&str; 6] = [
    "2026-11-21T10:00:00Z",
    "2026-11-21T10:00:00.5+03:00",
    "2026-11-21T10:00:00+0300",
    " 2026-11-21T10:00:00-23:59 ",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
];
const NO_TIMES: [&str; 8] = [
    "-000001-01-01T00:00:00Z",
    "0000-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "+010000-01-01T00:00:00Z",
    "2026-11-21T10:00:00+24:00",
    "2026-11-21T10:00:00+25:00",
    "2026-11-21T10:00:00",
    "2026-11-21",
];

/// Returns what is noted of an order that was placed then.
fn noted(placed_at: &str) -> (bool, Vec<String>) {
    let answer =
        json!({ "id": 5, "number": "A-5", "status": "shipped", "total": 2_500, "placedAt": placed_at });
    let (order, unusable) = read(answer.to_string().as_bytes(), order).unwrap();
    (order.placed_at.is_some(), unusable.iter().map(ToString::to_string).collect())
}

#[test]
fn a_time_is_one_that_every_reader_of_an_event_takes() {
    for written in TIMES {
        assert_eq!(noted(written), (true, Vec::new()), "{written}");
    }
    for written in NO_TIMES {
        assert_eq!(noted(written), (false, vec!["placedAt: not_allowed".to_owned()]), "{written}");
    }
}

#[test]
fn a_slot_at_no_time_is_not_offered() {
    for written in NO_TIMES {
        let slot = |from: &str| json!({ "id": 1, "startsAt": from, "endsAt": "2999-01-01T00:00:00Z", "service": "قص" });
        let answer = json!({ "slots": [slot(written), slot("2026-11-22T09:00:00+03:00")] });
        let (slots, _) = read(answer.to_string().as_bytes(), slots).unwrap();
        assert_eq!(slots.slots.len(), 1, "{written}");
    }
}
