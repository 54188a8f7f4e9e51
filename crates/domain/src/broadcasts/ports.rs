//! What broadcasts need from outside.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    Bar, Broadcast, BroadcastContent, BroadcastList, BroadcastPerson, BroadcastProgress, BroadcastState,
    ColumnValues, LeftOutNumber, ListedNumber, MarketingStop, NumberLimit, PauseReason, PeopleFilter,
    PersonResult, PersonState, Prices, WrittenTo,
};
use crate::{
    access::audit::AuditEntry,
    broadcasts::Audience,
    contacts::Contact,
    errors::StoreError,
    ids::{AccountId, BroadcastId, BroadcastListId, ChannelId, ContactId, GroupId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};

/// It changes a broadcast's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    pub broadcast: BroadcastId,
    /// It is the state until now.
    pub from: BroadcastState,
    /// It is the state from now on.
    pub to: BroadcastState,
    /// It says why the broadcast was paused by itself.
    pub reason: Option<PauseReason>,
    /// The broadcast begins then, or has begun.
    pub starts_at: Option<OffsetDateTime>,
    pub at: OffsetDateTime,
}

/// It is one of a broadcast's people as they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPerson {
    /// It is the person, with the message that they get.
    pub person: BroadcastPerson,
    pub state: PersonState,
    /// It says why, where they are left out or the network refused.
    pub reason: Option<String>,
    /// It was written down then; before that, it is when they were collected.
    pub at: OffsetDateTime,
    /// It says what became of their message.
    pub followed: Followed,
}

/// It says what became of a person's message, and what they did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    /// The message came to their phone then.
    pub delivered_at: Option<OffsetDateTime>,
    /// They read it then.
    pub read_at: Option<OffsetDateTime>,
    /// The network told then that it could not be delivered.
    pub undelivered_at: Option<OffsetDateTime>,
    /// It is the network's code for why it could not be delivered.
    pub code: Option<i64>,
    /// They first wrote since then.
    pub answered_at: Option<OffsetDateTime>,
    /// They stopped marketing since then.
    pub stopped_at: Option<OffsetDateTime>,
}

/// People were found, in the order of their messages' ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPeople {
    /// There is up to one more than was asked for.
    pub rows: Vec<ListedPerson>,
    /// People were looked at up to there, where fewer were found and there may be more.
    pub reached: Option<MessageId>,
}

/// A send that was begun, as the ledger of sends knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BegunSend {
    /// The network has it, from this number.
    Sent(ChannelId),
    /// It was begun then from this number, and nothing is known of its end.
    InFlight(ChannelId, OffsetDateTime),
}

