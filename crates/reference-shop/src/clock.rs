//! Clock of the shop.

use time::macros::offset;
use time::{OffsetDateTime, UtcOffset};

/// Baghdad's offset, all year.
pub(crate) const HERE: UtcOffset = offset!(+3);

/// Source of the shop's time: slots lie after it, orders are placed at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// Always this moment.
    Fixed(OffsetDateTime),
}

impl Clock {
    /// Returns the current time in the shop's own offset.
    #[expect(
        clippy::disallowed_methods,
        reason = "the stand-in is the outside world: it has a clock of its own"
    )]
    pub(crate) fn now(self) -> OffsetDateTime {
        match self {
            Self::System => OffsetDateTime::now_utc(),
            Self::Fixed(at) => at,
        }
        .to_offset(HERE)
    }
}
