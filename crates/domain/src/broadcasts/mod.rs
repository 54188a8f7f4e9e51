//! An approved template to many people, once each.
//!
//! A [`Broadcast`] is written as a draft ([`ManageBroadcasts`]) and started, now or at a time. [`RunBroadcasts`] collects its
//! audience part by part, and meanwhile sends to whom it has: each person by a message whose id is kept before anything is
//! sent, so that whoever goes on after a crash sees in the ledger of sends what was begun. [`MarketingStops`] remembers who
//! wants no marketing.

mod audience;
mod content;
mod manage;
mod outcome;
mod person;
pub mod ports;
mod preview;
mod run;
mod state;
mod stops;

pub use audience::{Audience, AudienceError, MOST_CHOSEN};
pub use content::{BroadcastContent, ContentError, LONGEST_VALUE, VariableSource};
pub use manage::{
    BroadcastError, LONGEST_NAME, ListedBroadcasts, MOST_OPEN, ManageBroadcasts, WrittenBroadcast,
};
pub use outcome::{AfterSend, after_send};
pub use person::{BroadcastPerson, BroadcastProgress, PersonResult, PersonState, SkipReason};
pub use preview::{BroadcastPreview, PREVIEWED, PreviewBroadcast, SampledPerson};
pub use run::{RunBroadcasts, Step};
pub use state::{Broadcast, BroadcastState, Change, PauseReason, WrongState};
pub use stops::{MarketingStop, MarketingStops, StopSource, is_stop_word};
