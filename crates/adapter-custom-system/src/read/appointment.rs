//! Times that can be booked, and what was booked.

use domain::{
    appointments::{Appointment, LONGEST_SERVICE, MAX_SERVICES, MAX_SLOTS, Slot, Slots, Span},
    systems::Why,
};

use crate::json::{
    Field, Node,
    values::{id, text, time},
};

/// `GET /appointments/slots`: those that can be used. `None` where there are some and none can be used: nobody is told
/// that nothing is free.
pub(crate) fn slots(node: &Node<'_, '_>) -> Option<Slots> {
    let [services, slots] = node.fields(["services", "slots"])?;
    let services = services.optional_node();
    let services = services.and_then(|all| all.items(MAX_SERVICES, |it| it.value(text(LONGEST_SERVICE))));
    let slots = slots.node()?.usable(MAX_SLOTS, |item| slot(&item))?;
    Some(Slots { services: services.unwrap_or_default(), slots })
}

/// `POST /appointments`: the appointment that was booked.
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

/// Noted at its end where that is not after its beginning.
fn span(from: &Field<'_, '_>, to: &Field<'_, '_>) -> Option<Span> {
    let (starts_at, ends_at) = (from.required(time), to.required(time));
    let (starts_at, ends_at) = (starts_at?, ends_at?);
    to.node()?.value(|_| Span::new(starts_at, ends_at).ok_or(Why::NotAllowed))
}
