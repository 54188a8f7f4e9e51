//! Slots and, where writing is allowed, a booking. The contract has no cancellation: what was booked is named
//! in a note.

use serde_json::{Value, json};
use time::{Date, Duration, OffsetDateTime};

use super::{NOTHING, Run, rfc3339};
use crate::caller::{Answer, Ask};
use crate::checks;
use crate::judge::{appointment, id_text};

/// Days for which slots are asked, from today on.
const AHEAD: i64 = 14;

impl Run<'_> {
    pub(super) async fn appointments(self) {
        let (from, to) = self.range();
        let ask = Ask::get(&["appointments", "slots"])
            .query("from", from.date().to_string())
            .query("to", to.date().to_string());
        let Some(slots) = self.slots(&ask).await else { return };
        self.datetimes(from, to).await;
        if self.options.writes.is_none() {
            let mut log = self.caller.log();
            let reason = "only writing shows it (--allow-writes --variant)";
            let written =
                checks::all().filter(|check| check.area() == "appointment" || check.id == "slots.taken");
            written.for_each(|check| log.skip(check.id, reason));
            return;
        }
        self.unknown_slot().await;
        // The latest ones disturb least.
        let mut free = slots.iter().rev().filter(|slot| slot.get("id").and_then(id_text).is_some());
        let (Some(slot), another) = (free.next(), free.next()) else {
            self.caller
                .log()
                .note(format!("no slot is free within {AHEAD} days: booking could not be tried"));
            return;
        };
        if !self.book_and_repeat(slot).await {
            return;
        }
        self.taken(slot).await;
        self.is_gone(&ask, slot).await;
        if let Some(another) = another.filter(|_| !self.caller.log().has_found("appointment.repeated")) {
            self.at_once_booked(another).await;
        }
    }

    fn range(self) -> (OffsetDateTime, OffsetDateTime) {
        (self.options.now, self.options.now + Duration::days(AHEAD))
    }

    async fn slots(self, ask: &Ask) -> Option<Vec<Value>> {
        let answer = self.caller.ask(ask).await?;
        let (from, to): (Date, Date) = (self.range().0.date(), self.range().1.date());
        let mut log = self.caller.log();
        let object = answer.body().as_object().filter(|_| answer.status == 200);
        let slots = object.and_then(|object| Some((object, object.get("slots")?.as_array()?)));
        let Some((object, slots)) = slots else {
            log.found("slots.answer", &answer.call, format!("answered {} without the list", answer.status));
            return None;
        };
        log.pass("slots.answer", &answer.call);
        log.take(&answer.call, appointment::list(object, slots, from, to));
        Some(slots.clone())
    }

    async fn datetimes(self, from: OffsetDateTime, to: OffsetDateTime) {
        let ask = Ask::get(&["appointments", "slots"]).query("from", rfc3339(from)).query("to", rfc3339(to));
        let Some(answer) = self.caller.ask(&ask).await else { return };
        let listed = answer.status == 200;
        let wrong = || Err(format!("answered {}", answer.status));
        self.caller.log().settle("slots.datetimes", &answer.call, if listed { Ok(()) } else { wrong() });
    }

    fn booking(self, key: &str, slot: &Value) -> Ask {
        let field = |name: &str| slot.get(name).cloned().unwrap_or_default();
        Ask::post(
            &["appointments"],
            json!({
                "idempotencyKey": self.key(key),
                "slotId": field("id"),
                "service": field("service"),
                "customer": { "name": "تجربة الربط", "phone": self.phone() },
                "note": "حجز تجريبي",
                "source": "messaging-service",
            }),
        )
    }

    /// Books a slot and repeats it; returns whether the booking was made, so that the rest can be tried.
    async fn book_and_repeat(self, slot: &Value) -> bool {
        let ask = self.booking("booking", slot);
        let Some(answer) = self.caller.ask(&ask).await else { return false };
        self.remember(&answer);
        let booked = answer.body().get("appointment").and_then(Value::as_object);
        let Some(booked) = booked.filter(|_| matches!(answer.status, 200 | 201)) else {
            let detail = format!("answered {} without `appointment`", answer.status);
            self.caller.log().found("appointment.create", &answer.call, detail);
            return false;
        };
        self.caller.log().pass("appointment.create", &answer.call);
        self.caller.log().take(&answer.call, appointment::booked(booked, slot));
        let Some(again) = self.caller.ask(&ask).await else { return false };
        self.remember(&again);
        let Some(first) = id(&answer) else { return true };
        let mut log = self.caller.log();
        if id(&again).as_ref() != Some(&first) {
            let detail = format!("answered {} and another appointment", again.status);
            log.found("appointment.repeated", &again.call, detail);
            return true;
        }
        log.pass("appointment.repeated", &again.call);
        let status = again.status;
        let seen = if status == 200 { Ok(()) } else { Err(format!("answered {status}")) };
        log.settle("appointment.repeated_status", &again.call, seen);
        true
    }

    async fn taken(self, slot: &Value) {
        let Some(answer) = self.caller.ask(&self.booking("taken", slot)).await else { return };
        self.remember(&answer);
        self.refused("appointment.taken", "appointment.taken_message", &answer, &[409]);
    }

    async fn unknown_slot(self) {
        let slot = json!({ "id": NOTHING, "service": "تجربة" });
        let Some(answer) = self.caller.ask(&self.booking("unknown", &slot)).await else { return };
        self.remember(&answer);
        let refused = matches!(answer.status, 404 | 409 | 422);
        let taken = || Err(format!("answered {}", answer.status));
        let seen = if refused { Ok(()) } else { taken() };
        self.caller.log().settle("appointment.unknown_slot", &answer.call, seen);
    }

    async fn is_gone(self, ask: &Ask, slot: &Value) {
        let Some(offered) = self.slots(ask).await else { return };
        let gone = !offered.iter().any(|offered| offered.get("id") == slot.get("id"));
        let there = || Err("the slot is still offered".to_owned());
        let seen = if gone { Ok(()) } else { there() };
        self.caller.log().settle("slots.taken", "GET /appointments/slots", seen);
    }

    async fn at_once_booked(self, slot: &Value) {
        let ask = self.booking("booking-at-once", slot);
        let (one, other) = tokio::join!(self.caller.ask(&ask), self.caller.ask(&ask));
        let (Some(one), Some(other)) = (one, other) else { return };
        self.remember(&one);
        self.remember(&other);
        if one.is_success() && other.is_success() && id(&one).is_none() {
            return;
        }
        let same = id(&one).is_some() && id(&one) == id(&other);
        let wrong =
            || Err(format!("answered {} and {}, not one appointment twice", one.status, other.status));
        let seen = if same { Ok(()) } else { wrong() };
        self.caller.log().settle("appointment.repeated_at_once", &one.call, seen);
    }

    /// Notes what stays booked.
    fn remember(self, answer: &Answer) {
        let Some(id) = id(answer).filter(|_| answer.is_success()) else { return };
        self.caller
            .log()
            .note(format!("the appointment {id} stays booked, for nothing cancels it: remove it by hand"));
    }
}

fn id(answer: &Answer) -> Option<String> {
    let body = answer.body();
    id_text(body.get("appointment").unwrap_or(body).get("id")?)
}
