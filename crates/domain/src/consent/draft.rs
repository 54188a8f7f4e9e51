//! Drafts: proposals that were put to customers.

use time::{Duration, OffsetDateTime};

use super::proposal::Proposal;
use crate::{
    ids::{ConversationId, DraftId, MessageId, SystemId, WorkspaceId},
    language::Language,
    messages::ReplyAuthor,
    orders::CreationKey,
    vault::Vault,
};

/// Time in which a customer may confirm a summary: prices and free times are not promised for longer.
pub const DRAFT_GOOD_FOR: Duration = Duration::minutes(30);
/// Purpose under which the vault hashes a commitment's key.
const KEY: &str = "commitment key";

/// State of a draft. Only an open one can be confirmed, and a conversation has one at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DraftState {
    Open,
    Confirmed,
    Declined,
    /// A member took it back, or its summary was never sent.
    Withdrawn,
    Replaced,
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

    /// Parses what [`Self::as_str`] returns; `None` for any other text.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A proposal that was put to a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    pub id: DraftId,
    pub conversation: ConversationId,
    pub proposal: Proposal,
    /// Message that holds the summary. It may be unsent or refused: then the customer has confirmed nothing.
    pub summary: MessageId,
    pub author: ReplyAuthor,
    /// System that quoted it and would be asked; another one that is connected later has promised nothing.
    pub system: SystemId,
    pub language: Language,
    /// Whether the assistant proposed it in test mode: the system is never asked for it, whatever the mode at
    /// the time of the confirmation.
    pub tried: bool,
    pub created_at: OffsetDateTime,
    /// End of the time in which it may be confirmed, exclusive.
    pub expires_at: OffsetDateTime,
}

impl Draft {
    /// Returns whether a message of that time may still confirm it.
    pub fn is_good_at(&self, said_at: OffsetDateTime) -> bool {
        (self.created_at..self.expires_at).contains(&said_at)
    }
}

/// Derives the idempotency key under which a system is asked for what a customer confirmed. Each confirmation
/// has one key, the same after any crash; without the vault it cannot be computed from the draft.
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
