//! The people of a broadcast, and what became of each.

use serde::Serialize;
use time::{Duration, OffsetDateTime};

use super::left_out::LeftOutNumber;
use crate::{
    contacts::ContactName,
    ids::{ChannelId, ContactId, MessageId},
    phone::PhoneNumber,
};

/// Time after a broadcast's message in which a message or an opt-out counts as an answer to it.
pub const ANSWERED_WITHIN: Duration = Duration::days(30);

/// State of a person of a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonState {
    Queued,
    /// The network has their message.
    Sent,
    /// The network may or may not have the message, which is never sent again.
    Unconfirmed,
    /// The network refused the message.
    Failed,
    Skipped,
}

impl PersonState {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Sent, Self::Unconfirmed, Self::Failed, Self::Skipped];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Unconfirmed => "unconfirmed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Parses a name that `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Reason for skipping a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    MarketingStopped,
    /// The name is needed and unknown.
    NoName,
    /// A column of the list is needed, and blank for them.
    NoValue,
    /// Their name or cell is no value that the template takes.
    Value,
}

impl SkipReason {
    pub const ALL: [Self; 4] = [Self::MarketingStopped, Self::NoName, Self::NoValue, Self::Value];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MarketingStopped => "marketing_stopped",
            Self::NoName => "no_name",
            Self::NoValue => "no_value",
            Self::Value => "value",
        }
    }
}

/// State by which a broadcast's people are listed: how far it is with them, or what followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleState {
    Is(PersonState),
    Delivered,
    Read,
    /// The network took the message and could not deliver it.
    Undelivered,
    Answered,
    Stopped,
}

impl PeopleState {
    pub const ALL: [Self; 10] = [
        Self::Is(PersonState::Queued),
        Self::Is(PersonState::Sent),
        Self::Is(PersonState::Unconfirmed),
        Self::Is(PersonState::Failed),
        Self::Is(PersonState::Skipped),
        Self::Delivered,
        Self::Read,
        Self::Undelivered,
        Self::Answered,
        Self::Stopped,
    ];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Is(state) => state.as_str(),
            Self::Delivered => "delivered",
            Self::Read => "read",
            Self::Undelivered => "undelivered",
            Self::Answered => "answered",
            Self::Stopped => "stopped",
        }
    }

    /// Parses a name that `as_str` returns; `None` for anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Filter of a broadcast's people; all parts that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleFilter {
    pub state: Option<PeopleState>,
    /// Reason for which they were skipped or refused, or the network's code for a failed delivery.
    pub reason: Option<String>,
}

impl PeopleFilter {
    /// Lists the names of the parts that are set.
    pub fn parts(&self) -> Vec<&'static str> {
        let parts = [("state", self.state.is_some()), ("reason", self.reason.is_some())];
        parts.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect()
    }
}

/// Person that a broadcast goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastPerson {
    /// `None` for a number on a list that belonged to no contact when it was collected.
    pub contact: Option<ContactId>,
    /// Unique within the broadcast.
    pub phone: PhoneNumber,
    /// Name from the list, the team or the person.
    pub name: Option<ContactName>,
    /// Id of their message, assigned before anything is sent, so that it is sent once.
    pub message: MessageId,
}

/// Result for a person, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonResult {
    pub message: MessageId,
    pub state: PersonState,
    /// Why they were skipped, or the network refused.
    pub reason: Option<String>,
    /// Number that has written to them, or may have; `None` if none has.
    pub written_by: Option<ChannelId>,
    pub at: OffsetDateTime,
}

/// Progress of a broadcast.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BroadcastProgress {
    /// Number of people by state and, where there is one, reason.
    pub people: Vec<(PersonState, Option<String>, u64)>,
    pub delivered: u64,
    pub read: u64,
    /// Messages that the network took and could not deliver.
    pub undelivered: u64,
    /// The network's codes for failed deliveries, each with its count, of the newest 10,000.
    pub undelivered_codes: Vec<(i64, u64)>,
    /// People who have written since they got theirs.
    pub answered: u64,
    /// People who have opted out of marketing since they got theirs.
    pub stopped: u64,
    pub left_out: Vec<LeftOutNumber>,
}

