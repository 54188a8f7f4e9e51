//! Times that a system offers, and what is booked of them.

pub mod ports;
mod request_booking;

pub use request_booking::{BookingAsked, BookingRequest, LONGEST_WISH, RequestBooking, RequestBookingError};

use time::OffsetDateTime;

use crate::{orders::CreationKey, phone::PhoneNumber, systems::ExternalId, text::PlainText};

/// Slots that are read of an answer.
pub const MAX_SLOTS: usize = 30;
/// Services that are read of an answer.
pub const MAX_SERVICES: usize = 100;
/// Characters read of a service's name, or of the word for where an appointment stands.
pub const LONGEST_SERVICE: usize = 200;

/// A stretch of time, told with the system's own offset. It ends after it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    starts_at: OffsetDateTime,
    ends_at: OffsetDateTime,
}

impl Span {
    /// `None` where the end is not after the beginning.
    pub fn new(starts_at: OffsetDateTime, ends_at: OffsetDateTime) -> Option<Self> {
        (starts_at < ends_at).then_some(Self { starts_at, ends_at })
    }

    /// When it begins.
    pub const fn starts_at(&self) -> OffsetDateTime {
        self.starts_at
    }

    /// When it ends.
    pub const fn ends_at(&self) -> OffsetDateTime {
        self.ends_at
    }
}

/// A time that can be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The system's id, by which it is booked.
    pub id: ExternalId,
    /// When it is.
    pub span: Span,
    /// What for.
    pub service: PlainText,
}

/// What a system offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    /// The services that it has times for, where it names them.
    pub services: Vec<PlainText>,
    /// The times, [`MAX_SLOTS`] at most.
    pub slots: Vec<Slot>,
}

/// What a system is asked for times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotQuery {
    /// From when.
    pub from: OffsetDateTime,
    /// Until when.
    pub to: OffsetDateTime,
    /// What for.
    pub service: Option<PlainText>,
}

/// A slot to be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booking {
    /// Its key.
    pub key: CreationKey,
    /// Which slot.
    pub slot: ExternalId,
    /// What for.
    pub service: PlainText,
    /// The customer's name.
    pub name: PlainText,
    /// The customer's verified number.
    pub phone: PhoneNumber,
    /// The customer's remark.
    pub note: Option<PlainText>,
}

/// What was booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appointment {
    /// The system's id.
    pub id: ExternalId,
    /// When it is.
    pub span: Span,
    /// What for.
    pub service: PlainText,
    /// The system's own word for where it stands, such as `confirmed`.
    pub status: PlainText,
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::Span;

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
