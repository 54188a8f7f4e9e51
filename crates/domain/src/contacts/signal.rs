//! What a person tells a network without writing.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{channels::ChannelKind, ids::ChannelId, messages::Referral};

/// What a person tells a network without writing. Prints nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContactSignal {
    /// Whether they want marketing.
    Marketing {
        /// They stopped it; otherwise they want it again.
        stopped: bool,
    },
    /// They opted in to what the business offered.
    OptIn {
        /// They took it back.
        stopped: bool,
        /// What they were shown.
        title: Option<String>,
        /// What the business gave it to be known by.
        payload: Option<String>,
    },
    /// What led them to the business.
    Referral {
        /// The advertisement, the post or the link.
        referral: Box<Referral>,
    },
}

impl ContactSignal {
    /// Its kind: of each, the latest over a connection is kept.
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

/// A signal as it is kept with the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSignal {
    /// Over which connection it came.
    pub channel: ChannelId,
    /// That connection's network.
    pub channel_kind: ChannelKind,
    /// When, by the network's clock.
    pub at: OffsetDateTime,
    /// What.
    pub signal: ContactSignal,
}
