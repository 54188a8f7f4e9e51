//! Free slots and booked appointments.

use std::cell::Cell;

use domain::systems::{
    Appointment, LONGEST_SERVICE, MAX_SERVICES, MAX_SLOTS, Slot, SlotQuery, Slots, Span, Why,
};
use time::OffsetDateTime;

use crate::json::{
    Field, Node,
    values::{id, text, time},
};

/// Reads `GET /appointments/slots`: the slots that match `query` and can be offered at `now`. `None` if there
/// are some and none can be read, or told from another, so that nobody hears that nothing is free.
pub(crate) fn slots(node: &Node<'_, '_>, query: &SlotQuery, now: OffsetDateTime) -> Option<Slots> {
    let [services, slots] = node.fields(["services", "slots"])?;
    let services = services.optional_node();
    let services = services.and_then(|all| all.items(MAX_SERVICES, |it| it.value(text(LONGEST_SERVICE))));
    let services = services.unwrap_or_default();
    let (node, place) = (slots.node()?, Cell::new(0));
    let read = node.usable(MAX_SLOTS, |item| {
        let place = place.replace(place.get() + 1);
        Some((place, slot(&item)?))
    })?;
    // A booking names a slot by its id alone.
    let is_ambiguous = |slot: &Slot| read.iter().any(|(_, other)| other.id == slot.id && other != slot);
    let mut offered: Vec<Slot> = Vec::with_capacity(read.len());
    for (place, slot) in &read {
        let known = services.iter().chain(read.iter().map(|(_, slot)| &slot.service));
        let wrong = if is_ambiguous(slot) || offered.contains(slot) {
            "id"
        } else if !query.covers(slot.span.starts_at(), now) {
            "startsAt"
        } else if !query.is_for(&slot.service, known) {
            "service"
        } else {
            offered.push(slot.clone());
            continue;
        };
        node.note_field(*place, wrong, Why::NotAllowed);
    }
    if offered.is_empty() && read.iter().any(|(_, slot)| is_ambiguous(slot)) {
        return None;
    }
    Some(Slots { services, slots: offered })
}

/// Reads `POST /appointments`: the appointment that was booked.
pub(crate) fn appointment(node: &Node<'_, '_>) -> Option<Appointment> {
    let [answer] = node.fields(["appointment"])?;
    let node = answer.node()?;
    let [own_id, starts_at, ends_at, service, status] =
        node.fields(["id", "startsAt", "endsAt", "service", "status"])?;
    let (id, span) = (own_id.required(id), span(&starts_at, &ends_at));
    let service = service.required(text(LONGEST_SERVICE));
    let status = status.required(text(LONGEST_SERVICE));
    Some(Appointment { id: id?, span: span?, service: service?, status: status? })
}

fn slot(node: &Node<'_, '_>) -> Option<Slot> {
    let [own_id, starts_at, ends_at, service] = node.fields(["id", "startsAt", "endsAt", "service"])?;
    let (id, span) = (own_id.required(id), span(&starts_at, &ends_at));
    let service = service.required(text(LONGEST_SERVICE));
    Some(Slot { id: id?, span: span?, service: service? })
}

/// Reads a span; noted at its end if that is not after its beginning.
fn span(from: &Field<'_, '_>, to: &Field<'_, '_>) -> Option<Span> {
    let (starts_at, ends_at) = (from.required(time), to.required(time));
    let (starts_at, ends_at) = (starts_at?, ends_at?);
    to.node()?.value(|_| Span::new(starts_at, ends_at).ok_or(Why::NotAllowed))
}
