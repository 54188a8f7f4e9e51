//! A proposal that was put to a customer.

use time::{Duration, OffsetDateTime};

use super::{Language, Proposal};
use crate::{
    ids::{ConversationId, DraftId, MessageId, SystemId, WorkspaceId},
    orders::CreationKey,
    sending::ReplyAuthor,
    vault::Vault,
};

/// It says how long a customer may confirm a summary: prices and free times are not promised for longer.
pub const DRAFT_GOOD_FOR: Duration = Duration::minutes(30);
/// The key of a commitment is hashed for this.
const KEY: &str = "commitment key";

/// It says what kind of thing is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DraftKind {
    /// An order is to be placed.
    Order,
    /// A slot is to be booked.
    Booking,
    /// An order is to be cancelled.
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

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// It says where a draft stands. Only an open one can be confirmed, and a conversation has one at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DraftState {
    /// The customer may confirm it.
    Open,
    /// The customer has confirmed it.
    Confirmed,
    /// The customer has said no.
    Declined,
    /// Somebody of the team took it back.
    Withdrawn,
    /// Another draft took its place.
    Replaced,
    /// Nobody confirmed it in time.
    Expired,
}

impl DraftState {
    pub const ALL: [Self; 6] =
        [Self::Open, Self::Confirmed, Self::Declined, Self::Withdrawn, Self::Replaced, Self::Expired];

    /// Returns its name in the API and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Confirmed => "confirmed",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Replaced => "replaced",
            Self::Expired => "expired",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// The proposal was put to a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub id: DraftId,
    /// It was put in this conversation.
    pub conversation: ConversationId,
    /// This would be sent.
    pub proposal: Proposal,
    /// It is the message that says it. It may not have left, or have been refused: then the customer has
    /// confirmed nothing.
    pub summary: MessageId,
    pub author: ReplyAuthor,
    /// It is the system that it would be sent to: another one that is connected meanwhile has promised
    /// nothing.
    pub system: SystemId,
    pub language: Language,
    /// The assistant proposed it while it was only tried: the system is never asked for it, whatever is set by the time
    /// that the customer confirms.
    pub tried: bool,
    pub created_at: OffsetDateTime,
    /// It may be confirmed until then.
    pub expires_at: OffsetDateTime,
}

impl Draft {
    /// Says whether a message of that time may still confirm it.
    pub fn is_good_at(&self, said_at: OffsetDateTime) -> bool {
        (self.created_at..self.expires_at).contains(&said_at)
    }
}

/// Returns the key under which a system is asked for what a customer confirmed. The same confirmation has the
/// same key, after any crash, and nothing else has it; who knows a draft cannot compute it.
pub fn commitment_key(
    vault: &dyn Vault,
    workspace: WorkspaceId,
    draft: DraftId,
    confirmed_by: MessageId,
    proposal: &Proposal,
) -> Option<CreationKey> {
    let mut data = format!("{workspace}/{draft}/{confirmed_by}/").into_bytes();
    data.extend(proposal.canonical());
    let hash = vault.keyed_hash(KEY, &data);
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let written: String = digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
    CreationKey::parse(&written)
}