impl BroadcastProgress {
    /// Returns the number of people in a state.
    pub fn count(&self, state: PersonState) -> u64 {
        self.people.iter().filter(|(is, _, _)| *is == state).map(|(_, _, count)| count).sum()
    }

    /// Returns the number of people collected so far.
    pub fn everybody(&self) -> u64 {
        self.people.iter().map(|(_, _, count)| count).sum()
    }

    /// Lists the reasons for which people were skipped, refused or not delivered to, with their counts.
    pub fn reasons(&self) -> Vec<(String, u64)> {
        let people = self.people.iter().filter_map(|(_, reason, people)| Some((reason.clone()?, *people)));
        let codes = self.undelivered_codes.iter().map(|(code, people)| (code.to_string(), *people));
        let mut reasons: Vec<(String, u64)> = Vec::new();
        for (reason, people) in people.chain(codes) {
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, sum)) => *sum = sum.saturating_add(people),
                None => reasons.push((reason, people)),
            }
        }
        reasons
    }

    /// Moves `told` people from unconfirmed to sent: a status has shown since that the network has their
    /// message.
    pub fn confirm(&mut self, told: u64) {
        let mut left = told;
        for (_, _, count) in self.people.iter_mut().filter(|(is, ..)| *is == PersonState::Unconfirmed) {
            let moved = left.min(*count);
            (*count, left) = (*count - moved, left - moved);
        }
        let moved = told - left;
        if moved == 0 {
            return;
        }
        let sent =
            self.people.iter_mut().find(|(is, reason, _)| *is == PersonState::Sent && reason.is_none());
        match sent {
            Some((_, _, count)) => *count += moved,
            None => self.people.push((PersonState::Sent, None, moved)),
        }
        self.people.retain(|(_, _, count)| *count > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::{BroadcastProgress, PeopleState, PersonState};

    #[test]
    fn who_was_unconfirmed_counts_as_sent_once_it_is_told() {
        let (sent, open) = (PersonState::Sent, PersonState::Unconfirmed);
        for (people, told, wanted) in [
            (vec![(sent, None, 5), (open, None, 3)], 2, vec![(sent, None, 7), (open, None, 1)]),
            (vec![(open, None, 3)], 3, vec![(sent, None, 3)]),
            // A count above that of unconfirmed people moves only those.
            (vec![(open, None, 1)], 9, vec![(sent, None, 1)]),
            (vec![(sent, None, 5)], 0, vec![(sent, None, 5)]),
        ] {
            let everybody: u64 = people.iter().map(|(_, _, count)| count).sum();
            let mut progress = BroadcastProgress { people, ..BroadcastProgress::default() };
            progress.confirm(told);
            assert_eq!(progress.people, wanted);
            assert_eq!(progress.everybody(), everybody, "nobody is lost");
        }
    }

    #[test]
    fn a_code_is_one_reason_whether_the_network_refused_at_once_or_afterwards() {
        let reason = |reason: &str| Some(reason.to_owned());
        let progress = BroadcastProgress {
            people: vec![
                (PersonState::Failed, reason("131026"), 2),
                (PersonState::Sent, None, 9),
                (PersonState::Skipped, reason("no_name"), 1),
            ],
            undelivered_codes: vec![(131_049, 4), (131_026, 3)],
            ..BroadcastProgress::default()
        };
        let wanted = [("131026", 5), ("no_name", 1), ("131049", 4)];
        assert_eq!(progress.reasons(), wanted.map(|(reason, people)| (reason.to_owned(), people)));
        assert_eq!(BroadcastProgress::default().reasons(), []);
    }

    #[test]
    fn every_filter_is_read_by_its_own_name() {
        for state in PeopleState::ALL {
            assert_eq!(PeopleState::read(state.as_str()), Some(state));
        }
        assert_eq!(PeopleState::read("nonsense"), None);
    }
}
