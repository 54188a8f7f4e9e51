//! A reply that the service words by itself, and that is sent once.

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

/// It is a reply that is worded, and kept until it was handed to the network or refused. It prints nothing of
/// what it says.
#[derive(Clone, PartialEq, Eq)]
pub struct PreparedReply {
    /// It becomes this message.
    pub id: MessageId,
    pub conversation: ConversationId,
    /// The reply is sent in their name.
    pub author: ReplyAuthor,
    pub text: String,
    /// The customer can tap these under it.
    pub buttons: Vec<ReplyButton>,
    /// It is the draft that it is the summary of: one that nobody can read cannot be confirmed.
    pub summary_of: Option<DraftId>,
    /// It is worth sending until then.
    pub until: OffsetDateTime,
    /// The reply rests on it, where the assistant has proposed it in a turn: once that has passed, it is not
    /// sent.
    pub fence: Option<Fence>,
    /// When the conversation was handed over, where this tells the customer so: once a person has answered, or the
    /// conversation is with the team no more, it is not sent.
    pub handed_over_at: Option<OffsetDateTime>,
}

impl fmt::Debug for PreparedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedReply").field("id", &self.id).finish_non_exhaustive()
    }
}

/// It sends prepared replies.
#[derive(Clone)]
pub struct SendPrepared {
    pub replies: Arc<dyn PreparedReplies>,
    pub reply: Arc<SendReply>,
    pub clock: Arc<dyn Clock>,
}

/// It sends what whoever worded it has not sent.
pub struct ResumeReplies {
    pub prepared: SendPrepared,
    /// It hands over where nobody knows whether the customer was told.
    pub hand_over: HandOver,
}

impl ResumeReplies {
    /// Lists workspaces with prepared replies that nobody is sending. It only reads.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.prepared.replies.workspaces_with_replies(self.prepared.clock.now()).await
    }

    /// Sends one that nobody is sending; `false` when there is none. Where what the assistant tells cannot be sent, or nobody
    /// knows whether the network has it, a person is asked for: the customer waits for it.
    ///
    /// # Errors
    /// Those of the store before anything is sent, and afterwards; it is due again when its lease has ended.
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
        // What rests on a turn is that turn's to settle.
        let is_waited_for =
            reply.author == ReplyAuthor::Assistant && reply.fence.is_none() && reply.handed_over_at.is_none();
        if let Some(reason) = is_told.leaves_untold().filter(|_| is_waited_for) {
            // Before it is let go of: whoever dies in between finds it again.
            self.hand_over.run(workspace, reply.conversation, reason).await?;
        }
        match self.prepared.settle(workspace, &reply, sent, is_told).await {
            // What a network or a rule says of a reply is told where it was asked for.
            Err(SendError::Store(error)) => Err(error),
            _ => Ok(true),
        }
    }
}

impl SendPrepared {
    /// Sends `reply` for somebody who waits for it and is told what came of it: what is not taken now is never sent.
    ///
    /// # Errors
    /// See [`SendError`].
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
        match reply.fence {
            Some(fence) => self.reply.run_as_assistant(workspace, &request, fence).await,
            None => self.reply.run_as_rule(workspace, reply.author, &request).await,
        }
    }

    /// Lets go of `reply` after a send, unless somebody sends it later.
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

/// It says whether the customer is told what a reply says, after a send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Yes,
    /// The network may have it: it is never sent again, and may be read.
    Unconfirmed,
    /// Somebody is sending it, or will.
    Later,
    Never,
}

impl Told {
    /// Returns why a person has to tell the customer instead.
    const fn leaves_untold(self) -> Option<HandOverReason> {
        match self {
            Self::Yes | Self::Later => None,
            Self::Unconfirmed => Some(HandOverReason::AnswerUnconfirmed),
            Self::Never => Some(HandOverReason::CannotAnswer),
        }
    }
}

/// Says it of a send that ended so; `is_over` says whether the reply is worth sending no more.
const fn is_told(sent: &Result<Replied, SendError>, reply: &PreparedReply, is_over: bool) -> Told {
    match sent {
        Ok(_) => Told::Yes,
        Err(SendError::Open { .. } | SendError::Refused(Refusal::OutcomeUnknown { .. })) => Told::Unconfirmed,
        // Nobody is asked any more what a turn had proposed before somebody spoke or took over.
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
