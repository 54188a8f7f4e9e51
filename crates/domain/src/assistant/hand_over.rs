//! Giving a conversation to the team.

use std::sync::Arc;

use super::{HandOverReason, ports::AssistantStore};
use crate::{
    conversations::{Actor, ChangeConversation, ChangeError, Command, Move, MoveRefusal},
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};

/// It asks for a person.
#[derive(Clone)]
pub struct HandOver {
    /// It says which group owners want to be asked.
    pub settings: Arc<dyn AssistantStore>,
    pub change: Arc<ChangeConversation>,
}

impl HandOver {
    /// Asks for a person, unless the conversation is the assistant's no more; whether it did.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        reason: HandOverReason,
    ) -> Result<bool, StoreError> {
        let group = self.settings.settings(workspace).await?.and_then(|settings| settings.group);
        let asked = |group| Move {
            by: Actor::Assistant { need: reason.as_str().to_owned() },
            command: Command::Escalate(group),
        };
        let moved = match self.change.run(workspace, conversation, &asked(group)).await {
            // Whoever deletes a group wants nobody to be lost with it.
            Err(ChangeError::Refused(MoveRefusal::NoSuchGroup)) => {
                self.change.run(workspace, conversation, &asked(None)).await
            }
            moved => moved,
        };
        match moved {
            Ok(moved) => Ok(moved.changed),
            Err(ChangeError::NotFound | ChangeError::Refused(_)) => Ok(false),
            Err(ChangeError::Store(error)) => Err(error),
        }
    }
}
