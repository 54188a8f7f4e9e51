//! A reply that the service words by itself, and that is sent once.

use std::{fmt, sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::ports::PreparedReplies;
use crate::{
    assistant::Fence,
    clock::Clock,
    errors::StoreError,
    ids::{ConversationId, DraftId, MessageId, WorkspaceId},
    sending::{
        IdempotencyKey, Refusal, Replied, ReplyAuthor, ReplyButton, ReplyRequest, SendError, SendReply,
    },
};

/// How long whoever sends a prepared reply has it for: longer than a send takes.
pub const REPLY_LEASE: Duration = Duration::from_mins(1);

/// A reply that is worded, and kept until it was handed to the network or refused. Prints nothing of what it says.
#[derive(Clone, PartialEq, Eq)]
pub struct PreparedReply {
    /// The message that it becomes.
    pub id: MessageId,
    /// Where it goes.
    pub conversation: ConversationId,
    /// In whose name.
    pub author: ReplyAuthor,
    /// What it says.
    pub text: String,
    /// What the customer can tap under it.
    pub buttons: Vec<ReplyButton>,
    /// The draft that it is the summary of: one that nobody can read cannot be confirmed.
    pub summary_of: Option<DraftId>,
    /// Until when it is worth sending.
    pub until: OffsetDateTime,
    /// What it rests on, where the assistant has proposed it in a turn: once that has passed, it is not sent.
    pub fence: Option<Fence>,
}

impl fmt::Debug for PreparedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedReply").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Sends prepared replies.
#[derive(Clone)]
pub struct SendPrepared {
    /// Where they are kept.
    pub replies: Arc<dyn PreparedReplies>,
    /// What sends them, each once by its key.
    pub reply: Arc<SendReply>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl SendPrepared {
    /// Workspaces with prepared replies that nobody is sending. Only reads.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.replies.workspaces_with_replies(self.clock.now()).await
    }

    /// Sends one that nobody is sending; `false` when there is none.
    ///
    /// # Errors
    /// Those of the store before anything is sent, and afterwards; it is due again when its lease has ended.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let Some(reply) = self.replies.claim_reply(workspace, now, now + REPLY_LEASE).await? else {
            return Ok(false);
        };
        match self.send(workspace, &reply).await {
            // What a network or a rule says of a reply is told where it was asked for.
            Err(SendError::Store(error)) => Err(error),
            _ => Ok(true),
        }
    }

    /// Sends `reply`, and lets go of it unless it may be sent later.
    ///
    /// # Errors
    /// See [`SendError`].
    async fn send(&self, workspace: WorkspaceId, reply: &PreparedReply) -> Result<Replied, SendError> {
        self.send_until(workspace, reply, reply.until).await
    }

    /// Sends `reply` for somebody who waits for it and is told what came of it: what is not taken now is never sent.
    ///
    /// # Errors
    /// See [`SendError`].
    pub async fn send_now(
        &self,
        workspace: WorkspaceId,
        reply: &PreparedReply,
    ) -> Result<Replied, SendError> {
        self.send_until(workspace, reply, self.clock.now()).await
    }

    async fn send_until(
        &self,
        workspace: WorkspaceId,
        reply: &PreparedReply,
        until: OffsetDateTime,
    ) -> Result<Replied, SendError> {
        // No caller's key has a new line.
        let key =
            IdempotencyKey { key: format!("prepared\n{}", reply.id), request: reply.text.as_bytes().into() };
        let request = ReplyRequest {
            conversation: reply.conversation,
            text: reply.text.clone(),
            buttons: reply.buttons.clone(),
            upload: None,
            key: Some(key),
            id: Some(reply.id),
        };
        let sent = match reply.fence {
            Some(fence) => self.reply.run_as_assistant(workspace, &request, fence).await,
            None => self.reply.run_as_rule(workspace, reply.author, &request).await,
        };
        let withdraws = match &sent {
            // What the network may have is never sent again, and may be read.
            Ok(_) | Err(SendError::Open { .. } | SendError::Refused(Refusal::OutcomeUnknown { .. })) => None,
            // Nobody is asked any more what a turn had proposed before somebody spoke or took over.
            Err(SendError::Store(StoreError::Stale)) if reply.fence.is_some() => reply.summary_of,
            // Somebody else is sending it.
            Err(SendError::Store(_) | SendError::Refused(Refusal::RequestInFlight)) => return sent,
            Err(SendError::Refused(refusal)) if may_come_later(refusal) && self.clock.now() < until => {
                return sent;
            }
            Err(SendError::Refused(_)) => reply.summary_of,
        };
        self.replies.finish_reply(workspace, reply.id, withdraws).await?;
        sent
    }
}

/// Whether the same reply may be taken a little later.
const fn may_come_later(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NetworkUnavailable { .. } | Refusal::HeldBack { .. })
}
