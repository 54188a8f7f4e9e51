//! What owners see of turns, and for how long.

use std::{sync::Arc, time::Duration};

use super::{ListedTurn, UsageOfDay, ports::TurnLog};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// The log of turns is kept for so long.
pub const TURNS_KEPT_FOR: Duration = Duration::from_hours(30 * 24);
/// The usage goes back so many days.
const USAGE_DAYS: i64 = 90;
/// It sets this list's cursors apart.
const LIST: &str = "assistant-turns";

/// It reads the log of turns and what days took.
#[derive(Clone)]
pub struct ReadTurns {
    pub log: Arc<dyn TurnLog>,
    pub cursors: Cursors,
    pub clock: Arc<dyn Clock>,
}

impl ReadTurns {
    /// Lists turns that have ended, the newest first.
    ///
    /// # Errors
    /// See [`PageError`].
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        asked: &AskedPage,
    ) -> Result<Page<ListedTurn>, PageError> {
        let page = self.cursors.open(workspace, LIST, asked)?;
        let rows = self.log.turns(workspace, page).await?;
        let place = |turn: &ListedTurn| Position { at: turn.at, id: turn.id.uuid() };
        Ok(Page::cut(rows, page.limit, place, |place| self.cursors.issue(workspace, LIST, place)))
    }

    /// Returns the days of the last ninety that took anything, newest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn usage(&self, workspace: WorkspaceId) -> Result<Vec<UsageOfDay>, StoreError> {
        let first = self.clock.now().date() - time::Duration::days(USAGE_DAYS);
        self.log.usage(workspace, first).await
    }

    /// Returns the tokens that today has taken so far.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn tokens_today(&self, workspace: WorkspaceId) -> Result<u64, StoreError> {
        let today = self.log.usage(workspace, self.clock.now().date()).await?;
        Ok(today.iter().map(|day| day.usage.read_tokens.saturating_add(day.usage.written_tokens)).sum())
    }

    /// Forgets what is older than [`TURNS_KEPT_FOR`], workspace by workspace, until `stop`.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn forget(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - TURNS_KEPT_FOR;
        for workspace in self.log.workspaces_with_old_turns(before).await? {
            while !stop() && self.log.forget_turns(workspace, before).await? {}
        }
        Ok(())
    }
}
