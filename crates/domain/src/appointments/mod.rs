//! Times that a system offers, and what is booked of them.

pub mod ports;
mod request_booking;

pub use request_booking::{BookingAsked, BookingRequest, LONGEST_WISH, RequestBooking, RequestBookingError};

use time::OffsetDateTime;

use crate::{
    orders::CreationKey,
    phone::PhoneNumber,
    systems::ExternalId,
    text::{PlainText, fold_for_search},
};

/// Of an answer, so many slots are read at most.
pub const MAX_SLOTS: usize = 30;
/// Of an answer, so many services are read at most.
pub const MAX_SERVICES: usize = 100;
/// So many characters are read of a service's name, or of the word for where an appointment stands.
pub const LONGEST_SERVICE: usize = 200;

/// It is a stretch of time, told with the system's own offset. It ends after it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    starts_at: OffsetDateTime,
    ends_at: OffsetDateTime,
}

impl Span {
    /// Returns `None` where the end is not after the beginning.
    pub fn new(starts_at: OffsetDateTime, ends_at: OffsetDateTime) -> Option<Self> {
        (starts_at < ends_at).then_some(Self { starts_at, ends_at })
    }

    pub const fn starts_at(&self) -> OffsetDateTime {
        self.starts_at
    }

    pub const fn ends_at(&self) -> OffsetDateTime {
        self.ends_at
    }
}

/// A slot is a time that can be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// A slot is booked by this id, which is the system's.
    pub id: ExternalId,
    pub span: Span,
    pub service: PlainText,
}

/// A system offers these times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    /// The system has times for these services, where it names them.
    pub services: Vec<PlainText>,
    /// There are [`MAX_SLOTS`] of them at most.
    pub slots: Vec<Slot>,
}

/// A system is asked for times by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotQuery {
    pub from: OffsetDateTime,
    pub to: OffsetDateTime,
    pub service: Option<PlainText>,
}

impl SlotQuery {
    /// Whether a slot that begins then is still to come, and within what was asked for.
    pub fn covers(&self, starts_at: OffsetDateTime, now: OffsetDateTime) -> bool {
        starts_at > now && (self.from..=self.to).contains(&starts_at)
    }

    /// Whether a slot of `service` is one of what was asked for. Where the service that was asked for is none of the
    /// `known` ones, the system has understood it in its own way, and any is.
    pub fn is_for<'a>(&self, service: &PlainText, mut known: impl Iterator<Item = &'a PlainText>) -> bool {
        let fold = |name: &PlainText| fold_for_search(name.as_str());
        let Some(asked) = self.service.as_ref().map(fold) else { return true };
        fold(service) == asked || known.all(|name| fold(name) != asked)
    }
}

/// It asks a system to book a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booking {
    pub key: CreationKey,
    pub slot: ExternalId,
    pub service: PlainText,
    pub name: PlainText,
    /// The number is verified.
    pub phone: PhoneNumber,
    pub note: Option<PlainText>,
}

/// A system has booked it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appointment {
    pub id: ExternalId,
    pub span: Span,
    pub service: PlainText,
    /// It is the system's own word for where it stands, such as `confirmed`.
    pub status: PlainText,
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{PlainText, SlotQuery, Span};

    #[test]
    fn a_slot_is_offered_that_is_still_to_come_and_within_what_was_asked_for() {
        let text = |name: &str| PlainText::read(name, 50).unwrap();
        let (from, to) = (datetime!(2026-11-21 09:00 +03:00), datetime!(2026-11-21 17:00 +03:00));
        let query = SlotQuery { from, to, service: Some(text("فحص")) };
        let now = datetime!(2026-11-21 10:00 +03:00);
        for (hour, covered) in [(8, false), (9, false), (10, false), (11, true), (17, true), (18, false)] {
            let starts_at = datetime!(2026-11-21 0:00 +03:00) + time::Duration::hours(hour);
            assert_eq!(query.covers(starts_at, now), covered, "{hour}");
        }
        let known = [text("فحص"), text("تنظيف")];
        for (service, meant) in [("فحص", true), ("فَحص", true), ("تنظيف", false)] {
            assert_eq!(query.is_for(&text(service), known.iter()), meant, "{service}");
        }
        assert!(query.is_for(&text("cleaning"), [text("cleaning")].iter()));
        assert!(SlotQuery { service: None, ..query }.is_for(&text("cleaning"), known.iter()));
    }

    #[test]
    fn a_span_ends_after_it_begins_whatever_the_offsets() {
        let noon = datetime!(2026-11-21 12:00 +03:00);
        assert!(Span::new(noon, datetime!(2026-11-21 09:30 UTC)).is_some());
        for end in [noon, datetime!(2026-11-21 09:00 UTC), datetime!(2026-11-21 11:59 +03:00)] {
            assert_eq!(Span::new(noon, end), None);
        }
    }

    #[test]
    fn a_span_keeps_the_offset_it_was_told_with() {
        let span = Span::new(datetime!(2026-11-21 12:00 +03:00), datetime!(2026-11-21 12:30 +03:00)).unwrap();
        assert_eq!(span.starts_at().offset().whole_hours(), 3);
    }
}
