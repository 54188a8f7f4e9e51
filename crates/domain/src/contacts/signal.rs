//! What a person tells a network without writing.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{channels::ChannelKind, ids::ChannelId, messages::Referral};

/// A person tells a network this without writing. It prints nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContactSignal {
    /// They say whether they want marketing.
    Marketing {
        /// They stopped it where this is true; otherwise they want it again.
        stopped: bool,
    },
    /// They opted in to what the business offered.
    OptIn {
        /// They took it back where this is true.
        stopped: bool,
        /// They were shown this.
        title: Option<String>,
        /// The business gave it this to be known by.
        payload: Option<String>,
    },
    /// Something led them to the business.
    Referral {
        /// It is the advertisement, the post or the link.
        referral: Box<Referral>,
    },
}

impl ContactSignal {
    /// Returns its kind: of each, the latest over a connection is kept.
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

/// It is a signal as it is kept with the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSignal {
    /// It came over this connection.
    pub channel: ChannelId,
    /// It is that connection's network.
    pub channel_kind: ChannelKind,
    /// It is the time by the network's clock.
    pub at: OffsetDateTime,
    pub signal: ContactSignal,
}
