//! What the networks tell us: journaled first, handled after.

mod conversation;
mod handle;
mod named;
mod order;
pub mod ports;
mod quarantine;
mod receive;
mod record;
mod status;
mod unread;

pub use handle::{BATCH, HandleUpdates, Round, TAKEN_UP, TakenUp, Unhandled};
pub use named::OpenNamed;
pub use order::OrderKey;
pub use quarantine::{ManageQuarantine, Quarantined, QuarantinedItem, Replayed};
pub use receive::{ReceiveError, ReceiveUpdates, Received};
pub use record::{
    Active, Activity, ContactMerge, ConversationChange, InboxBatch, KnownMessage, KnownPerson, LookupKeys,
    LookupResult, Mark, NewContact, NewMessage, RecordUpdates, SendInFlight,
};
pub use status::{Applied, ApplyStatuses, JournaledStatus, MessageNames, SentMessage, StatusChange};
pub use unread::{MOST_FIELDS, SHOWN_FOR_DAYS, UnreadCount, UnreadField};

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

/// It says how long an update that has lost its place is left alone by others, once it was taken up.
const LEASE: Duration = Duration::from_mins(1);

/// It is one update out of a network's webhook, as the network's adapter reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkUpdate {
    /// The network tells what became of a message that we sent.
    Status {
        /// It is the sending number's id at the network.
        number_network_id: String,
        status: StatusUpdate,
    },
    /// The templates of an account have changed.
    TemplatesChanged { account_network_id: String },
    /// An account stands otherwise from now on.
    AccountStanding { account_network_id: String, standing: AccountStanding },
    /// Something happened in a conversation.
    Conversation {
        /// It is the id at the network of the number, the page or the account that it runs over.
        channel_network_id: String,
        update: ConversationUpdate,
    },
    /// A part cannot be read, while others can.
    Unreadable {
        /// It says what the part is and what it lacks, in words that quote nothing.
        part: String,
        /// It says whose the part is, as far as that can be read.
        of: Option<Addressee>,
    },
    /// A message of which only its name is told; the network is asked for the rest.
    Named {
        /// It is the id at the network of the page or the account that it came over.
        channel_network_id: String,
        named: NamedMessage,
    },
    /// This version does not read it, and somebody may have written it.
    Unread {
        field: String,
        /// It says whose it is, as far as that can be read.
        of: Option<Addressee>,
    },
    /// This service does not use it, and nobody wrote it.
    Ignored { field: String },
}

/// It is a message of which a network tells the name alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedMessage {
    pub network: ChannelKind,
    pub message: NetworkMessageId,
    /// It says whether the message was there before, and was rewritten.
    pub is_edit: bool,
    /// It says whether another app holds the conversation.
    pub is_held: bool,
    /// It was told of then, by the network's clock.
    pub at: Option<OffsetDateTime>,
}

/// It says whose a part of a post is, by the network's ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addressee {
    /// It is that of a number, a page or an Instagram account.
    Channel(String),
    /// It is that of a business account.
    Account(String),
}

/// It is a status of a sent message. The recipient is left out on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusUpdate {
    /// It is the network's id of the message.
    pub network_id: NetworkMessageId,
    /// The send carried this tag, where the network echoes it.
    pub tag: Option<String>,
    pub status: DeliveryStatus,
    /// It happened then, by the network's clock.
    pub at: OffsetDateTime,
    pub error: Option<NetworkError>,
}

/// It is an update in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub id: JournalId,
    pub workspace: WorkspaceId,
    /// It came then.
    pub received_at: OffsetDateTime,
    pub attempts: u32,
    pub item: JournalItem,
}

/// The journal holds this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalItem {
    /// The network told a status.
    Status(StatusUpdate),
    /// An account's templates have changed.
    TemplatesChanged { account_network_id: String },
    /// An account stands otherwise from now on.
    AccountStanding { account_network_id: String, standing: AccountStanding },
    /// Something happened in a conversation over this channel.
    Conversation { channel: ChannelId, update: Box<ConversationUpdate> },
    /// The network is to be asked for a message over this channel.
    Named { channel: ChannelId, named: NamedMessage },
}

impl JournalItem {
    /// Returns the network that it came from.
    fn network(&self) -> ChannelKind {
        match self {
            // WhatsApp alone has business accounts with templates, and tells of each message by itself: of pages and
            // Instagram accounts statuses come as how far a conversation has come.
            Self::Status(_) | Self::TemplatesChanged { .. } | Self::AccountStanding { .. } => {
                ChannelKind::Whatsapp
            }
            Self::Conversation { update, .. } => update.network(),
            Self::Named { named, .. } => named.network,
        }
    }
}

/// This process has taken up the update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldUpdate {
    pub entry: JournalEntry,
    /// It is its place: what was acknowledged before another post came has a lower one than all that this one
    /// brought.
    pub place: i64,
    /// It says whether it has lost its place: it was put back for a while, and nothing waits for it.
    pub late: bool,
    /// Handling it has failed so often since it was taken up.
    pub failures: u32,
}

/// These updates were journaled as taken up by this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandedOver {
    pub updates: Vec<HeldUpdate>,
    /// This process holds them under this number; 0 when it does not.
    pub holder: i32,
    /// It says whether the journal may hold earlier ones that nobody has taken up.
    pub behind: bool,
}

/// These updates were taken out of the journal to be handled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claimed {
    /// They can be read, and are listed by their places.
    pub entries: Vec<HeldUpdate>,
    /// They cannot be read.
    pub unreadable: Vec<UnreadableEntry>,
    /// It says whether another process works off this workspace's journal: then nothing was taken.
    pub elsewhere: bool,
}

/// It is an update in the journal that cannot be read: its key is missing, or it is spoiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableEntry {
    pub id: JournalId,
    pub attempts: u32,
    /// It says why, without quoting it.
    pub reason: String,
}

/// It says what became of a journaled update.
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
    /// It can never be handled, for this reason, and is set aside at once.
    Lost(String),
    /// The store could not be reached, for this reason. It keeps its place.
    Unreached(String),
}

impl UpdateOutcome {
    /// Says what this failure of the store means for the update that it befell.
    pub(crate) fn of(error: &StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unreached(error.to_string()),
            StoreError::Stale | StoreError::NotMember | StoreError::NotOwner | StoreError::Internal(_) => {
                Self::Failed(error.to_string())
            }
        }
    }
}

/// It says what a round leaves in the journal, and what it takes out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settlement {
    /// They are done with, and leave the journal.
    pub handled: Vec<JournalId>,
    /// They are put back until then, and lose their places.
    pub postponed: Vec<(JournalId, OffsetDateTime)>,
    /// They were tried often enough, and leave the journal for the quarantine.
    pub set_aside: Vec<SetAside>,
}

/// The update leaves the journal for the quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    pub id: JournalId,
    /// It came from this network; `None` where the update cannot be opened.
    pub network: Option<ChannelKind>,
    /// The last try failed for this reason.
    pub reason: String,
}
