//! What the networks tell us: journaled first, handled after.

mod conversation;
mod handle;
mod order;
pub mod ports;
mod quarantine;
mod receive;
mod record;
mod status;

pub use handle::{BATCH, HandleUpdates, Round, TAKEN_UP, TakenUp, Unhandled};
pub use order::OrderKey;
pub use quarantine::{ManageQuarantine, Quarantined, QuarantinedItem, Replayed};
pub use receive::{ReceiveError, ReceiveUpdates, Received};
pub use record::{
    Active, Activity, ContactMerge, ConversationChange, InboxBatch, KnownMessage, KnownPerson, LookupKeys,
    LookupResult, Mark, NewContact, NewMessage, RecordUpdates, SendInFlight,
};
pub use status::{Applied, ApplyStatuses, JournaledStatus, MessageNames, SentMessage, StatusChange};

pub use conversation::{
    Behind, ConversationUpdate, InboundMedia, MediaSource, Person, SeenUpTo, UpdateKind, Written,
};

use std::time::Duration;

use time::OffsetDateTime;

use crate::{
    channels::{AccountStanding, ChannelKind},
    errors::StoreError,
    ids::{ChannelId, JournalId, WorkspaceId},
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};

/// How long an update that has lost its place is left alone by others, once it was taken up.
const LEASE: Duration = Duration::from_mins(1);

/// One update out of a network's webhook, as the network's adapter reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkUpdate {
    /// What became of a message that we sent.
    Status {
        /// The sending number's id at the network.
        number_network_id: String,
        /// The status.
        status: StatusUpdate,
    },
    /// The templates of an account have changed.
    TemplatesChanged {
        /// The account's id at the network.
        account_network_id: String,
    },
    /// An account stands otherwise from now on.
    AccountStanding {
        /// The account's id at the network.
        account_network_id: String,
        /// How.
        standing: AccountStanding,
    },
    /// Something happened in a conversation.
    Conversation {
        /// The id at the network of the number, the page or the account that it runs over.
        channel_network_id: String,
        /// What.
        update: ConversationUpdate,
    },
    /// A part that cannot be read, while others can.
    Unreadable {
        /// What it is and what it lacks, in words that quote nothing.
        part: String,
        /// Whose it is, as far as that can be read.
        of: Option<Addressee>,
    },
    /// Something that this service does not use.
    Ignored {
        /// Its name at the network.
        field: String,
    },
}

/// Whose a part of a post is, by the network's ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addressee {
    /// Of a number, a page or an Instagram account.
    Channel(String),
    /// Of a business account.
    Account(String),
}

/// A status of a sent message. The recipient is left out on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The network's id of the message.
    pub network_id: NetworkMessageId,
    /// The tag that the send carried, where the network echoes it.
    pub tag: Option<String>,
    /// The status.
    pub status: DeliveryStatus,
    /// When it happened, by the network's clock.
    pub at: OffsetDateTime,
    /// Why it failed.
    pub error: Option<NetworkError>,
}

/// An update in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its id.
    pub id: JournalId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// When it came.
    pub received_at: OffsetDateTime,
    /// How often it has been taken up.
    pub attempts: u32,
    /// The update.
    pub item: JournalItem,
}

/// What the journal holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalItem {
    /// A status.
    Status(StatusUpdate),
    /// An account's templates have changed.
    TemplatesChanged {
        /// The account's id at the network.
        account_network_id: String,
    },
    /// An account stands otherwise from now on.
    AccountStanding {
        /// The account's id at the network.
        account_network_id: String,
        /// How.
        standing: AccountStanding,
    },
    /// Something happened in a conversation over this channel.
    Conversation {
        /// Over which connection.
        channel: ChannelId,
        /// What.
        update: Box<ConversationUpdate>,
    },
}

impl JournalItem {
    /// The network that it came from.
    fn network(&self) -> ChannelKind {
        match self {
            // WhatsApp alone has business accounts with templates, and tells of each message by itself: of pages and
            // Instagram accounts statuses come as how far a conversation has come.
            Self::Status(_) | Self::TemplatesChanged { .. } | Self::AccountStanding { .. } => {
                ChannelKind::Whatsapp
            }
            Self::Conversation { update, .. } => update.network(),
        }
    }
}

/// An update that this process has taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldUpdate {
    /// The update.
    pub entry: JournalEntry,
    /// Its place: what was acknowledged before another post came has a lower one than all that this one brought.
    pub place: i64,
    /// Whether it has lost its place: it was put back for a while, and nothing waits for it.
    pub late: bool,
    /// How often handling it has failed since it was taken up.
    pub failures: u32,
}

/// Updates that were journaled as taken up by this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandedOver {
    /// The updates.
    pub updates: Vec<HeldUpdate>,
    /// Under which number this process holds them; 0 when it does not.
    pub holder: i32,
    /// Whether the journal may hold earlier ones that nobody has taken up.
    pub behind: bool,
}

/// Updates taken out of the journal to be handled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claimed {
    /// Those that can be read, by their places.
    pub entries: Vec<HeldUpdate>,
    /// Those that cannot.
    pub unreadable: Vec<UnreadableEntry>,
    /// Whether another process works off this workspace's journal: then nothing was taken.
    pub elsewhere: bool,
}

/// An update in the journal that cannot be read: its key is missing, or it is spoiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableEntry {
    /// Its id.
    pub id: JournalId,
    /// How often it has been taken up.
    pub attempts: u32,
    /// Why, without quoting it.
    pub reason: String,
}

/// What became of a journaled update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// It is done with and has left the journal, in the transaction of what it changed.
    Finished,
    /// It is done with, and leaves the journal at the end of the round.
    Handled,
    /// It has to wait, and nothing is wrong with it; what follows it does not wait for it.
    Waits,
    /// It has to wait, and nothing is wrong with it; what follows it waits as well, for a while.
    HoldsUp,
    /// It was not tried, since it follows one that failed.
    Follows,
    /// It failed, for this reason, and is tried again until it has been tried often enough.
    Failed(String),
    /// The store could not be reached, for this reason. It keeps its place.
    Unreached(String),
}

impl UpdateOutcome {
    /// What this failure of the store means for the update that it befell.
    pub(crate) fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unreached(error.to_string()),
            StoreError::Stale | StoreError::Internal(_) => Self::Failed(error.to_string()),
        }
    }
}

/// What a round leaves in the journal, and what it takes out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settlement {
    /// Done with: they leave the journal.
    pub handled: Vec<JournalId>,
    /// Put back until then: they lose their places.
    pub postponed: Vec<(JournalId, OffsetDateTime)>,
    /// Tried often enough: they leave the journal for the quarantine.
    pub set_aside: Vec<SetAside>,
}

/// An update that leaves the journal for the quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its id.
    pub id: JournalId,
    /// The network that it came from; `None` where the update cannot be opened.
    pub network: Option<ChannelKind>,
    /// Why the last try failed.
    pub reason: String,
}
