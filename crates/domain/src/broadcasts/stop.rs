//! A person who wants no marketing.

use time::OffsetDateTime;

/// Source of an opt-out from marketing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSource {
    Customer,
    /// The network refused marketing for the person.
    Network,
    Team,
}

impl StopSource {
    pub const ALL: [Self; 3] = [Self::Customer, Self::Network, Self::Team];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Network => "network",
            Self::Team => "team",
        }
    }

    /// Parses a name that `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.as_str() == name)
    }
}

/// A person's opt-out from marketing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarketingStop {
    pub source: StopSource,
    pub at: OffsetDateTime,
}
