//! Appointments: two services, three times a day, closed on Fridays.

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time, Weekday, macros::time};

use super::State;
use super::refused::Refused;
use crate::clock::HERE;

/// Services that can be booked.
pub(crate) const SERVICES: [&str; 2] = ["تنصيب سبلت", "صيانة غسالة"];
const TIMES: [Time; 3] = [time!(10:00), time!(13:00), time!(16:30)];
const LASTS: Duration = Duration::minutes(90);

/// A time that can be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) id: String,
    pub(crate) starts_at: OffsetDateTime,
    pub(crate) service: String,
}

impl Slot {
    pub(crate) fn ends_at(&self) -> OffsetDateTime {
        self.starts_at + LASTS
    }

    /// Renders the slot as the contract shows it.
    pub(crate) fn shown(&self) -> Value {
        json!({
            "id": self.id,
            "startsAt": self.starts_at.format(&Rfc3339).ok(),
            "endsAt": self.ends_at().format(&Rfc3339).ok(),
            "service": self.service,
        })
    }
}

/// A booked slot.
#[derive(Debug, Clone)]
pub(crate) struct Appointment {
    pub(crate) id: u64,
    pub(crate) key: String,
    pub(crate) slot: Slot,
    /// Body of the request as it came.
    pub(crate) request: Value,
}

impl Appointment {
    /// Renders the appointment as the contract shows it.
    pub(crate) fn shown(&self) -> Value {
        json!({
            "id": format!("apt_{}", self.id),
            "startsAt": self.slot.starts_at.format(&Rfc3339).ok(),
            "endsAt": self.slot.ends_at().format(&Rfc3339).ok(),
            "service": self.slot.service,
            "status": "confirmed",
        })
    }

    /// Renders the appointment as the control routes show it.
    pub(crate) fn kept(&self) -> Value {
        json!({
            "idempotencyKey": self.key,
            "slotId": self.slot.id,
            "appointment": self.shown(),
            "request": self.request,
        })
    }
}

fn of_day(day: Date) -> impl Iterator<Item = Slot> {
    let open = day.weekday() != Weekday::Friday;
    TIMES.into_iter().filter(move |_| open).flat_map(move |at| {
        let starts_at = PrimitiveDateTime::new(day, at).assume_offset(HERE);
        SERVICES.iter().enumerate().map(move |(number, service)| Slot {
            id: format!("slot-{day}-{:02}{:02}-{number}", at.hour(), at.minute()),
            starts_at,
            service: (*service).to_owned(),
        })
    })
}

impl State {
    /// Lists the free slots within `from ..= to` and after `now`. `taken_too` is the fault that also offers
    /// booked ones.
    pub(crate) fn slots(
        &self,
        from: OffsetDateTime,
        to: OffsetDateTime,
        now: OffsetDateTime,
        taken_too: bool,
    ) -> Vec<Slot> {
        // At the end of time there is no later offset.
        let here = |at: OffsetDateTime| at.checked_to_offset(HERE).unwrap_or(at).date();
        let (first, last) = (here(from.max(now)), here(to));
        let days =
            std::iter::successors(Some(first), |day| day.next_day()).take_while(|day| *day <= last).take(60);
        days.flat_map(of_day)
            .filter(|slot| slot.starts_at >= from && slot.starts_at <= to && slot.starts_at > now)
            .filter(|slot| taken_too || !self.is_taken(&slot.id))
            .collect()
    }

    fn is_taken(&self, slot: &str) -> bool {
        self.appointments.iter().any(|appointment| appointment.slot.id == slot)
    }

    pub(crate) fn appointment_of_key(&self, key: &str) -> Option<&Appointment> {
        self.appointments.iter().find(|appointment| appointment.key == key)
    }

    /// Books a slot, whether or not the key was seen. `taken_too` books a slot that is taken, `anything` one
    /// that does not exist.
    pub(crate) fn book(
        &mut self,
        request: &Value,
        now: OffsetDateTime,
        taken_too: bool,
        anything: bool,
    ) -> Result<&Appointment, Refused> {
        let text =
            |pointer: &str| request.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (key, slot_id) = (text("/idempotencyKey"), text("/slotId"));
        if key.is_empty() || slot_id.is_empty() || text("/customer/phone").is_empty() {
            return Err(Refused::Invalid("idempotencyKey, slotId and customer.phone are needed".to_owned()));
        }
        if !taken_too && self.is_taken(&slot_id) {
            return Err(Refused::Conflict("the slot was taken in the meantime".to_owned()));
        }
        let mut slots = self.slots(now, now + Duration::days(60), now, true).into_iter();
        let wanted =
            slots.clone().find(|slot| slot.id == slot_id).or_else(|| slots.next().filter(|_| anything));
        let slot = wanted.ok_or_else(|| Refused::NotFound("there is no such slot".to_owned()))?;
        let id = u64::try_from(self.appointments.len()).unwrap_or_default() + 1;
        self.appointments.push(Appointment { id, key, slot, request: request.clone() });
        self.appointments.last().ok_or_else(|| Refused::Invalid("nothing was booked".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn slots_lie_ahead_within_the_range_and_never_on_a_friday() {
        let now = datetime!(2026-11-22 12:00 +3);
        let state = State::new(now);
        let slots = state.slots(now - Duration::days(3), now + Duration::days(6), now, false);
        assert_eq!(slots.first().unwrap().id, "slot-2026-11-22-1300-0");
        assert!(slots.iter().all(|slot| slot.starts_at > now && slot.starts_at.weekday() != Weekday::Friday));
        assert_eq!(slots.len(), 30);
    }

    #[test]
    fn a_slot_is_booked_once() {
        let now = datetime!(2026-11-22 12:00 +3);
        let mut state = State::new(now);
        let request = json!({ "idempotencyKey": "k", "slotId": "slot-2026-11-23-1000-1", "customer": { "phone": "+9641" } });
        assert_eq!(state.book(&request, now, false, false).unwrap().slot.service, SERVICES[1]);
        assert!(matches!(state.book(&request, now, false, false), Err(Refused::Conflict(_))));
    }
}
