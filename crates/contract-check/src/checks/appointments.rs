//! Slots and appointments.

use super::check::{Check, must, should};

pub(super) const CHECKS: &[Check] = &[
    must(
        "slots.answer",
        "GET /appointments/slots answers 200 with an object that has the list `slots`.",
        "Answer {\"slots\": [ … ]}, with an empty list where nothing is free.",
    ),
    must(
        "slots.datetimes",
        "`from` and `to` may be dates or datetimes.",
        "Read ISO 8601 with and without a time.",
    ),
    must("slots.count", "At most 30 slots are answered.", "Answer the 30 earliest."),
    must(
        "slots.unique",
        "No two slots of an answer have one id.",
        "Make ids of service, time and place together.",
    ),
    must("slots.range", "Slots lie between `from` and `to`.", "Filter by the range that was asked for."),
    must("slots.services", "`services` is a list of texts.", "Send an array, or leave it out."),
    must("slot.id", "A slot has an `id`, text or number.", "Send what a booking is to name."),
    must(
        "slot.starts_at",
        "`startsAt` is ISO 8601 with a UTC offset.",
        "Send 2026-11-22T10:00:00+03:00; without the offset nobody knows which hour is meant.",
    ),
    must(
        "slot.ends_at",
        "`endsAt` is ISO 8601 with a UTC offset.",
        "Send 2026-11-22T11:30:00+03:00, with the offset.",
    ),
    must("slot.order", "A slot ends after it begins.", "Look whether startsAt and endsAt are exchanged."),
    must("slot.service", "A slot has a `service`, a text.", "Send what is booked, in the customer's words."),
    must(
        "appointment.create",
        "POST /appointments answers 200 or 201 with an object that has `appointment`.",
        "Answer {\"appointment\": { … }}; read the request as the page shows it.",
    ),
    must("appointment.id", "An appointment has an `id`, text or number.", "Send the system's own id."),
    must(
        "appointment.starts_at",
        "An appointment's `startsAt` and `endsAt` are ISO 8601 with a UTC offset.",
        "Send both with the offset, as in the slot.",
    ),
    must(
        "appointment.status",
        "An appointment has a `status`, a text.",
        "Send confirmed where nothing is left to do.",
    ),
    must(
        "appointment.times",
        "An appointment begins when its slot does.",
        "Book the slot's own time; look at conversions between time zones.",
    ),
    must(
        "appointment.repeated",
        "A key that was seen makes no second appointment: the first is answered.",
        "Look for idempotencyKey before looking whether the slot is free.",
    ),
    should(
        "appointment.repeated_status",
        "A key that was seen is answered 200.",
        "Answer 200 where nothing was made.",
    ),
    must(
        "appointment.repeated_at_once",
        "A key that comes twice at once makes one appointment.",
        "Put a unique index on idempotencyKey, and answer the appointment that is there when it is hit.",
    ),
    must(
        "appointment.taken",
        "A slot that was taken in the meantime is answered 409.",
        "Put a unique index on the slot, and answer 409 when it is hit.",
    ),
    should(
        "appointment.taken_message",
        "That 409 has a `message`.",
        "Answer {\"message\": \"…\"}; the team reads it.",
    ),
    must(
        "appointment.unknown_slot",
        "A slot that does not exist is answered 404, 409 or 422.",
        "Look the slot up before booking it.",
    ),
    should("slots.taken", "A slot that was booked is not offered any more.", "Leave out what is taken."),
];
