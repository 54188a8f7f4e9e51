//! A person of a broadcast, and what became of writing to them.

use time::OffsetDateTime;

use crate::{
    contacts::ContactName,
    ids::{ContactId, MessageId},
    phone::PhoneNumber,
};

/// How far a broadcast is with a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonState {
    /// They are still to be written to.
    Queued,
    /// The network has their message.
    Sent,
    /// Nobody knows whether the network has it. It is never sent again.
    Unconfirmed,
    /// The network refused it.
    Failed,
    /// They are left out.
    Skipped,
}

impl PersonState {
    /// Every state.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Sent, Self::Unconfirmed, Self::Failed, Self::Skipped];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Unconfirmed => "unconfirmed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Why a person is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// They want no marketing.
    MarketingStopped,
    /// Their name is wanted, and there is none.
    NoName,
    /// What is filled in for them is no value of the template.
    Value,
}

impl SkipReason {
    /// Every reason.
    pub const ALL: [Self; 3] = [Self::MarketingStopped, Self::NoName, Self::Value];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MarketingStopped => "marketing_stopped",
            Self::NoName => "no_name",
            Self::Value => "value",
        }
    }
}

/// Somebody who is to be written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastPerson {
    /// Who.
    pub contact: ContactId,
    /// Where; a number is of a broadcast once.
    pub phone: PhoneNumber,
    /// What they are called, by the team or by themselves.
    pub name: Option<ContactName>,
    /// The message that they get: given before anything is sent, so that it is sent once.
    pub message: MessageId,
}

/// What became of a person, to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonResult {
    /// Whose.
    pub phone: PhoneNumber,
    /// How far it is with them.
    pub state: PersonState,
    /// Why, where they are left out or the network refused.
    pub reason: Option<String>,
    /// When.
    pub at: OffsetDateTime,
}

/// How far a broadcast is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BroadcastProgress {
    /// People by how far it is with them, and by the reason where there is one.
    pub people: Vec<(PersonState, Option<String>, u64)>,
    /// Messages that came to a phone.
    pub delivered: u64,
    /// Those of them that were read.
    pub read: u64,
    /// Messages that the network took and could not deliver.
    pub undelivered: u64,
    /// People who have written since they got theirs.
    pub answered: u64,
    /// People who have stopped marketing since they got theirs.
    pub stopped: u64,
}

impl BroadcastProgress {
    /// How many people are in a state.
    pub fn count(&self, state: PersonState) -> u64 {
        self.people.iter().filter(|(is, _, _)| *is == state).map(|(_, _, count)| count).sum()
    }
}
