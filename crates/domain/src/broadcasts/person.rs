//! A person of a broadcast, and what became of writing to them.

use time::{Duration, OffsetDateTime};

use super::LeftOutNumber;
use crate::{
    contacts::ContactName,
    ids::{ChannelId, ContactId, MessageId},
    phone::PhoneNumber,
};

/// Whoever writes, or stops marketing, within so long of a broadcast's message has answered it.
pub const ANSWERED_WITHIN: Duration = Duration::days(30);

/// It says how far a broadcast is with a person.
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
    Skipped,
}

impl PersonState {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Sent, Self::Unconfirmed, Self::Failed, Self::Skipped];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Unconfirmed => "unconfirmed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// It says why a person is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SkipReason {
    /// They want no marketing.
    MarketingStopped,
    /// Their name is wanted, and there is none.
    NoName,
    /// A column of the list is wanted, and is blank for them.
    NoValue,
    /// What is filled in for them is no value of the template.
    Value,
}

impl SkipReason {
    pub const ALL: [Self; 4] = [Self::MarketingStopped, Self::NoName, Self::NoValue, Self::Value];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MarketingStopped => "marketing_stopped",
            Self::NoName => "no_name",
            Self::NoValue => "no_value",
            Self::Value => "value",
        }
    }
}

/// It says whom a list of a broadcast's people shows, by how far it is with them or by what followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleState {
    /// It finds those in this state.
    Is(PersonState),
    /// It finds those whose message came to a phone.
    Delivered,
    /// It finds those who have read it.
    Read,
    /// It finds those whose message the network took and could not deliver.
    Undelivered,
    /// It finds those who wrote since.
    Answered,
    /// It finds those who have stopped marketing since.
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

    /// Returns its name on the wire.
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

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// It says which of a broadcast's people are listed: those who pass every part that is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PeopleFilter {
    /// It finds people by how far it is with them.
    pub state: Option<PeopleState>,
    /// It finds them by why they were left out or refused, or, of what could not be delivered, by the
    /// network's code.
    pub reason: Option<String>,
}

impl PeopleFilter {
    /// Lists the names of the parts that are set.
    pub fn parts(&self) -> Vec<&'static str> {
        let parts = [("state", self.state.is_some()), ("reason", self.reason.is_some())];
        parts.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect()
    }
}

/// They are to be written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastPerson {
    /// It is `None` of somebody on a list who was not known then.
    pub contact: Option<ContactId>,
    /// A broadcast has a number once.
    pub phone: PhoneNumber,
    /// They are called so by the team or by themselves.
    pub name: Option<ContactName>,
    /// It is the message that they get: given before anything is sent, so that it is sent once.
    pub message: MessageId,
}

/// It says what became of a person, and is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonResult {
    /// It is the message that they were to get.
    pub message: MessageId,
    pub state: PersonState,
    /// It says why, where they are left out or the network refused.
    pub reason: Option<String>,
    /// It is the number that has written to them, or may have; `None` where none has.
    pub written_by: Option<ChannelId>,
    /// It was decided here then.
    pub at: OffsetDateTime,
}

/// It says how far a broadcast is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BroadcastProgress {
    /// They are people by how far it is with them, and by the reason where there is one.
    pub people: Vec<(PersonState, Option<String>, u64)>,
    /// So many messages came to a phone.
    pub delivered: u64,
    /// So many of them were read.
    pub read: u64,
    /// The network took so many messages and could not deliver them.
    pub undelivered: u64,
    /// They are the network's codes for why, of the newest 10,000 of these, with how many messages have each.
    pub undelivered_codes: Vec<(i64, u64)>,
    /// So many people have written since they got theirs.
    pub answered: u64,
    /// So many people have stopped marketing since they got theirs.
    pub stopped: u64,
    /// It goes on without these numbers.
    pub left_out: Vec<LeftOutNumber>,
}

impl BroadcastProgress {
    /// Returns how many people are in a state.
    pub fn count(&self, state: PersonState) -> u64 {
        self.people.iter().filter(|(is, _, _)| *is == state).map(|(_, _, count)| count).sum()
    }

    /// Returns how many were collected so far.
    pub fn everybody(&self) -> u64 {
        self.people.iter().map(|(_, _, count)| count).sum()
    }

    /// Lists why people were left out or refused, or could not be delivered to, with how many there are of each.
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

    /// Counts so many whose outcome was not known: a status has told since that the network has their
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
            // More than there are is no more than there are.
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
