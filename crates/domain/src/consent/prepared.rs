//! Replies that the service words itself, each sent once.

use std::sync::Arc;

use super::ports::PreparedReplies;
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    messages::PreparedReply,
    sending::{IdempotencyKey, Refusal, Replied, ReplyRequest, SendError, SendReply},
};

/// Use case that sends prepared replies.
#[derive(Clone)]
pub struct SendPrepared {
    pub replies: Arc<dyn PreparedReplies>,
    pub reply: Arc<SendReply>,
    pub clock: Arc<dyn Clock>,
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

    pub(crate) async fn send(
        &self,
        workspace: WorkspaceId,
        reply: &PreparedReply,
    ) -> Result<Replied, SendError> {
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

    pub(crate) async fn settle(
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
pub(crate) enum Told {
    Yes,
    /// The network may have it: it is never sent again.
    Unconfirmed,
    /// Another process is sending it, or it will be sent again.
    Later,
    Never,
}

/// Interprets the result of a send; `is_over` says that the reply is no longer worth sending.
pub(crate) const fn is_told(sent: &Result<Replied, SendError>, reply: &PreparedReply, is_over: bool) -> Told {
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
