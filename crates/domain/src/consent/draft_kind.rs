//! Kinds of drafts.

/// Kind of what is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DraftKind {
    Order,
    Booking,
    Cancellation,
}

impl DraftKind {
    pub const ALL: [Self; 3] = [Self::Order, Self::Booking, Self::Cancellation];

    /// Returns its name in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Booking => "booking",
            Self::Cancellation => "cancellation",
        }
    }

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
