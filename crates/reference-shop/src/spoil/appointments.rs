//! Faults of slots and appointments.

use serde_json::{Map, Value, json};

use super::fields::{objects, set, unset};
use crate::faults::Fault;

pub(super) fn slots(strikes: &impl Fn(Fault) -> bool, body: &mut Value) {
    let mut slots = objects(body, "slots");
    let first_id = slots.first().and_then(|slot| slot.get("id").cloned());
    if let (Some(second), Some(id)) = (slots.get_mut(1), first_id) {
        set(strikes, second, Fault::SlotIdTwice, "id", id);
    }
    if let Some(slot) = slots.first_mut() {
        unset(strikes, slot, Fault::SlotIdMissing, "id");
        unset(strikes, slot, Fault::SlotServiceMissing, "service");
        local(strikes, slot, Fault::SlotWithoutOffset, "startsAt");
        local(strikes, slot, Fault::SlotEndWithoutOffset, "endsAt");
        if strikes(Fault::SlotEndsBeforeStart)
            && let (Some(start), Some(end)) = (slot.get("startsAt").cloned(), slot.get("endsAt").cloned())
        {
            slot.insert("startsAt".to_owned(), end);
            slot.insert("endsAt".to_owned(), start);
        }
    }
    if let Some(answer) = body.as_object_mut() {
        set(strikes, answer, Fault::ServicesAsText, "services", json!("تنصيب سبلت"));
    }
    if strikes(Fault::SlotsWithoutWrapper)
        && let Some(list) = body.get_mut("slots")
    {
        *body = list.take();
    }
}

pub(super) fn booked(strikes: &impl Fn(Fault) -> bool, body: &mut Value) {
    let Some(appointment) = body.get_mut("appointment") else { return };
    if let Some(appointment) = appointment.as_object_mut() {
        unset(strikes, appointment, Fault::AppointmentIdMissing, "id");
        unset(strikes, appointment, Fault::AppointmentStatusMissing, "status");
        if strikes(Fault::AppointmentAtAnotherTime) {
            // The hour moves with the offset: the same clock time, an hour apart.
            for field in ["startsAt", "endsAt"] {
                let at = appointment.get(field).and_then(Value::as_str).unwrap_or_default();
                let moved = json!(at.replace("+03:00", "+02:00"));
                appointment.insert(field.to_owned(), moved);
            }
        }
        local(strikes, appointment, Fault::AppointmentWithoutOffset, "startsAt");
    }
    if strikes(Fault::AppointmentNotWrapped) {
        *body = appointment.take();
    }
}

/// Strips the offset off a time.
fn local(strikes: &impl Fn(Fault) -> bool, object: &mut Map<String, Value>, fault: Fault, field: &str) {
    let at = object.get(field).and_then(Value::as_str).unwrap_or_default();
    let without = json!(at.trim_end_matches("+03:00"));
    set(strikes, object, fault, field, without);
}
