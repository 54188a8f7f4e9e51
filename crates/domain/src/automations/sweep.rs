//! Sweepers: closing and returning conversations in which nothing happens.

use std::{sync::Arc, time::Duration};

use super::ports::{AutomationStore, QuietStore};
use crate::{
    clock::Clock,
    conversations::{Actor, ChangeConversation, ChangeError, Command, Move},
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    messages::Sweeper,
};

/// Most conversations taken up at once.
const BATCH: u32 = 100;

/// Outcome of a round over a workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub closed: u32,
    pub returned: u32,
    /// Whether there may be more, so that another round may follow at once.
    pub may_have_more: bool,
}

/// Sweepers of a workspace.
pub struct Sweep {
    pub settings: Arc<dyn AutomationStore>,
    pub quiet: Arc<dyn QuietStore>,
    pub change: Arc<ChangeConversation>,
    pub clock: Arc<dyn Clock>,
}

impl Sweep {
    /// Lists the workspaces with work.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.quiet.workspaces_to_sweep(self.clock.now()).await
    }

    /// Takes one batch for each sweeper that the workspace has turned on. Each conversation is decided on by
    /// itself: a message or a member that comes in between wins.
    ///
    /// # Errors
    /// If the store fails; conversations that were moved before stay moved.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Swept, StoreError> {
        let settings = self.settings.settings(workspace).await?;
        let mut swept = Swept::default();
        if let Some(after) = settings.unanswered_return {
            let since = self.clock.now() - Duration::from(after);
            let found = self.quiet.unanswered(workspace, since, BATCH).await?;
            let command = Command::ReturnUnanswered { since };
            swept.returned =
                self.move_all(workspace, Sweeper::UnansweredReturn, command, &found.waiting).await?;
            let judged = found.looked_at - count(&found.waiting) + swept.returned;
            swept.may_have_more |= found.looked_at >= BATCH && judged > 0;
        }
        if let Some(after) = settings.idle_close {
            let since = self.clock.now() - Duration::from(after);
            let found = self.quiet.idle(workspace, since, BATCH).await?;
            swept.closed =
                self.move_all(workspace, Sweeper::IdleClose, Command::CloseIdle { since }, &found).await?;
            swept.may_have_more |= count(&found) >= BATCH && swept.closed > 0;
        }
        Ok(swept)
    }

    async fn move_all(
        &self,
        workspace: WorkspaceId,
        sweeper: Sweeper,
        command: Command,
        conversations: &[ConversationId],
    ) -> Result<u32, StoreError> {
        let asked = Move { by: Actor::Sweeper(sweeper), command };
        let mut moved = 0;
        for id in conversations {
            match self.change.run(workspace, *id, &asked).await {
                Ok(done) => moved += u32::from(done.changed),
                // The row keeps changing: somebody is busy in the conversation, so that it is not quiet.
                Err(
                    ChangeError::NotFound | ChangeError::Refused(_) | ChangeError::Store(StoreError::Stale),
                ) => {}
                Err(ChangeError::Store(error)) => return Err(error),
            }
        }
        Ok(moved)
    }
}

fn count(conversations: &[ConversationId]) -> u32 {
    u32::try_from(conversations.len()).unwrap_or(u32::MAX)
}
