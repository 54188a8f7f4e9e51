//! Updates from the networks: journaled first, handled afterwards.

mod conversation;
pub mod files;
mod handle;
mod head;
mod named;
mod order;
pub mod ports;
mod profiles;
mod quarantine;
mod quarantined;
mod receive;
mod record;
mod sent_message;
mod status;

pub use handle::{BATCH, HandleUpdates, Round, TAKEN_UP, TakenUp, Unhandled};
pub use head::Head;
pub use named::OpenNamed;
pub use order::OrderKey;
pub use profiles::{FetchProfiles, FetchedProfiles};
pub use quarantine::{ManageQuarantine, Replayed};
pub use quarantined::{Quarantined, QuarantinedItem};
pub use receive::{ReceiveError, ReceiveUpdates, Received, SignedPost};
pub use record::{
    Active, Activity, ContactMerge, ConversationChange, InboxBatch, KnownMessage, KnownPerson, LookupKeys,
    LookupResult, Mark, NewContact, NewMessage, RecordUpdates, SendInFlight,
};
pub use sent_message::{MessageNames, SentMessage, StatusChange};
pub use status::{Applied, ApplyStatuses, JournaledStatus};

pub use conversation::{Behind, ConversationUpdate, InboundMedia, Person, SeenUpTo, UpdateKind, Written};

use std::time::Duration;

use time::OffsetDateTime;

use crate::{
    channels::{AccountStanding, ChannelKind},
    errors::StoreError,
    ids::{ChannelId, JournalId, WorkspaceId},
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};

/// Lease of a claimed update that has lost its position; until it ends no other process claims it.
const LEASE: Duration = Duration::from_mins(1);

/// One update of a network's webhook, as the network's adapter parsed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkUpdate {
    Status {
        /// Network id of the sending number.
        number_network_id: String,
        status: StatusUpdate,
    },
    /// The templates of an account have changed.
    TemplatesChanged { account_network_id: String },
    /// An account has a new standing.
    AccountStanding { account_network_id: String, standing: AccountStanding },
    Conversation {
        /// Network id of the number, the page or the Instagram account.
        channel_network_id: String,
        update: ConversationUpdate,
    },
    /// A part that cannot be parsed, while others can.
    Unreadable {
        /// The part and what it lacks, quoting nothing.
        part: String,
        /// Owner of the part; `None` if it cannot be told.
        of: Option<Addressee>,
    },
    /// A message given by its id alone; the network is asked for the rest.
    Named {
        /// Network id of the page or the Instagram account.
        channel_network_id: String,
        named: NamedMessage,
    },
    /// Not supported by this version, although a person may have written it.
    Unread {
        field: String,
        /// Owner; `None` if it cannot be told.
        of: Option<Addressee>,
    },
    /// Not used by this service, and written by nobody.
    Ignored { field: String },
}

/// A message of which a network gives the id alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedMessage {
    pub network: ChannelKind,
    pub message: NetworkMessageId,
    /// Whether the message existed before and was rewritten.
    pub is_edit: bool,
    /// Whether another app holds the conversation.
    pub is_held: bool,
    /// Time of the notice by the network's clock; `None` if it gave none.
    pub at: Option<OffsetDateTime>,
}

/// Owner of a part of a post, by network id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addressee {
    /// Id of a number, a page or an Instagram account.
    Channel(String),
    /// Id of a business account.
    Account(String),
}

/// A status of a sent message. The recipient is left out on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusUpdate {
    pub network_id: NetworkMessageId,
    /// Our tag of the send; `None` if the network does not echo it.
    pub tag: Option<String>,
    pub status: DeliveryStatus,
    /// Time by the network's clock.
    pub at: OffsetDateTime,
    pub error: Option<NetworkError>,
}

/// An update in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub id: JournalId,
    pub workspace: WorkspaceId,
    pub received_at: OffsetDateTime,
    /// Number of times it was claimed.
    pub attempts: u32,
    pub item: JournalItem,
}

/// Content of a journal entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalItem {
    Status(StatusUpdate),
    TemplatesChanged { account_network_id: String },
    AccountStanding { account_network_id: String, standing: AccountStanding },
    Conversation { channel: ChannelId, update: Box<ConversationUpdate> },
    Named { channel: ChannelId, named: NamedMessage },
}

impl JournalItem {
    fn network(&self) -> ChannelKind {
        match self {
            // Only WhatsApp has business accounts with templates and reports a status per message; pages and
            // Instagram accounts report how far a conversation was delivered or read.
            Self::Status(_) | Self::TemplatesChanged { .. } | Self::AccountStanding { .. } => {
                ChannelKind::Whatsapp
            }
            Self::Conversation { update, .. } => update.network(),
            Self::Named { named, .. } => named.network,
        }
    }
}

/// A journaled update claimed by this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldUpdate {
    pub entry: JournalEntry,
    /// Position in the journal's order: an update acknowledged before another post arrived has a lower one
    /// than all updates of that post.
    pub place: i64,
    /// Whether it has lost its position: it was put back for a while, and nothing waits for it.
    pub late: bool,
    /// Number of failures since it was claimed.
    pub failures: u32,
}

/// Updates journaled as claimed by this process from the start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandedOver {
    pub updates: Vec<HeldUpdate>,
    /// Number under which this process claims updates; 0 while it does not.
    pub holder: i32,
    /// Whether the journal may hold earlier updates that nobody has claimed.
    pub behind: bool,
}

/// Updates claimed from the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claimed {
    /// In order of their positions.
    pub entries: Vec<HeldUpdate>,
    pub unreadable: Vec<UnreadableEntry>,
    /// Whether another process holds this workspace's journal; then nothing was claimed.
    pub elsewhere: bool,
}

/// A journal entry that cannot be opened: its key is missing, or it is corrupt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableEntry {
    pub id: JournalId,
    pub attempts: u32,
    /// Reason, quoting nothing of the entry.
    pub reason: String,
}

/// Outcome of handling a journaled update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// Done, and removed from the journal in the transaction that wrote its changes.
    Finished,
    /// Done; removed from the journal at the end of the round.
    Handled,
    /// Has to wait although nothing is wrong with it; what follows it does not wait.
    Waits,
    /// Has to wait although nothing is wrong with it; what follows it waits too, for a while.
    HoldsUp,
    /// Not tried, since it follows one that failed.
    Follows,
    /// Failed, for this reason; tried again until its attempts are used up.
    Failed(String),
    /// Can never be handled, for this reason; quarantined at once.
    Lost(String),
    /// The store was unreachable, for this reason; the update keeps its position.
    Unreached(String),
}

impl UpdateOutcome {
    /// Maps an error of the store to the outcome of the update that it hit.
    pub(crate) fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unreached(error.to_string()),
            StoreError::Stale | StoreError::NotMember | StoreError::NotOwner | StoreError::Internal(_) => {
                Self::Failed(error.to_string())
            }
        }
    }
}

/// Changes to the journal at the end of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Updates that are done, to be removed.
    pub handled: Vec<JournalId>,
    /// Updates put back until the given time, which lose their positions.
    pub postponed: Vec<(JournalId, OffsetDateTime)>,
    pub set_aside: Vec<SetAside>,
}

/// An update that leaves the journal for the quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    pub id: JournalId,
    /// `None` if the update cannot be opened.
    pub network: Option<ChannelKind>,
    pub reason: String,
}
