//! Broadcasts: an approved template to many people, once each.
//!
//! A [`Broadcast`] is written as a draft ([`ManageBroadcasts`]) and started, now or at a time.
//! [`RunBroadcasts`] collects its audience part by part, and meanwhile sends to those it has. The id of each
//! person's message is stored before anything is sent, so that whoever goes on after a crash sees in the
//! ledger of sends what was begun. [`MarketingStops`] records who opted out of marketing.

mod at_once;
mod audience;
mod audit;
mod batch;
mod content;
mod due;
mod error;
mod left_out;
mod limit;
mod list;
mod lists;
mod manage;
mod outcome;
mod parts;
mod people;
mod person;
pub mod ports;
mod preview;
mod prices;
mod refused;
mod room;
mod run;
mod senders;
mod sent;
mod state;
mod stop;
mod stops;
mod trial;

pub use audience::{Audience, AudienceError, AudienceFilter, MOST_CHOSEN, MOST_TAGS};
pub use content::{BroadcastContent, ContentError, FilledFor, LONGEST_VALUE, VariableSource};
pub use due::due_at;
pub use error::BroadcastError;
pub use left_out::{LeftOutNumber, LeftOutReason};
pub use limit::{HAD_WRITTEN_WITHIN, LimitPreview, NumberLimit, SPAN, WrittenTo, span_of};
pub use list::{BroadcastList, ColumnValues, ListedNumber};
pub use lists::{
    BroadcastLists, FileRow, ListError, ListRemoval, MOST_COLUMNS, MOST_LISTS, MOST_ROWS, TakenList,
};
pub use manage::{ListedBroadcasts, ManageBroadcasts, WrittenBroadcast};
pub use outcome::{AfterSend, after_send, holds_for_all};
pub use parts::Audiences;
pub use people::{ExportPeople, PEOPLE_HEAD, person_row};
pub use person::{
    ANSWERED_WITHIN, BroadcastPerson, BroadcastProgress, PeopleFilter, PeopleState, PersonResult,
    PersonState, SkipReason,
};
pub use preview::{BroadcastPreview, PREVIEWED, PreviewBroadcast, SampledPerson, SkippedPeople};
pub use prices::{Estimate, InvalidPrices, Prices, amount};
pub use refused::{HeedRefusals, RefusedMessage};
pub use run::{RunBroadcasts, Step};
pub use senders::Bar;
pub use state::{Broadcast, BroadcastState, Change, LONGEST_NAME, MOST_OPEN, WrongState};
pub use stop::{MarketingStop, StopSource};
pub use stops::{MarketingStops, is_start_word, is_stop_word};
pub use trial::{TryBroadcast, TryBroadcastError};
