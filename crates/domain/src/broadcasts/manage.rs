//! Writing, starting and stopping broadcasts.

use std::{collections::HashMap, sync::Arc};

use time::{Duration, OffsetDateTime};

use super::{
    audience::Audience,
    audit::entry,
    content::BroadcastContent,
    error::BroadcastError,
    person::{BroadcastProgress, PeopleFilter, PeopleState},
    ports::{BroadcastStore, ListedPerson, StateChange},
    preview::PreviewBroadcast,
    prices::Prices,
    state::{Broadcast, BroadcastState, Change, LONGEST_NAME, MOST_OPEN},
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastId, MemberId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
    phone::Region,
    text::is_blank,
};

/// Age up to which a start counts as now: the time may have been entered as now, or stood in a form for a
/// while.
const JUST_NOW: Duration = Duration::minutes(5);

/// Scope of this list's cursors, which are no cursors of the list of people.
const LIST: &str = "broadcasts";
const PEOPLE: &str = "broadcast-people";

/// Broadcast as somebody writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBroadcast {
    pub name: String,
    pub content: BroadcastContent,
    pub audience: Audience,
}

/// Page of broadcasts.
pub type ListedBroadcasts = Page<Broadcast>;

/// Drafts, starts and stops of a workspace's broadcasts.
pub struct ManageBroadcasts {
    pub store: Arc<dyn BroadcastStore>,
    pub preview: PreviewBroadcast,
    pub cursors: Cursors,
    pub deps: Deps,
}

