//! Signals: what a person tells a network without writing.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{channels::ChannelKind, ids::ChannelId, messages::Referral};

/// What a person told a network without writing. Its `Debug` output shows the kind alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContactSignal {
    Marketing {
        /// `true` if they stopped it, `false` if they want it again.
        stopped: bool,
    },
    /// Opt-in to an offer of the business.
    OptIn {
        /// `true` if they took it back.
        stopped: bool,
        /// Title that they were shown.
        title: Option<String>,
        /// The business's own identifier of the offer.
        payload: Option<String>,
    },
    Referral {
        /// The advertisement, post or link.
        referral: Box<Referral>,
    },
}

impl ContactSignal {
    /// Returns its kind. The latest of each kind over a connection is kept.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Marketing { .. } => "marketing",
            Self::OptIn { .. } => "opt_in",
            Self::Referral { .. } => "referral",
        }
    }
}

impl fmt::Debug for ContactSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

/// A signal as stored with the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSignal {
    pub channel: ChannelId,
    pub channel_kind: ChannelKind,
    /// Time by the network's clock.
    pub at: OffsetDateTime,
    pub signal: ContactSignal,
}
