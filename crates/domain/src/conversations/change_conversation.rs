//! Moving a conversation: load, decide, commit.

use std::{sync::Arc, time::Duration};

use super::{
    Change, Command, Conversation, Move, MoveRefusal, SaidOfMove, StepOf, decide,
    ports::{ConversationStore, Departure},
};
use crate::{
    deps::Deps,
    errors::{MayBeStale, StoreError, retry_stale},
    ids::{ConversationId, MemberId, WorkspaceId},
};

/// A lost race is decided again so often.
const TRIES: usize = 8;

/// So many who have left are looked after in one go.
const DEPARTURES_AT_ONCE: u32 = 100;

/// For so long after somebody has left, what was decided before may still give them a conversation.
const STILL_GIVEN: Duration = Duration::from_mins(1);

/// It says why a conversation did not move.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The workspace has no such conversation.
    #[error("there is no such conversation in this workspace")]
    NotFound,
    /// A rule speaks against it.
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

/// It says where a conversation is after a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    pub conversation: Conversation,
    /// It says whether the conversation moved: `false` when it was there already.
    pub changed: bool,
}

/// It moves conversations.
pub struct ChangeConversation {
    pub store: Arc<dyn ConversationStore>,
    pub deps: Deps,
}

impl ChangeConversation {
    /// Does what is asked. Of two that ask at once the second is decided on what the first made of the conversation.
    ///
    /// # Errors
    /// See [`ChangeError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
    ) -> Result<Moved, ChangeError> {
        self.run_as(workspace, id, asked, None, None).await
    }

    /// Does the same and, where the conversation moves, tells the customer this.
    ///
    /// # Errors
    /// See [`ChangeError`].
    pub async fn run_saying(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        asked: &Move,
        says: Option<&SaidOfMove>,
    ) -> Result<Moved, ChangeError> {
        self.run_as(workspace, id, asked, None, says).await
    }

    /// Does the same as a step of what a message set off. Where the conversation moves, the step is counted
    /// as done with it.
    ///
    /// # Errors
    /// See [`ChangeError`]; a step that was done before is [`StoreError::Stale`].
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

    /// Lets go of what is held by those who have left, wherever that is not finished, which a process that ended may
    /// have been in the middle of. Answers how many conversations it was.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn finish_departures(&self) -> Result<usize, StoreError> {
        let (mut let_go, mut failed) = (0, None);
        for departure in self.store.departures(DEPARTURES_AT_ONCE).await? {
            // One that fails holds up no other.
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

    /// Lets every conversation that a person holds wait for another: they have left the team, as `by` saw to. Answers
    /// how many.
    ///
    /// # Errors
    /// Those of the store.
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
