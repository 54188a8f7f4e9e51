//! Writing broadcasts, starting and stopping them.

use std::{collections::HashMap, sync::Arc};

use time::{Duration, OffsetDateTime};

use super::{
    Audience, AudienceError, Broadcast, BroadcastContent, BroadcastProgress, BroadcastState, Change,
    ContentError, PeopleFilter, PeopleState, PreviewBroadcast, Prices, WrongState,
    ports::{BroadcastStore, ListedPerson, StateChange},
};
use crate::{
    access::audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::{BroadcastId, MemberId, WorkspaceId},
    paging::{AskedPage, Cursors, Page, PageError, Position},
    phone::Region,
    sending::Refusal,
    text::is_blank,
};

/// A name has at most so many characters.
pub const LONGEST_NAME: usize = 100;
/// A workspace has at most so many broadcasts that are not over.
pub const MOST_OPEN: u32 = 100;

/// A start that is over for less may have been written as now, or stood in a form for a while.
const JUST_NOW: Duration = Duration::minutes(5);

/// It sets the cursors of the two lists apart.
const LIST: &str = "broadcasts";
const PEOPLE: &str = "broadcast-people";

/// It is a broadcast as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBroadcast {
    pub name: String,
    pub content: BroadcastContent,
    pub audience: Audience,
}

/// It is a page of broadcasts.
pub type ListedBroadcasts = Page<Broadcast>;

/// It says why something was not done to a broadcast.
#[derive(Debug, thiserror::Error)]
pub enum BroadcastError {
    /// The name cannot be one.
    #[error("`name` has 1 to {LONGEST_NAME} characters, one of them visible")]
    Name,
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error(transparent)]
    Audience(#[from] AudienceError),
    /// The template is for one-time codes.
    #[error("a template for one-time codes goes to one person at a time")]
    CodeTemplate,
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nobody of the audience can be written to.
    #[error("nobody of the audience can be written to")]
    Nobody,
    #[error(transparent)]
    State(#[from] WrongState),
    /// There are as many as there may be.
    #[error("a workspace has at most {MOST_OPEN} broadcasts that are not over")]
    TooMany,
    /// There is no such broadcast.
    #[error("there is no such broadcast")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It lists, writes, starts and stops a workspace's broadcasts.
pub struct ManageBroadcasts {
    pub store: Arc<dyn BroadcastStore>,
    pub preview: PreviewBroadcast,
    pub cursors: Cursors,
    pub deps: Deps,
}

impl ManageBroadcasts {
    /// Reads a page of them, the newest first.
    ///
    /// # Errors
    /// See [`PageError`].
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
    ///
    /// # Errors
    /// Those of the store.
    pub async fn find(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<Option<Broadcast>, StoreError> {
        self.store.find(workspace, id).await
    }

    /// Returns one, and how far it is.
    ///
    /// # Errors
    /// See [`BroadcastError`].
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<(Broadcast, BroadcastProgress), BroadcastError> {
        let broadcast = self.find(workspace, id).await?.ok_or(BroadcastError::Unknown)?;
        let progress = self.store.progress(workspace, id).await?;
        Ok((broadcast, progress))
    }

    /// Returns a page of its people who pass the filter. It may hold less than it could and have a next one:
    /// only so many people are looked at for each page.
    ///
    /// # Errors
    /// See [`PageError`].
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
        // Their order is that of their messages' ids alone.
        let place = |row: &ListedPerson| Position { at: row.at, id: row.person.message.uuid() };
        let cursor = |place| self.cursors.issue(workspace, &list, place);
        let cut = Page::cut(found.rows, page.limit, place, cursor);
        let at = self.deps.clock.now();
        let next = cut.next.or_else(|| found.reached.map(|id| cursor(Position { at, id: id.uuid() })));
        Ok(Some(Page { next, ..cut }))
    }

    /// Returns the names of those of these broadcasts that there are.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn names(
        &self,
        workspace: WorkspaceId,
        ids: &[BroadcastId],
    ) -> Result<HashMap<BroadcastId, String>, StoreError> {
        if ids.is_empty() { Ok(HashMap::new()) } else { self.store.names(workspace, ids).await }
    }

    /// Returns what messages cost, where somebody has written it down.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn prices(&self, workspace: WorkspaceId) -> Result<Option<Prices>, StoreError> {
        self.store.prices(workspace).await
    }

    /// Writes down what messages cost.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn set_prices(&self, acting: Acting, prices: &Prices) -> Result<(), StoreError> {
        let entry = acting.does(Action::BroadcastPricesSet, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.with("currency", prices.currency.as_str());
        self.store.set_prices(acting.workspace, prices, &entry).await
    }

    /// Writes a draft in `author`'s name.
    ///
    /// # Errors
    /// See [`BroadcastError`].
    pub async fn add(
        &self,
        acting: Acting,
        author: MemberId,
        region: Region,
        written: WrittenBroadcast,
    ) -> Result<Broadcast, BroadcastError> {
        self.add_as(BroadcastId::new(&*self.deps.ids), acting, author, region, written).await
    }

    /// Adds a draft under an id that is new, and was chosen before it was written.
    ///
    /// # Errors
    /// See [`BroadcastError`].
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
    ///
    /// # Errors
    /// See [`BroadcastError`].
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
    ///
    /// # Errors
    /// See [`BroadcastError`].
    pub async fn remove(&self, acting: Acting, id: BroadcastId) -> Result<(), BroadcastError> {
        let (found, now) = (self.found(acting, id).await?, self.deps.clock.now());
        Change::Remove.of(found.state, found.starts_at, now)?;
        let entry = acting.does(Action::BroadcastRemoved, now, &*self.deps.ids).to(id);
        if self.store.remove(acting.workspace, id, &entry).await? {
            return Ok(());
        }
        Err(self.passed(acting, id, Change::Remove).await)
    }

    /// Has it begin, pause, go on or end. Of two who do the same at once, one does it, and the other finds it done.
    ///
    /// # Errors
    /// See [`BroadcastError`].
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
                // What was edited since it was looked at is looked at again.
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

    /// Says what somebody else's change meanwhile makes of ours.
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

/// Makes the log's entry of a change.
pub(super) fn entry(acting: Acting, change: &StateChange, deps: &Deps) -> crate::access::audit::AuditEntry {
    let entry = acting.does(Action::BroadcastMoved, change.at, &*deps.ids).to(change.broadcast);
    let entry = entry.with("from", change.from.as_str()).with("to", change.to.as_str());
    match change.reason {
        Some(reason) => entry.with("reason", reason.as_str()),
        None => entry,
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
    /// Makes it begin at `at`; where no time is asked for, now.
    pub fn start(at: Option<OffsetDateTime>, now: OffsetDateTime) -> Self {
        Self::Start(at.unwrap_or(now))
    }

    /// Says whether a start at `at` was mistyped: everybody would be written to at once, which cannot be taken back.
    pub fn is_over(at: OffsetDateTime, now: OffsetDateTime) -> bool {
        at < now - JUST_NOW
    }
}