impl ManageBroadcasts {
    /// Returns a page of broadcasts, newest first.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        asked: &AskedPage,
    ) -> Result<ListedBroadcasts, PageError> {
        let page = self.cursors.open(workspace, LIST, asked)?;
        let rows = self.store.list(workspace, page).await?;
        let place = |row: &Broadcast| Position { at: row.created_at, id: row.id.uuid() };
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, LIST, place)))
    }

    /// Returns the broadcast without its progress, which has to be counted.
    pub async fn find(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<Option<Broadcast>, StoreError> {
        self.store.find(workspace, id).await
    }

    /// Returns a broadcast with its progress.
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<(Broadcast, BroadcastProgress), BroadcastError> {
        let broadcast = self.find(workspace, id).await?.ok_or(BroadcastError::Unknown)?;
        let progress = self.store.progress(workspace, id).await?;
        Ok((broadcast, progress))
    }

    /// Returns a page of the broadcast's people who pass the filter; `None` if there is no such broadcast.
    /// The page may hold fewer people than asked for and still have a next one, since the number of people
    /// examined for each page is bounded.
    pub async fn people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        filter: &PeopleFilter,
        asked: &AskedPage,
    ) -> Result<Option<Page<ListedPerson>>, PageError> {
        if self.store.find(workspace, id).await?.is_none() {
            return Ok(None);
        }
        let reason = filter.reason.as_deref().unwrap_or_default();
        let list = format!("{PEOPLE}/{id}/{}/{reason}", filter.state.map_or("", PeopleState::as_str));
        let page = self.cursors.open(workspace, &list, asked)?;
        let before = page.after.map(|place| place.id.into());
        let rows = u32::from(page.limit.rows());
        let found = self.store.people(workspace, id, filter, rows, before).await?;
        // People are ordered by their messages' ids alone.
        let place = |row: &ListedPerson| Position { at: row.at, id: row.person.message.uuid() };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        let cut = Page::cut(found.rows, page.limit, place, cursor);
        let at = self.deps.clock.now();
        let next = cut.next.or_else(|| found.reached.map(|id| cursor(Position { at, id: id.uuid() })));
        Ok(Some(Page { next, ..cut }))
    }

    /// Returns the names of those of `ids` that exist.
    pub async fn names(
        &self,
        workspace: WorkspaceId,
        ids: &[BroadcastId],
    ) -> Result<HashMap<BroadcastId, String>, StoreError> {
        if ids.is_empty() { Ok(HashMap::new()) } else { self.store.names(workspace, ids).await }
    }

    /// Returns the prices of messages; `None` if nobody has entered any.
    pub async fn prices(&self, workspace: WorkspaceId) -> Result<Option<Prices>, StoreError> {
        self.store.prices(workspace).await
    }

    /// Stores the prices of messages.
    pub async fn set_prices(&self, acting: Acting, prices: &Prices) -> Result<(), StoreError> {
        let entry = acting.does(Action::BroadcastPricesSet, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.with("currency", prices.currency.as_str());
        self.store.set_prices(acting.workspace, prices, &entry).await
    }

    /// Adds a draft in `author`'s name.
    pub async fn add(
        &self,
        acting: Acting,
        author: MemberId,
        region: Region,
        written: WrittenBroadcast,
    ) -> Result<Broadcast, BroadcastError> {
        self.add_as(BroadcastId::new(&*self.deps.ids), acting, author, region, written).await
    }

    /// Adds a draft under a new id that was chosen beforehand.
    pub async fn add_as(
        &self,
        id: BroadcastId,
        acting: Acting,
        author: MemberId,
        region: Region,
        written: WrittenBroadcast,
    ) -> Result<Broadcast, BroadcastError> {
        let WrittenBroadcast { name, content, audience } = checked(written, region)?;
        self.preview.audiences.check(acting.workspace, region, &audience).await??;
        let now = self.deps.clock.now();
        let broadcast = Broadcast {
            id,
            name,
            state: BroadcastState::Draft,
            content,
            audience,
            author,
            reason: None,
            created_at: now,
            starts_at: None,
            ended_at: None,
            collected: false,
            collected_to: None,
            limited_until: None,
        };
        let entry = acting.does(Action::BroadcastAdded, now, &*self.deps.ids).to(broadcast.id);
        let entry = entry.with("template", broadcast.content.template.as_str());
        if !self.store.add(acting.workspace, &broadcast, MOST_OPEN, &entry).await? {
            return Err(BroadcastError::TooMany);
        }
        Ok(broadcast)
    }

    /// Replaces a draft.
    pub async fn edit(
        &self,
        acting: Acting,
        region: Region,
        id: BroadcastId,
        written: WrittenBroadcast,
    ) -> Result<Broadcast, BroadcastError> {
        let WrittenBroadcast { name, content, audience } = checked(written, region)?;
        self.preview.audiences.check(acting.workspace, region, &audience).await??;
        let (found, now) = (self.found(acting, id).await?, self.deps.clock.now());
        Change::Edit.of(found.state, found.starts_at, now)?;
        let entry = acting.does(Action::BroadcastEdited, now, &*self.deps.ids).to(id);
        let entry = entry.with("template", content.template.as_str());
        if self.store.edit(acting.workspace, id, &name, &content, &audience, &entry).await? {
            return Ok(Broadcast { name, content, audience, ..found });
        }
        Err(self.passed(acting, id, Change::Edit).await)
    }

    /// Removes a draft.
    pub async fn remove(&self, acting: Acting, id: BroadcastId) -> Result<(), BroadcastError> {
        let (found, now) = (self.found(acting, id).await?, self.deps.clock.now());
        Change::Remove.of(found.state, found.starts_at, now)?;
        let entry = acting.does(Action::BroadcastRemoved, now, &*self.deps.ids).to(id);
        if self.store.remove(acting.workspace, id, &entry).await? {
            return Ok(());
        }
        Err(self.passed(acting, id, Change::Remove).await)
    }

    /// Starts, pauses, resumes or cancels a broadcast. Of two members who do the same at once, one does it,
    /// and the other finds it done.
    pub async fn change(
        &self,
        acting: Acting,
        region: Region,
        id: BroadcastId,
        change: Change,
    ) -> Result<Broadcast, BroadcastError> {
        loop {
            let (found, now) = (self.found(acting, id).await?, self.deps.clock.now());
            let to = change.of(found.state, found.starts_at, now)?;
            if to == found.state && !matches!(change, Change::Start(_)) {
                return Ok(found);
            }
            let starts_at = match change {
                Change::Start(at) => {
                    self.preview.check(acting.workspace, region, &found).await?;
                    Some(at.max(now))
                }
                _ => found.starts_at,
            };
            let moved =
                StateChange { broadcast: id, from: found.state, to, reason: None, starts_at, at: now };
            let written = entry(acting, &moved, &self.deps);
            let is_moved = match change {
                // A draft that was edited after the check is checked again.
                Change::Start(_) => self.store.start(acting.workspace, &moved, &found, &written).await?,
                _ => self.store.change(acting.workspace, &moved, &written).await?,
            };
            if is_moved {
                let ended_at = to.is_over().then_some(now);
                return Ok(Broadcast {
                    state: to,
                    reason: None,
                    starts_at,
                    ended_at,
                    limited_until: None,
                    ..found
                });
            }
        }
    }

    async fn found(&self, acting: Acting, id: BroadcastId) -> Result<Broadcast, BroadcastError> {
        self.store.find(acting.workspace, id).await?.ok_or(BroadcastError::Unknown)
    }

    /// Returns the error of a change that another change overtook.
    async fn passed(&self, acting: Acting, id: BroadcastId, change: Change) -> BroadcastError {
        match self.found(acting, id).await {
            Ok(found) => match change.of(found.state, found.starts_at, self.deps.clock.now()) {
                Ok(_) => StoreError::Stale.into(),
                Err(wrong) => wrong.into(),
            },
            Err(error) => error,
        }
    }
}

fn checked(written: WrittenBroadcast, region: Region) -> Result<WrittenBroadcast, BroadcastError> {
    let name = written.name.trim().replace('\0', "");
    if is_blank(&name) || name.chars().nth(LONGEST_NAME).is_some() {
        return Err(BroadcastError::Name);
    }
    written.content.check()?;
    written.audience.filter(region)?;
    Ok(WrittenBroadcast { name, ..written })
}

impl Change {
    /// Returns a start at `at`; without a time, now.
    pub fn start(at: Option<OffsetDateTime>, now: OffsetDateTime) -> Self {
        Self::Start(at.unwrap_or(now))
    }

    /// Returns whether a start at `at` was mistyped, being long past: everybody would be written to at once,
    /// which cannot be taken back.
    pub fn is_over(at: OffsetDateTime, now: OffsetDateTime) -> bool {
        at < now - JUST_NOW
    }
}
