//! The time that the stand-in goes by.

use time::macros::offset;
use time::{OffsetDateTime, UtcOffset};

/// Baghdad's offset, all year.
const HERE: UtcOffset = offset!(+3);

/// Where the stand-in reads the time: it asks for slots after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    System,
    /// Always this moment.
    Fixed(OffsetDateTime),
}

impl Clock {
    /// Now, in the offset of the shop's customers.
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
