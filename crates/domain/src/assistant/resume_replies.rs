//! Sending of replies that were left unsent, and the hand-over where that fails.

use super::{hand_over::HandOver, reason::HandOverReason};
use crate::{
    consent::{SendPrepared, Told, is_told},
    errors::StoreError,
    ids::WorkspaceId,
    lease::LEASE,
    messages::ReplyAuthor,
    sending::SendError,
};

/// Use case that sends prepared replies left unsent by the process that worded them.
pub struct ResumeReplies {
    pub prepared: SendPrepared,
    /// Hands over where the assistant's reply cannot be sent or may not have arrived.
    pub hand_over: HandOver,
}

impl ResumeReplies {
    /// Lists the workspaces with due replies, without claiming any.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.prepared.replies.workspaces_with_replies(self.prepared.clock.now()).await
    }

    /// Sends one due reply; `false` if there is none. Hands over to a person if the assistant's reply cannot
    /// be sent, or nobody knows whether the network has it: the customer waits for it.
    ///
    /// # Errors
    /// After an error of the store, before or after the send, the reply is due again when its lease ends.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let now = self.prepared.clock.now();
        let Some(reply) = self.prepared.replies.claim_reply(workspace, now, now + LEASE).await? else {
            return Ok(false);
        };
        if let Some(at) = reply.handed_over_at
            && (now >= reply.until
                || !self.hand_over.is_waited_for(workspace, reply.conversation, at).await?)
        {
            self.prepared.replies.finish_reply(workspace, reply.id, None).await?;
            return Ok(true);
        }
        let sent = self.prepared.send(workspace, &reply).await;
        let is_told = is_told(&sent, &reply, self.prepared.clock.now() >= reply.until);
        // A reply that rests on a turn is settled by that turn.
        let is_waited_for =
            reply.author == ReplyAuthor::Assistant && reply.fence.is_none() && reply.handed_over_at.is_none();
        if let Some(reason) = leaves_untold(is_told).filter(|_| is_waited_for) {
            // Before the reply is removed: after a crash in between it is due again.
            self.hand_over.run(workspace, reply.conversation, reason).await?;
        }
        match self.prepared.settle(workspace, &reply, sent, is_told).await {
            // Refusals by a network or a rule were reported to the caller that asked for the reply.
            Err(SendError::Store(error)) => Err(error),
            _ => Ok(true),
        }
    }
}

/// Returns the reason for which a person has to answer instead.
const fn leaves_untold(told: Told) -> Option<HandOverReason> {
    match told {
        Told::Yes | Told::Later => None,
        Told::Unconfirmed => Some(HandOverReason::AnswerUnconfirmed),
        Told::Never => Some(HandOverReason::CannotAnswer),
    }
}
