//! Moving a conversation: load, decide, commit.

use std::{sync::Arc, time::Duration};

use super::{
    change::{Change, SaidOfMove, StepOf},
    decide::{MoveRefusal, decide},
    moves::{Command, Move},
    ports::{ConversationStore, Departure},
};
use crate::{
    conversation::Conversation,
    deps::Deps,
    errors::{MayBeStale, StoreError, retry_stale},
    ids::{ConversationId, MemberId, WorkspaceId},
};

/// Most decisions on one command, when other changes come between reading and committing.
const TRIES: usize = 8;

/// Most departures handled in one go.
const DEPARTURES_AT_ONCE: u32 = 100;

/// Time after a member has left in which a decision made before may still give them a conversation.
const STILL_GIVEN: Duration = Duration::from_mins(1);

/// Reason that a conversation was not moved.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("there is no such conversation in this workspace")]
    NotFound,
    /// A rule forbids it.
    #[error(transparent)]
    Refused(#[from] MoveRefusal),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayBeStale for ChangeError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_stale())
    }
}

/// A conversation after a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub conversation: Conversation,
    /// `false` if the conversation was there already.
    pub changed: bool,
}

/// Use case that moves conversations.
pub struct ChangeConversation {
    pub store: Arc<dyn ConversationStore>,
    pub deps: Deps,
}

impl ChangeConversation {
    /// Carries out a move. Of two at once, the second is decided on the result of the first.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
    ) -> Result<Moved, ChangeError> {
        self.run_as(workspace, id, asked, None, None).await
    }

    /// Carries out a move and, if the conversation moves, sends the customer the reply in `says`.
    pub async fn run_saying(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
        says: Option<&SaidOfMove>,
    ) -> Result<Moved, ChangeError> {
        self.run_as(workspace, id, asked, None, says).await
    }

    /// Carries out a move as a step of what a message set off. If the conversation moves, the step is
    /// recorded as done with it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the step was done before.
    pub async fn run_step(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
        step: StepOf,
    ) -> Result<Moved, ChangeError> {
        self.run_as(workspace, id, asked, Some(step), None).await
    }

    async fn run_as(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
        step: Option<StepOf>,
        says: Option<&SaidOfMove>,
    ) -> Result<Moved, ChangeError> {
        retry_stale(TRIES, || self.try_once(workspace, id, asked, step, says)).await
    }

    /// Releases the conversations of members who have left, wherever that was not finished because a process
    /// ended in the middle of it. Returns the number of conversations.
    pub async fn finish_departures(&self) -> Result<usize, StoreError> {
        let (mut let_go, mut failed) = (0, None);
        for departure in self.store.departures(DEPARTURES_AT_ONCE).await? {
            // A failure holds up no other departure.
            match self.finish(departure).await {
                Ok(conversations) => let_go += conversations,
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(let_go), Err)
    }

    async fn finish(&self, departure: Departure) -> Result<usize, StoreError> {
        let Departure { workspace, member, removed_by } = departure;
        let let_go = self.let_go_of(workspace, member, removed_by).await?;
        self.store.settle_departure(workspace, member, self.deps.clock.now() - STILL_GIVEN).await?;
        Ok(let_go)
    }

    /// Releases every conversation that `gone` holds, after `by` has removed them from the team, to wait for
    /// another member. Returns the number of conversations.
    pub async fn let_go_of(
        &self,
        workspace: WorkspaceId,
        gone: MemberId,
        by: MemberId,
    ) -> Result<usize, StoreError> {
        let asked = Move::manual(by, Command::LetGo(gone));
        let held = self.store.held_by(workspace, gone).await?;
        for id in &held {
            match self.run(workspace, *id, &asked).await {
                Ok(_) | Err(ChangeError::NotFound | ChangeError::Refused(_)) => {}
                Err(ChangeError::Store(error)) => return Err(error),
            }
        }
        Ok(held.len())
    }

    async fn try_once(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
        step: Option<StepOf>,
        says: Option<&SaidOfMove>,
    ) -> Result<Moved, ChangeError> {
        let context =
            self.store.decision_context(workspace, id, asked.command).await?.ok_or(ChangeError::NotFound)?;
        let Some(change) = decide(&context, asked, self.deps.clock.now(), &*self.deps.ids)? else {
            return Ok(Moved { conversation: context.conversation, changed: false });
        };
        let change = Change { step, says: says.cloned(), ..change };
        self.store.commit(workspace, &change).await?;
        if !change.events.is_empty() {
            self.deps.signals.deliveries_due(workspace);
        }
        Ok(Moved { conversation: change.conversation, changed: true })
    }
}
