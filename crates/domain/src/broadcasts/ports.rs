//! What broadcasts need from outside.

use std::collections::HashMap;

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    Broadcast, BroadcastContent, BroadcastPerson, BroadcastProgress, BroadcastState, MarketingStop,
    PauseReason, PersonResult, PersonState,
};
use crate::{
    access::audit::AuditEntry,
    broadcasts::Audience,
    contacts::Contact,
    errors::StoreError,
    ids::{BroadcastId, ContactId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};

/// A change of a broadcast's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    /// Which.
    pub broadcast: BroadcastId,
    /// What it was.
    pub from: BroadcastState,
    /// What it is from now on.
    pub to: BroadcastState,
    /// Why it was paused by itself.
    pub reason: Option<PauseReason>,
    /// When it begins, or began.
    pub starts_at: Option<OffsetDateTime>,
    /// When it was changed.
    pub at: OffsetDateTime,
}

/// A broadcast's people as they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPerson {
    /// The person, with the message that they get.
    pub person: BroadcastPerson,
    /// How far it is with them.
    pub state: PersonState,
    /// Why.
    pub reason: Option<String>,
    /// When that was written down; before, when they were collected.
    pub at: OffsetDateTime,
}

/// What the ledger of sends knows of a message that may have been begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// The network has it.
    Sent,
    /// It was begun then, and nothing is known of its end.
    InFlight(OffsetDateTime),
}

/// Broadcasts and their people.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait BroadcastStore: Send + Sync {
    /// Broadcasts after the page's place, newest first: up to one more than the page holds.
    async fn list(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<Broadcast>, StoreError>;

    /// One, or `None`.
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

    /// Changes a state, with the entry, and tells the feed; `false` when the state is another one by now.
    async fn change(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
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

    /// In one transaction: adds people, each number once, and notes up to where the audience was collected; `None` is its
    /// end.
    async fn collect(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        people: &[BroadcastPerson],
        reached: Option<Position>,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Contacts of these ids.
    async fn contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<Vec<Contact>, StoreError>;

    /// Up to `limit` people who are still to be written to, in the order of their messages' ids.
    async fn queued(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        limit: u32,
    ) -> Result<Vec<BroadcastPerson>, StoreError>;

    /// Those of the messages that were begun.
    async fn begun(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<HashMap<MessageId, Begun>, StoreError>;

    /// Writes down what became of people who were still to be written to, and tells the feed.
    async fn settle(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        results: &[PersonResult],
    ) -> Result<(), StoreError>;

    /// How far it is.
    async fn progress(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<BroadcastProgress, StoreError>;

    /// Its people after the page's place, in the order of their messages' ids, those in `state` where one is named: up to
    /// one more than the page holds.
    async fn people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        state: Option<PersonState>,
        page: PageRequest,
    ) -> Result<Vec<ListedPerson>, StoreError>;
}

/// Who wants no marketing, by number.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MarketingStopStore: Send + Sync {
    /// What is known of a number.
    async fn stop_of(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<MarketingStop>, StoreError>;

    /// Those of the numbers that get no marketing.
    async fn stopped(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<PhoneNumber>, StoreError>;

    /// Keeps a stop, with the entry where somebody of the team made it; one that there is already stays.
    async fn stop(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        stop: MarketingStop,
        entry: Option<AuditEntry>,
    ) -> Result<(), StoreError>;

    /// Forgets a stop, with the entry.
    async fn resume(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}