/// It keeps broadcasts and their people.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BroadcastStore: Send + Sync {
    /// Broadcasts after the page's place, newest first: up to one more than the page holds.
    async fn list(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<Broadcast>, StoreError>;

    /// Returns one, or `None`.
    async fn find(&self, workspace: WorkspaceId, id: BroadcastId) -> Result<Option<Broadcast>, StoreError>;

    /// Writes a draft, with the entry; `false`, and nothing is written, when there are `most` that are not over.
    async fn add(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Replaces a draft's name, content and audience, with the entry; `false` when there is no such draft any more.
    async fn edit(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        name: &str,
        content: &BroadcastContent,
        audience: &Audience,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Removes a draft, with the entry; `false` when there is no such draft any more.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Changes a state, with the entry, and tells the feed; `false` when the state is another one by now. One that is set
    /// running is due at once, or, where the entry is the service's own, when a lease has ended; and it goes on
    /// with all numbers again.
    async fn change(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// The same for one that begins, as long as its content and its audience are those of `checked`; `false` when they, or
    /// its state, are others by now.
    async fn start(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
        checked: &Broadcast,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Workspaces with a broadcast to begin or to go on with by `now`. Only reads.
    async fn workspaces_with_broadcasts(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up one that is scheduled or running and due by `now`; it is due again at `lease_until`. `None` when there is
    /// none, or somebody else was faster.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<Broadcast>, StoreError>;

    /// Makes a running one due at `at`; `false` when it is not running any more.
    async fn postpone(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Makes a running one due at `at`, and notes until when it waits for the network's limit of people, if it does; tells
    /// the feed. `false` when it is not running any more.
    async fn wait(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        limited_until: Option<OffsetDateTime>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Returns the numbers that it goes on without, the first that was left out first.
    async fn left_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<Vec<LeftOutNumber>, StoreError>;

    /// Notes that it goes on without these numbers, and why, and tells the feed. What is known of one that was left out before
    /// stays.
    async fn leave_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        numbers: &[ChannelId],
        bar: Bar,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// In one transaction: adds people, each number once, and notes up to where the audience was collected; `None` is its
    /// end. `false`, and nothing is written, when it is not running any more, or not collected up to `after` but to some
    /// other place by now.
    async fn collect(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        people: &[BroadcastPerson],
        after: Option<Position>,
        reached: Option<Position>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Returns those of these contacts with a conversation that is in the group's hands.
    async fn in_group(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        contacts: &[ContactId],
    ) -> Result<HashSet<ContactId>, StoreError>;

    /// Says whether the workspace has such a group.
    async fn has_group(&self, workspace: WorkspaceId, group: GroupId) -> Result<bool, StoreError>;

    /// Returns what messages cost, where somebody has written it down.
    async fn prices(&self, workspace: WorkspaceId) -> Result<Option<Prices>, StoreError>;

    /// Keeps what messages cost, with the entry.
    async fn set_prices(
        &self,
        workspace: WorkspaceId,
        prices: &Prices,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Counts those of these ids that are contacts, or were before they turned out to be somebody else's.
    async fn count_contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<usize, StoreError>;

    /// Returns the contacts of these ids, and of those that they have become.
    async fn contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<Vec<Contact>, StoreError>;

    /// Lists up to `limit` people who are still to be written to, behind a message, in the order of their
    /// messages' ids.
    async fn queued(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        behind: Option<MessageId>,
        limit: u32,
    ) -> Result<Vec<BroadcastPerson>, StoreError>;

    /// Returns those of the messages that were begun.
    async fn begun(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<HashMap<MessageId, BegunSend>, StoreError>;

    /// Writes down what became of people who were still to be written to, counts them for the numbers that have written to
    /// them, and tells the feed; whether the broadcast is running.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        results: &[PersonResult],
    ) -> Result<bool, StoreError>;

    /// Says how far it is.
    async fn progress(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<BroadcastProgress, StoreError>;

    /// Returns its people whose messages' ids come before `before`, the last first, who pass the filter: up
    /// to one more than `rows`.
    async fn people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        filter: &PeopleFilter,
        rows: u32,
        before: Option<MessageId>,
    ) -> Result<FoundPeople, StoreError>;

    /// Whether the message is that of one of its people.
    async fn is_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        message: MessageId,
    ) -> Result<bool, StoreError>;

    /// The names of those of these broadcasts that there are.
    async fn names(
        &self,
        workspace: WorkspaceId,
        ids: &[BroadcastId],
    ) -> Result<HashMap<BroadcastId, String>, StoreError>;
}

/// It knows how many people numbers may begin to write to, and how many they have.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessagingLimitStore: Send + Sync {
    /// Returns the limits of the workspace's numbers, as the network told them last.
    async fn limits(&self, workspace: WorkspaceId) -> Result<Vec<NumberLimit>, StoreError>;

    /// Returns how many people these accounts' numbers have written to by templates since `since`, by the span. Somebody
    /// counts for each broadcast, and once for all that was sent otherwise, unless they had written within 24 hours
    /// before.
    async fn written_to(
        &self,
        workspace: WorkspaceId,
        accounts: &[AccountId],
        since: OffsetDateTime,
    ) -> Result<Vec<WrittenTo>, StoreError>;
}

/// It keeps lists of numbers.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BroadcastListStore: Send + Sync {
    /// Lists all of them, the newest first.
    async fn lists(&self, workspace: WorkspaceId) -> Result<Vec<BroadcastList>, StoreError>;

    /// Returns one that is complete.
    async fn complete_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
    ) -> Result<Option<BroadcastList>, StoreError>;

    /// Adds one that is not complete; `false`, and nothing is written, when there are `most`, complete or not.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        list: &BroadcastList,
        most: u32,
    ) -> Result<bool, StoreError>;

    /// Adds people to it, each number once, and returns how many were new.
    async fn add_to(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        people: &[ListedNumber],
    ) -> Result<u64, StoreError>;

    /// Makes it complete, with the entry.
    async fn complete(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        people: u64,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Says whether a broadcast that is not over goes to it.
    async fn is_needed(&self, workspace: WorkspaceId, id: BroadcastListId) -> Result<bool, StoreError>;

    /// Removes one with its people, without anybody being told: one that broke off.
    async fn forget(&self, workspace: WorkspaceId, id: BroadcastListId) -> Result<(), StoreError>;

    /// Removes one with its people, with the entry; `false` when there is none.
    async fn remove_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists up to `limit` people of it whose places come after, in order, with who is known by the number.
    async fn people_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        after: Option<uuid::Uuid>,
        limit: u32,
    ) -> Result<Vec<(ListedNumber, Option<Contact>)>, StoreError>;

    /// Returns what the columns say of these numbers.
    async fn values_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        phones: &[PhoneNumber],
    ) -> Result<HashMap<PhoneNumber, ColumnValues>, StoreError>;
}

/// It keeps who wants no marketing, by number.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MarketingStopStore: Send + Sync {
    /// Returns what is known of a number.
    async fn stop_of(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<MarketingStop>, StoreError>;

    /// Returns those of the numbers that get no marketing.
    async fn stopped(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<PhoneNumber>, StoreError>;

    /// Keeps a stop, with the entry where somebody of the team made it; one that there is already stays, and so does a
    /// later wish to have it again.
    async fn stop(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        stop: MarketingStop,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError>;

    /// Ends a stop of before `at`, with the entry where somebody of the team did it; what is told late, of before, stops
    /// nothing any more.
    async fn resume(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        at: OffsetDateTime,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError>;
}
