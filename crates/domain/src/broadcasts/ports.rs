//! Ports of broadcasts.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    audience::Audience,
    content::BroadcastContent,
    left_out::LeftOutNumber,
    limit::{NumberLimit, WrittenTo},
    list::{BroadcastList, ColumnValues, ListedNumber},
    person::{BroadcastPerson, BroadcastProgress, PeopleFilter, PersonResult, PersonState},
    prices::Prices,
    senders::Bar,
    state::{Broadcast, BroadcastState},
    stop::MarketingStop,
};
use crate::{
    audit::AuditEntry,
    contacts::Contact,
    errors::StoreError,
    ids::{AccountId, BroadcastId, BroadcastListId, ChannelId, ContactId, GroupId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
    pause_reason::PauseReason,
    phone::PhoneNumber,
};

/// Change of a broadcast's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    pub broadcast: BroadcastId,
    pub from: BroadcastState,
    pub to: BroadcastState,
    /// Why the service paused the broadcast; `None` for any other change.
    pub reason: Option<PauseReason>,
    pub starts_at: Option<OffsetDateTime>,
    pub at: OffsetDateTime,
}

/// Person of a broadcast as they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPerson {
    pub person: BroadcastPerson,
    pub state: PersonState,
    /// Why they were skipped, or the network refused.
    pub reason: Option<String>,
    /// Time of the result; before that, of the collection.
    pub at: OffsetDateTime,
    pub followed: Followed,
}

/// Delivery of a person's message, and what they did since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    pub delivered_at: Option<OffsetDateTime>,
    pub read_at: Option<OffsetDateTime>,
    /// When the network reported that it could not be delivered.
    pub undelivered_at: Option<OffsetDateTime>,
    /// The network's code for a failed delivery.
    pub code: Option<i64>,
    /// Their first message since.
    pub answered_at: Option<OffsetDateTime>,
    pub stopped_at: Option<OffsetDateTime>,
}

/// People found, by descending message id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPeople {
    /// Up to one more than was asked for.
    pub rows: Vec<ListedPerson>,
    /// Id up to which people were examined, if fewer were found and there may be more.
    pub reached: Option<MessageId>,
}

/// Send that was begun, as the ledger of sends knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BegunSend {
    /// Accepted by the network, from this number.
    Sent(ChannelId),
    /// Begun from this number at this time, with no known outcome.
    InFlight(ChannelId, OffsetDateTime),
}

