//! Progress of a sent message: forward only, announced once.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Status that the network reports of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryStatus {
    Sent,
    /// Arrived on the phone.
    Delivered,
    Read,
    /// Not deliverable, on any device as far as the network tells.
    Failed,
}

impl DeliveryStatus {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Failed => "failed",
        }
    }

    /// Returns the position in the order in which a message moves.
    const fn rank(self) -> u8 {
        match self {
            Self::Sent => 0,
            Self::Failed => 1,
            Self::Delivered => 2,
            Self::Read => 3,
        }
    }

    /// Parses a name as `as_str` returns it; `None` for any other.
    pub fn read(name: &str) -> Option<Self> {
        [Self::Sent, Self::Delivered, Self::Read, Self::Failed]
            .into_iter()
            .find(|status| status.as_str() == name)
    }
}

/// Status of a sent message, and when each status happened at the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub status: DeliveryStatus,
    pub delivered_at: Option<OffsetDateTime>,
    pub read_at: Option<OffsetDateTime>,
    pub failed_at: Option<OffsetDateTime>,
}

/// Consequence of a status for the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announcement {
    /// A move forward: an event is owed.
    Announced,
    /// Stored for the record, without an event.
    Kept,
    /// Nothing new: nothing is written.
    Nothing,
}

impl Progress {
    /// Progress of a message that the network has just taken.
    pub const SENT: Self =
        Self { status: DeliveryStatus::Sent, delivered_at: None, read_at: None, failed_at: None };

    /// Applies a status that happened `at`. Moves go sent → failed → delivered → read and may skip any of
    /// them: a person may have several devices, so that what failed on one may arrive on another. Any other
    /// status is late or repeated, and at most stored.
    pub fn advance(self, to: DeliveryStatus, at: OffsetDateTime) -> (Self, Announcement) {
        let mut next = self;
        let first = match to {
            DeliveryStatus::Sent => return (self, Announcement::Nothing),
            DeliveryStatus::Delivered => note(&mut next.delivered_at, at),
            DeliveryStatus::Read => note(&mut next.read_at, at),
            DeliveryStatus::Failed => note(&mut next.failed_at, at),
        };
        if to.rank() > self.status.rank() {
            next.status = to;
            (next, Announcement::Announced)
        } else if first {
            (next, Announcement::Kept)
        } else {
            (self, Announcement::Nothing)
        }
    }
}

/// Sets the time unless it is set; returns whether it was unset.
fn note(slot: &mut Option<OffsetDateTime>, at: OffsetDateTime) -> bool {
    let first = slot.is_none();
    slot.get_or_insert(at);
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::{Duration, OffsetDateTime};

    use super::{Announcement, DeliveryStatus, Progress};
    use DeliveryStatus::{Delivered, Failed, Read, Sent};

    fn walk(statuses: &[DeliveryStatus]) -> (Progress, Vec<DeliveryStatus>) {
        let mut announced = Vec::new();
        let end = statuses.iter().zip(0..).fold(Progress::SENT, |progress, (status, second)| {
            let at = OffsetDateTime::UNIX_EPOCH + Duration::seconds(second);
            let (next, announcement) = progress.advance(*status, at);
            if announcement == Announcement::Announced {
                announced.push(*status);
            }
            next
        });
        (end, announced)
    }

    #[test]
    fn only_moves_forward_are_announced() {
        for (statuses, announced) in [
            (vec![Sent, Delivered, Read], vec![Delivered, Read]),
            (vec![Read, Delivered, Sent], vec![Read]),
            (vec![Delivered, Delivered, Read, Read], vec![Delivered, Read]),
            (vec![Failed, Failed], vec![Failed]),
            (vec![Failed, Delivered, Read], vec![Failed, Delivered, Read]),
            (vec![Failed, Read, Delivered], vec![Failed, Read]),
            (vec![Delivered, Failed], vec![Delivered]),
            (vec![Read, Failed], vec![Read]),
        ] {
            assert_eq!(walk(&statuses).1, announced, "{statuses:?}");
        }
    }

    #[test]
    fn what_arrived_has_not_failed_whichever_is_told_first() {
        for statuses in [[Failed, Delivered], [Delivered, Failed]] {
            let (end, _) = walk(&statuses);
            assert_eq!(end.status, Delivered);
            assert!(end.delivered_at.is_some() && end.failed_at.is_some());
        }
    }

    proptest! {
        #[test]
        fn no_status_is_announced_twice_and_repeats_change_nothing(
            statuses in proptest::collection::vec(prop::sample::select(vec![Sent, Delivered, Read, Failed]), 0..12)
        ) {
            let (end, announced) = walk(&statuses);
            let mut distinct = announced.clone();
            distinct.dedup();
            prop_assert_eq!(&distinct, &announced);
            prop_assert!(announced.len() <= 3);
            for status in statuses {
                prop_assert_eq!(end.advance(status, OffsetDateTime::UNIX_EPOCH), (end, Announcement::Nothing));
            }
        }
    }
}
