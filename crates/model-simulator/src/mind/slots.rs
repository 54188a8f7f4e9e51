//! Appointments.

use serde_json::{Value, json};
use time::format_description::{BorrowedFormatItem, well_known::Rfc3339};
use time::macros::format_description;
use time::{Duration, OffsetDateTime};

use super::acts::ask;
use super::details::recipient;
use super::fold::{same, tokens};
use super::lead::noted;
use super::results::{failed, text};
use super::tools::{call, hand_over, refused};
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Span of time that slots are requested for.
const AHEAD: Duration = Duration::days(7);
/// Most times mentioned in an answer.
const MOST_TOLD: usize = 4;

/// Text before the current time in the instructions.
const NOW: &str = "t is now";
/// What ends it.
const OFFSET: &str = "UTC+00:00";
/// Format of that time.
const WRITTEN: &[BorrowedFormatItem<'_>] = format_description!(
    "[weekday], [year]-[month]-[day], [hour]:[minute], UTC[offset_hour sign:mandatory]:[offset_minute]"
);

/// Parses the current time from the instructions: like a model, the stand-in has no clock.
fn told_now(instructions: &str) -> Option<OffsetDateTime> {
    let (_, behind) = instructions.split_once(NOW)?;
    let told = behind.trim_start_matches([':', ' ']);
    let end = told.find("UTC")? + OFFSET.len();
    OffsetDateTime::parse(told.get(..end)?, WRITTEN).ok()
}

/// Lists free times, and books the one that is named; the service asks the customer to confirm it.
pub(super) fn answer(seen: &Seen, words: Words) -> Answer {
    if let Some(refusal) = seen.result("bookAppointment") {
        return refused(seen, words, refusal);
    }
    if !seen.offers("listAppointmentSlots") {
        return wish(seen, words);
    }
    let moment = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
    // Without the date nobody can ask for tomorrow.
    let Some(now) = told_now(&seen.instructions) else { return hand_over(seen, words) };
    let Some(result) = seen.result("listAppointmentSlots") else {
        let span = json!({ "from": moment(now), "to": moment(now + AHEAD) });
        return call(seen, words, "listAppointmentSlots", &span);
    };
    let slots: Vec<_> = result.get("slots").and_then(Value::as_array).into_iter().flatten().collect();
    let slots = of_service(slots, seen);
    let range = text(result, "range");
    if !range.is_empty() {
        let none = json!({ "act": "no_slots", "range": range });
        return Answer::said(vec![none, ask("day")], words.no_times());
    }
    if failed(result) || slots.is_empty() {
        return hand_over(seen, words);
    }
    let asked = tokens(&seen.burst.join(" "));
    let Some(slot) = slots.iter().find(|slot| is_named(slot, &asked)) else {
        return told(&slots, words);
    };
    let messages = seen.earlier.iter().chain(&seen.burst).map(|text| (text.as_str(), false));
    let mut booking = json!({ "startsAt": text(slot, "startsAt"), "service": text(slot, "service") });
    if let (Some(name), Value::Object(fields)) = (recipient(messages).name, &mut booking) {
        fields.insert("name".to_owned(), name.into());
    }
    call(seen, words, "bookAppointment", &booking)
}

/// Tells the first times, and asks for one.
fn told(slots: &[&Value], words: Words) -> Answer {
    let mut told = slots.to_vec();
    // Two services may be free at the same time.
    told.dedup_by_key(|slot| text(slot, "startsAt"));
    told.truncate(MOST_TOLD);
    let times: Vec<_> = told.iter().filter_map(|slot| at(slot)).map(|at| words.moment(at)).collect();
    let ids: Vec<_> = told.iter().map(|slot| text(slot, "id")).collect();
    let slots = json!({ "act": "slots", "slots": ids });
    Answer::said(vec![slots, ask("time")], words.slots(&times))
}

/// Filters the slots by the service that the customer named; without one, returns all.
fn of_service<'a>(slots: Vec<&'a Value>, seen: &Seen) -> Vec<&'a Value> {
    let said = tokens(&seen.earlier.iter().chain(&seen.burst).cloned().collect::<Vec<_>>().join(" "));
    let is_named = |slot: &&&Value| {
        let service = tokens(text(slot, "service"));
        !service.is_empty() && service.iter().all(|word| said.iter().any(|it| same(it, word)))
    };
    let named: Vec<_> = slots.iter().filter(is_named).copied().collect();
    if named.is_empty() { slots } else { named }
}

/// Records a wish for an appointment, if there is no calendar.
fn wish(seen: &Seen, words: Words) -> Answer {
    match seen.result("requestBooking") {
        Some(result) if failed(result) => hand_over(seen, words),
        Some(_) => noted(seen, words),
        None => {
            let service: String = seen.burst.join(" ").chars().take(200).collect();
            call(seen, words, "requestBooking", &json!({ "service": service }))
        }
    }
}

fn at(slot: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text(slot, "startsAt"), &Rfc3339).ok()
}

/// Returns whether the words name the slot: by its hour, and by its day if a date was said.
fn is_named(slot: &Value, words: &[String]) -> bool {
    let Some(at) = at(slot) else { return false };
    let numbers: Vec<u8> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let hour = |hour: u8| hour == at.hour() || hour == at.hour() % 12;
    match *numbers.as_slice() {
        [day, month, named] | [day, month, named, _] => {
            (day, month) == (at.day(), u8::from(at.month())) && hour(named)
        }
        [named] => hour(named),
        [named, minute] => hour(named) && minute == at.minute(),
        _ => false,
    }
}