/// Storage of broadcasts and their people.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BroadcastStore: Send + Sync {
    /// Lists broadcasts after the page's position, newest first: up to one more than the page holds.
    async fn list(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<Broadcast>, StoreError>;

    async fn find(&self, workspace: WorkspaceId, id: BroadcastId) -> Result<Option<Broadcast>, StoreError>;

    /// Adds a draft, with the audit entry; `false`, with nothing written, if `most` broadcasts are not over.
    async fn add(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Replaces a draft's name, content and audience, with the audit entry; `false` if there is no such draft
    /// any more.
    async fn edit(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        name: &str,
        content: &BroadcastContent,
        audience: &Audience,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Removes a draft, with the audit entry; `false` if there is no such draft any more.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Changes the state, with the audit entry, and notifies the live feed; `false` if the state is another
    /// one by now. A broadcast set running is due at once, or after a lease if the entry is the service's
    /// own, and uses all numbers again.
    async fn change(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Starts a broadcast as `change` does; `false` also if its content or audience are no longer those of
    /// `checked`.
    async fn start(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
        checked: &Broadcast,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspaces with a scheduled or running broadcast due by `now`. Only reads.
    async fn workspaces_with_broadcasts(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims a scheduled or running broadcast that is due by `now` until `lease_until`; `None` if there is
    /// none, or somebody else was faster.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<Broadcast>, StoreError>;

    /// Makes a running broadcast due at `at`; `false` if it is not running any more.
    async fn postpone(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Makes a running broadcast due at `at`, stores until when it waits for the network's limit, if it does,
    /// and notifies the live feed; `false` if it is not running any more.
    async fn wait(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        limited_until: Option<OffsetDateTime>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Lists the numbers that the broadcast does without, in the order they were left out.
    async fn left_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<Vec<LeftOutNumber>, StoreError>;

    /// Stores that the broadcast does without these numbers, and why, and notifies the live feed. What is
    /// known of a number left out before stays.
    async fn leave_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        numbers: &[ChannelId],
        bar: Bar,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Adds people, each number once, and stores up to where the audience was collected (`None` is its end),
    /// in one transaction. Returns `false`, with nothing written, if the broadcast is not running any more,
    /// or was collected up to another position than `after` by now.
    async fn collect(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        people: &[BroadcastPerson],
        after: Option<Position>,
        reached: Option<Position>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Returns those of these contacts with a conversation that belongs to the group.
    async fn in_group(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        contacts: &[ContactId],
    ) -> Result<HashSet<ContactId>, StoreError>;

    async fn has_group(&self, workspace: WorkspaceId, group: GroupId) -> Result<bool, StoreError>;

    /// Returns the prices of messages; `None` if nobody has entered any.
    async fn prices(&self, workspace: WorkspaceId) -> Result<Option<Prices>, StoreError>;

    async fn set_prices(
        &self,
        workspace: WorkspaceId,
        prices: &Prices,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Counts those of these ids that are contacts, or were before they were merged into another.
    async fn count_contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<usize, StoreError>;

    /// Returns the contacts of these ids, and those that they were merged into.
    async fn contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<Vec<Contact>, StoreError>;

    /// Lists up to `limit` people who are still to be written to, after the message `behind`, by message id.
    async fn queued(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        behind: Option<MessageId>,
        limit: u32,
    ) -> Result<Vec<BroadcastPerson>, StoreError>;

    /// Returns the sends that were begun for these messages.
    async fn begun(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<HashMap<MessageId, BegunSend>, StoreError>;

    /// Stores the results of people who were still queued, counts them for the numbers that have written to
    /// them, and notifies the live feed; returns whether the broadcast is running.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        results: &[PersonResult],
    ) -> Result<bool, StoreError>;

    async fn progress(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<BroadcastProgress, StoreError>;

    /// Lists the broadcast's people who pass the filter, by descending message id, before `before`: up to one
    /// more than `rows`.
    async fn people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        filter: &PeopleFilter,
        rows: u32,
        before: Option<MessageId>,
    ) -> Result<FoundPeople, StoreError>;

    /// Returns whether the message is that of one of the broadcast's people.
    async fn is_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        message: MessageId,
    ) -> Result<bool, StoreError>;

    /// Returns the names of those of `ids` that exist.
    async fn names(
        &self,
        workspace: WorkspaceId,
        ids: &[BroadcastId],
    ) -> Result<HashMap<BroadcastId, String>, StoreError>;
}

/// Storage of the network's limits, and of how many people the numbers have written to.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessagingLimitStore: Send + Sync {
    /// Returns the limits of the workspace's numbers, as the network reported them last.
    async fn limits(&self, workspace: WorkspaceId) -> Result<Vec<NumberLimit>, StoreError>;

    /// Counts the people that these accounts' numbers have written to by template since `since`, by span. A
    /// person counts for each broadcast, and once for all other sends, unless they had written within the 24
    /// hours before.
    async fn written_to(
        &self,
        workspace: WorkspaceId,
        accounts: &[AccountId],
        since: OffsetDateTime,
    ) -> Result<Vec<WrittenTo>, StoreError>;
}

/// Storage of uploaded lists.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BroadcastListStore: Send + Sync {
    /// Lists all of them, newest first.
    async fn lists(&self, workspace: WorkspaceId) -> Result<Vec<BroadcastList>, StoreError>;

    async fn complete_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
    ) -> Result<Option<BroadcastList>, StoreError>;

    /// Adds an incomplete list; `false`, with nothing written, if the workspace has `most`, complete or not.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        list: &BroadcastList,
        most: u32,
    ) -> Result<bool, StoreError>;

    /// Adds people to a list, each number once, and returns how many were new.
    async fn add_to(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        people: &[ListedNumber],
    ) -> Result<u64, StoreError>;

    /// Marks a list as complete, with the audit entry.
    async fn complete(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        people: u64,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Returns whether a broadcast that is not over goes to the list.
    async fn is_needed(&self, workspace: WorkspaceId, id: BroadcastListId) -> Result<bool, StoreError>;

    /// Removes a list that broke off, with its people and without an audit entry.
    async fn forget(&self, workspace: WorkspaceId, id: BroadcastListId) -> Result<(), StoreError>;

    /// Removes a list with its people, with the audit entry; `false` if there is none.
    async fn remove_list(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists up to `limit` people of the list whose places come after `after`, in order, with the contact
    /// that has the number.
    async fn people_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        after: Option<uuid::Uuid>,
        limit: u32,
    ) -> Result<Vec<(ListedNumber, Option<Contact>)>, StoreError>;

    async fn values_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastListId,
        phones: &[PhoneNumber],
    ) -> Result<HashMap<PhoneNumber, ColumnValues>, StoreError>;
}

/// Storage of opt-outs from marketing, by number.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MarketingStopStore: Send + Sync {
    /// Returns the opt-out in force for a number.
    async fn stop_of(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<MarketingStop>, StoreError>;

    /// Returns those of the numbers that opted out.
    async fn stopped(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<PhoneNumber>, StoreError>;

    /// Stores an opt-out, with the audit entry if a member made it. An opt-out that exists stays, and so does
    /// an opt-in of later than `stop`.
    async fn stop(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        stop: MarketingStop,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError>;

    /// Ends an opt-out of before `at`, with the audit entry if a member did it. An opt-out of before `at`
    /// that is reported later has no effect.
    async fn resume(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        at: OffsetDateTime,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError>;
}
