//! Slots and appointments.

use serde_json::{Map, Value};
use time::Date;

use super::{Judged, NamedObject, is_id, is_text, is_texts, moment, unique};

/// Most slots of an answer.
const MOST: usize = 30;

/// Judges an answer to the days `from ..= to`.
pub(crate) fn list(answer: &Map<String, Value>, slots: &[Value], from: Date, to: Date) -> Judged {
    let mut judged = Judged::default();
    let named = NamedObject { object: answer, name: "answer" };
    judged.see("slots.services", named.may_have("services", "a list of texts", is_texts));
    let many = slots.len();
    judged.see("slots.count", if many <= MOST { Ok(()) } else { Err(format!("{many} slots were answered")) });
    judged.see("slots.unique", unique(slots.iter(), "slots"));
    for (at, slot) in slots.iter().enumerate() {
        let name = format!("slots[{at}]");
        let Some(object) = slot.as_object() else {
            judged.see("slots.answer", Err(format!("{name} is no object")));
            continue;
        };
        one(&mut judged, NamedObject { object, name: &name }, from, to);
    }
    judged
}

fn one(judged: &mut Judged, slot: NamedObject<'_>, from: Date, to: Date) {
    let is_moment = |value: &Value| moment(value).is_some();
    judged.see("slot.id", slot.needs("id", "text or a number", is_id));
    judged.see("slot.starts_at", slot.needs("startsAt", "a time with a UTC offset", is_moment));
    judged.see("slot.ends_at", slot.needs("endsAt", "a time with a UTC offset", is_moment));
    judged.see("slot.service", slot.needs("service", "a text", is_text));
    let (starts, ends) = (slot.get("startsAt").and_then(moment), slot.get("endsAt").and_then(moment));
    if let (Some(starts), Some(ends)) = (starts, ends) {
        let wrong = || Err(format!("{} ends before it begins", slot.name));
        judged.see("slot.order", if starts < ends { Ok(()) } else { wrong() });
    }
    if let Some(starts) = starts {
        // In the slot's own offset: a day is the shop's.
        let within = (from..=to).contains(&starts.date());
        let wrong = || Err(format!("{} begins on {}, which was not asked for", slot.name, starts.date()));
        judged.see("slots.range", if within { Ok(()) } else { wrong() });
    }
}

/// Judges an appointment that was booked for `slot`.
pub(crate) fn booked(object: &Map<String, Value>, slot: &Value) -> Judged {
    let named = NamedObject { object, name: "appointment" };
    let mut judged = Judged::default();
    let is_moment = |value: &Value| moment(value).is_some();
    judged.see("appointment.id", named.needs("id", "text or a number", is_id));
    for field in ["startsAt", "endsAt"] {
        judged.see("appointment.starts_at", named.needs(field, "a time with a UTC offset", is_moment));
    }
    judged.see("appointment.status", named.needs("status", "a text", is_text));
    let of_slot = slot.get("startsAt").and_then(moment);
    if let (Some(wanted), Some(starts)) = (of_slot, named.get("startsAt").and_then(moment)) {
        let wrong = || Err(format!("the slot begins at {wanted}, the appointment at {starts}"));
        judged.see("appointment.times", if wanted == starts { Ok(()) } else { wrong() });
    }
    judged
}
