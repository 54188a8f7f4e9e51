//! The log of turns and the usage, as owners see them.

use std::{sync::Arc, time::Duration};

use super::{
    cost::Spent,
    ports::TurnLog,
    turn::{ListedTurn, UsageOfDay},
};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    paging::{AskedPage, Cursors, Page, PageError, Position},
};

/// Retention of the log of turns.
pub const TURNS_KEPT_FOR: Duration = Duration::from_hours(30 * 24);
const USAGE_DAYS: i64 = 90;
/// Name of this list, which sets its cursors apart.
const LIST: &str = "assistant-turns";

/// Use case that reads the log of turns, and what days took.
#[derive(Clone)]
pub struct ReadTurns {
    pub log: Arc<dyn TurnLog>,
    pub cursors: Cursors,
    pub clock: Arc<dyn Clock>,
}

impl ReadTurns {
    /// Lists turns that have ended, newest first.
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

    /// Lists the days of the last ninety with any usage, newest first.
    pub async fn usage(&self, workspace: WorkspaceId) -> Result<Vec<UsageOfDay>, StoreError> {
        let first = self.clock.now().date() - time::Duration::days(USAGE_DAYS);
        self.log.usage(workspace, first).await
    }

    /// Returns what today has taken so far.
    pub async fn spent_today(&self, workspace: WorkspaceId) -> Result<Spent, StoreError> {
        let today = self.log.usage(workspace, self.clock.now().date()).await?;
        Ok(today.first().map(UsageOfDay::spent).unwrap_or_default())
    }

    /// Deletes what is older than [`TURNS_KEPT_FOR`], workspace by workspace, until `stop` returns `true`.
    pub async fn forget(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - TURNS_KEPT_FOR;
        for workspace in self.log.workspaces_with_old_turns(before).await? {
            while !stop() && self.log.forget_turns(workspace, before).await? {}
        }
        Ok(())
    }
}
