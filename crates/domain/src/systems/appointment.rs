//! Times that a system offers, and what is booked of them.

use time::OffsetDateTime;

use crate::{
    external_id::ExternalId,
    orders::CreationKey,
    phone::PhoneNumber,
    text::{PlainText, fold_for_search},
};

/// Most slots read of an answer.
pub const MAX_SLOTS: usize = 30;
/// Most services read of an answer.
pub const MAX_SERVICES: usize = 100;
/// Characters read of a service's name, or of an appointment's status.
pub const LONGEST_SERVICE: usize = 200;

/// A stretch of time, with the system's own offset. The end is after the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    starts_at: OffsetDateTime,
    ends_at: OffsetDateTime,
}

impl Span {
    /// Creates a span; `None` if the end is not after the beginning.
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

/// A time that can be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The system's id, by which the slot is booked.
    pub id: ExternalId,
    pub span: Span,
    pub service: PlainText,
}

/// Times that a system offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    pub services: Vec<PlainText>,
    /// [`MAX_SLOTS`] at most.
    pub slots: Vec<Slot>,
}

/// Request to a system for times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotQuery {
    pub from: OffsetDateTime,
    pub to: OffsetDateTime,
    pub service: Option<PlainText>,
}

impl SlotQuery {
    /// Returns whether a slot that begins then is still to come, and within what was asked for.
    pub fn covers(&self, starts_at: OffsetDateTime, now: OffsetDateTime) -> bool {
        starts_at > now && (self.from..=self.to).contains(&starts_at)
    }

    /// Returns whether a slot of `service` is one of what was asked for. If the service asked for is none of
    /// the `known` ones, the system has understood it in its own way, and any slot is.
    pub fn is_for<'a>(&self, service: &PlainText, mut known: impl Iterator<Item = &'a PlainText>) -> bool {
        let fold = |name: &PlainText| fold_for_search(name.as_str());
        let Some(asked) = self.service.as_ref().map(fold) else { return true };
        fold(service) == asked || known.all(|name| fold(name) != asked)
    }
}

/// Request to a system to book a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booking {
    pub key: CreationKey,
    pub slot: ExternalId,
    pub service: PlainText,
    pub name: PlainText,
    /// Number to call, which may differ from the verified one.
    pub phone: PhoneNumber,
    pub note: Option<PlainText>,
}

/// An appointment that a system has booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appointment {
    pub id: ExternalId,
    pub span: Span,
    pub service: PlainText,
    /// The system's own word for its status, such as `confirmed`.
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
