//! Replies that the service words itself, each sent once.

use std::{fmt, sync::Arc};

use time::OffsetDateTime;

use super::ports::PreparedReplies;
use crate::{
    assistant::{Fence, HandOver, HandOverReason},
    clock::Clock,
    errors::StoreError,
    ids::{ConversationId, DraftId, MessageId, WorkspaceId},
    lease::LEASE,
    sending::{
        IdempotencyKey, Refusal, Replied, ReplyAuthor, ReplyButton, ReplyRequest, SendError, SendReply,
    },
};

/// A worded reply, kept until it was handed to the network or refused. Its `Debug` output shows the id alone.
#[derive(Clone, PartialEq, Eq)]
pub struct PreparedReply {
    pub id: MessageId,
    pub conversation: ConversationId,
    /// Who it is attributed to.
    pub author: ReplyAuthor,
    pub text: String,
    pub buttons: Vec<ReplyButton>,
    /// Draft that it is the summary of; withdrawn if the summary is never sent, since an unread draft cannot
    /// be confirmed.
    pub summary_of: Option<DraftId>,
    /// Time after which it is no longer worth sending.
    pub until: OffsetDateTime,
    /// Fence of the assistant's turn that proposed it; once the fence is passed, it is not sent.
    pub fence: Option<Fence>,
    /// When the conversation was handed over, for a reply that says so: once a person has answered, or the
    /// conversation is no longer with the team, it is not sent.
    pub handed_over_at: Option<OffsetDateTime>,
}

impl fmt::Debug for PreparedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedReply").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Use case that sends prepared replies.
#[derive(Clone)]
pub struct SendPrepared {
    pub replies: Arc<dyn PreparedReplies>,
    pub reply: Arc<SendReply>,
    pub clock: Arc<dyn Clock>,
}

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
        if let Some(reason) = is_told.leaves_untold().filter(|_| is_waited_for) {
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

impl SendPrepared {
    /// Sends `reply` for a caller who waits for the outcome: what the network does not take now is never
    /// sent. After an error of the store it stays due.
    pub async fn send_now(
        &self,
        workspace: WorkspaceId,
        reply: &PreparedReply,
    ) -> Result<Replied, SendError> {
        let sent = self.send(workspace, reply).await;
        let is_told = is_told(&sent, reply, true);
        self.settle(workspace, reply, sent, is_told).await
    }

    async fn send(&self, workspace: WorkspaceId, reply: &PreparedReply) -> Result<Replied, SendError> {
        // The keys of callers have no line break.
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
        match reply.fence {
            Some(fence) => self.reply.run_as_assistant(workspace, &request, fence).await,
            None => self.reply.run_as_rule(workspace, reply.author, &request).await,
        }
    }

    async fn settle(
        &self,
        workspace: WorkspaceId,
        reply: &PreparedReply,
        sent: Result<Replied, SendError>,
        is_told: Told,
    ) -> Result<Replied, SendError> {
        let withdraws = match is_told {
            Told::Yes | Told::Unconfirmed => None,
            Told::Never => reply.summary_of,
            Told::Later => return sent,
        };
        self.replies.finish_reply(workspace, reply.id, withdraws).await?;
        sent
    }
}

/// Whether a reply reached the customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Yes,
    /// The network may have it: it is never sent again.
    Unconfirmed,
    /// Another process is sending it, or it will be sent again.
    Later,
    Never,
}

impl Told {
    /// Returns the reason for which a person has to answer instead.
    const fn leaves_untold(self) -> Option<HandOverReason> {
        match self {
            Self::Yes | Self::Later => None,
            Self::Unconfirmed => Some(HandOverReason::AnswerUnconfirmed),
            Self::Never => Some(HandOverReason::CannotAnswer),
        }
    }
}

/// Interprets the result of a send; `is_over` says that the reply is no longer worth sending.
const fn is_told(sent: &Result<Replied, SendError>, reply: &PreparedReply, is_over: bool) -> Told {
    match sent {
        Ok(_) => Told::Yes,
        Err(SendError::Open { .. } | SendError::Refused(Refusal::OutcomeUnknown { .. })) => Told::Unconfirmed,
        // What a turn proposed before somebody spoke or took over is not asked any more.
        Err(SendError::Store(StoreError::Stale)) if reply.fence.is_some() => Told::Never,
        Err(SendError::Store(_) | SendError::Refused(Refusal::RequestInFlight)) => Told::Later,
        Err(SendError::Refused(Refusal::NetworkUnavailable { .. } | Refusal::HeldBack { .. }))
            if !is_over =>
        {
            Told::Later
        }
        Err(SendError::Refused(_)) => Told::Never,
    }
}
