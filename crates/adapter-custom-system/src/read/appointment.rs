//! Times that can be booked, and what was booked.

use domain::{
    appointments::{Appointment, LONGEST_SERVICE, MAX_SERVICES, MAX_SLOTS, Slot, Slots, Span},
    systems::Why,
};

use crate::json::{
    Node, Object,
    values::{id, text, time},
};

/// `GET /appointments/slots`: those that can be used.
pub(crate) fn slots(node: &Node<'_, '_>) -> Option<Slots> {
    let answer = node.object(&["services", "slots"])?;
    let services = answer.optional_node("services");
    let services = services.and_then(|all| all.items(MAX_SERVICES, |it| it.value(text(LONGEST_SERVICE))));
    let slots = answer.node("slots")?.items(MAX_SLOTS, |item| slot(&item))?;
    Some(Slots { services: services.unwrap_or_default(), slots })
}

/// `POST /appointments`: the appointment that was booked.
pub(crate) fn appointment(node: &Node<'_, '_>) -> Option<Appointment> {
    let answer = node.object(&["appointment"])?;
    let members = answer.node("appointment")?.object(&["id", "startsAt", "endsAt", "service", "status"])?;
    let (id, span) = (members.required("id", id), span(&members));
    let service = members.required("service", text(LONGEST_SERVICE));
    let status = members.required("status", text(LONGEST_SERVICE));
    Some(Appointment { id: id?, span: span?, service: service?, status: status? })
}

fn slot(node: &Node<'_, '_>) -> Option<Slot> {
    let members = node.object(&["id", "startsAt", "endsAt", "service"])?;
    let (id, span) = (members.required("id", id), span(&members));
    let service = members.required("service", text(LONGEST_SERVICE));
    Some(Slot { id: id?, span: span?, service: service? })
}

/// Noted at its end where that is not after its beginning.
fn span(members: &Object<'_, '_>) -> Option<Span> {
    let (starts_at, ends_at) = (members.required("startsAt", time), members.required("endsAt", time));
    let (starts_at, ends_at) = (starts_at?, ends_at?);
    members.node("endsAt")?.value(|_| Span::new(starts_at, ends_at).ok_or(Why::NotAllowed))
}
