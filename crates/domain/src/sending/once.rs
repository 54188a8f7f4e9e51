//! Sending once: what template sends and replies have in common.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    idempotency::{KeyClaim, KeyVerdict},
    ledger::{Intent, SendResult},
    message::{FileMessage, PhotoMessage, Priority, Recipient, TemplateMessage, TextMessage, UploadedFile},
    ordinary::OrdinarySends,
    ports::{MessagingNetwork, ReserveOutcome, SendFailure, SendLedger, SendReservation},
    record::Recorder,
    refusal::{PlanLimitReason, Refusal},
    unfinished::{KnownOutcome, Unfinished},
};
use crate::{
    attachments::StoredAttachment,
    channels::{AccountAccess, Connection},
    clock::Clock,
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::NetworkError,
    phone::PhoneNumber,
};

/// Delay before a retry if the network named none.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Reason why a send did not happen or has an unknown outcome.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The network may have it, or has it and that could not be stored. To the caller it is the same as
    /// [`Refusal::OutcomeUnknown`].
    #[error("the outcome of send {id} is open: {reason}")]
    Open { id: MessageId, since: OffsetDateTime, reason: String },
    /// The store failed, or the state had moved on, before the network was given the message.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Message for the network.
#[derive(Debug, Clone)]
pub enum Outgoing {
    Template(TemplateMessage),
    Text(TextMessage),
    File(Box<FileMessage>),
    /// File whose upload has failed: no message is sent.
    NotUploaded(SendFailure),
    Photo(PhotoMessage),
}

/// Common path of all sends: begins a send, asks the network once, and records its answer.
pub struct SendOnce {
    ledger: Arc<dyn SendLedger>,
    network: Arc<dyn MessagingNetwork>,
    recorder: Arc<Recorder>,
    unfinished: Arc<Unfinished>,
    ordinary: Arc<OrdinarySends>,
    clock: Arc<dyn Clock>,
}

impl SendOnce {
    /// Creates one over these ports; `recorder` stores what the network accepted.
    pub fn new(
        ledger: Arc<dyn SendLedger>,
        network: Arc<dyn MessagingNetwork>,
        recorder: Arc<Recorder>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let unfinished = Unfinished::new(Arc::clone(&ledger), Arc::clone(&recorder), Arc::clone(&clock));
        let ordinary = Arc::default();
        Self { ledger, network, recorder, unfinished: Arc::new(unfinished), ordinary, clock }
    }

    /// Returns the sends of this process that somebody waits for.
    pub fn ordinary(&self) -> Arc<OrdinarySends> {
        Arc::clone(&self.ordinary)
    }

    /// Returns the outcomes that could not be stored at once; the caller has to keep retrying them.
    pub fn unfinished(&self) -> Arc<Unfinished> {
        Arc::clone(&self.unfinished)
    }

    /// Replays the answer of a used key, or else returns the refusal. A request that is not refused learns of
    /// its key when it begins.
    pub(super) async fn replay_or(
        &self,
        refusal: Refusal,
        workspace: WorkspaceId,
        claim: Option<KeyClaim>,
    ) -> Result<SendResult, SendError> {
        self.replay(workspace, claim).await?.ok_or_else(|| refusal.into())
    }

    /// Returns the first answer given for the key; `None` if the key may be claimed or there is none.
    pub(super) async fn replay(
        &self,
        workspace: WorkspaceId,
        claim: Option<KeyClaim>,
    ) -> Result<Option<SendResult>, SendError> {
        let Some(claim) = claim else { return Ok(None) };
        let holder = self.ledger.holder(workspace, claim.key_hash).await?;
        let verdict = holder.map(|holder| holder.verdict(claim.request_hash, self.clock.now()));
        Ok(verdict.map(settle_key).transpose()?.flatten())
    }

    /// Uploads a file before the send that names it begins. Nobody receives anything by it, and it takes
    /// longer than a caller who asks about a send in flight is told to wait.
    pub(super) async fn upload(
        &self,
        workspace: WorkspaceId,
        connection: &Connection,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<Result<Option<UploadedFile>, SendFailure>, SendError> {
        let token = self.opened(workspace, connection, false).await?;
        Ok(self.network.upload_file(&connection.network_id, &token, to, file).await)
    }

    /// Begins a send and asks the network. Returns the result, and whether it is that of an earlier request.
    pub(super) async fn run(
        &self,
        reservation: &SendReservation,
        connection: &Connection,
        outgoing: &Outgoing,
    ) -> Result<(SendResult, bool), SendError> {
        let waited_for = match outgoing {
            Outgoing::Template(message) => message.priority == Priority::Ordinary,
            Outgoing::Text(_) | Outgoing::File(_) | Outgoing::NotUploaded(_) | Outgoing::Photo(_) => true,
        };
        let started_at = self.clock.now();
        let _under_way = waited_for.then(|| self.ordinary.begin(started_at));
        let begun = self.ledger.begin(reservation.intent.workspace, reservation).await.inspect_err(|_| {
            // It may be begun all the same, and hold its key though nobody will ask the network.
            self.unfinished.remember(&reservation.intent, KnownOutcome::NeverAsked);
        })?;
        if waited_for {
            self.ordinary.was_begun(self.clock.now() - started_at);
        }
        match begun {
            ReserveOutcome::Started => {
                Ok((self.ask(&reservation.intent, connection, outgoing).await?, false))
            }
            ReserveOutcome::PlanLimitReached => {
                Err(Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit).into())
            }
            ReserveOutcome::Outdated => Err(StoreError::Stale.into()),
            ReserveOutcome::FileTaken => Err(Refusal::AttachmentUsed.into()),
            // Begun by somebody else: nothing of it is ours to release.
            ReserveOutcome::AlreadyReserved => Err(Refusal::RequestInFlight.into()),
            ReserveOutcome::KeyTaken(holder) => {
                let hash = reservation.key.map(|claim| claim.request_hash).unwrap_or_default();
                let result = settle_key(holder.verdict(hash, self.clock.now()))?;
                Ok((result.ok_or(Refusal::RequestInFlight)?, true))
            }
        }
    }

    /// Asks the network, with nothing held meanwhile, and records its answer.
    async fn ask(
        &self,
        intent: &Intent,
        connection: &Connection,
        outgoing: &Outgoing,
    ) -> Result<SendResult, SendError> {
        let open = |reason: String| SendError::Open { id: intent.id, since: intent.created_at, reason };
        let is_template = matches!(outgoing, Outgoing::Template(_));
        let token = match self.opened(intent.workspace, connection, is_template).await {
            Ok(token) => token,
            Err(error) => {
                self.take_back(intent).await;
                return Err(error);
            }
        };
        let mut called = None;
        let answer = match outgoing {
            Outgoing::Template(message) => {
                let answer = self.network.send_template(&connection.network_id, &token, message).await;
                answer.map(|accepted| {
                    called = accepted.called.filter(|called| *called != message.to);
                    accepted.network_id
                })
            }
            Outgoing::Text(message) => self.network.send_text(&connection.network_id, &token, message).await,
            Outgoing::File(message) => self.network.send_file(&connection.network_id, &token, message).await,
            Outgoing::NotUploaded(failure) => Err(failure.clone()),
            Outgoing::Photo(message) => {
                self.network.send_photo(&connection.network_id, &token, message).await
            }
        };
        match answer {
            // The network has it: from here on the caller gets an acceptance or an open outcome.
            Ok(network_id) => match self.recorder.run(intent, &network_id).await {
                Ok(Some(result)) => {
                    self.note_spelling(intent.workspace, &result, called).await;
                    Ok(result)
                }
                Ok(None) => Err(open("the intent was released meanwhile".to_owned())),
                Err(error) => {
                    self.unfinished.remember(intent, KnownOutcome::Accepted(network_id));
                    Err(open(error.to_string()))
                }
            },
            Err(SendFailure::Unknown { reason }) => Err(open(reason)),
            Err(SendFailure::Refused { code, subcode, message }) => {
                let error = NetworkError { code: Some(code), message: message.clone() };
                self.refused(intent, error).await;
                Err(Refusal::Rejected { channel: connection.kind, code, subcode, message }.into())
            }
            Err(SendFailure::HeldBack { retry_after }) => {
                self.take_back(intent).await;
                Err(Refusal::HeldBack { retry_after }.into())
            }
            Err(SendFailure::NotSent { reason, retry_after }) => {
                self.take_back(intent).await;
                let retry_after = retry_after.unwrap_or(RETRY_AFTER);
                Err(Refusal::NetworkUnavailable { retry_after, reason }.into())
            }
        }
    }

    /// Stores the number by which the network calls a kept contact. A failure is ignored: the message is
    /// sent, and the answer to the next one names the number again.
    async fn note_spelling(&self, workspace: WorkspaceId, result: &SendResult, called: Option<PhoneNumber>) {
        if let (Some(contact), Some(called)) = (result.contact, called) {
            drop(self.ledger.note_spelling(workspace, contact, &called, self.clock.now()).await);
        }
    }

    /// Returns the token of the connection's account, unless that account may not send.
    async fn opened(
        &self,
        workspace: WorkspaceId,
        connection: &Connection,
        is_template: bool,
    ) -> Result<SecretString, SendError> {
        let access = self.ledger.token(workspace, connection).await?;
        let AccountAccess { token, standing } = access.ok_or(Refusal::NoChannel(connection.kind))?;
        match standing.and_then(|standing| standing.bars(is_template, self.clock.now())) {
            Some(state) => Err(Refusal::AccountBarred(state).into()),
            None => Ok(token),
        }
    }

    /// Settles a refused send: a template leaves nothing, a reply stays in its conversation as failed.
    async fn refused(&self, intent: &Intent, error: NetworkError) {
        if intent.conversation_entry.reply().is_none() {
            return self.take_back(intent).await;
        }
        let at = self.clock.now();
        let written = self.ledger.refuse_reply(intent.workspace, intent.id, &error, at).await;
        if written.is_err() {
            self.unfinished.remember(intent, KnownOutcome::Refused { error, at });
        }
    }

    /// Releases a send of which nothing was sent: neither the key nor the plan's place is used up.
    async fn take_back(&self, intent: &Intent) {
        if self.ledger.release(intent.workspace, &[intent.attempt()]).await.is_err() {
            self.unfinished.remember(intent, KnownOutcome::NotSent);
        }
    }
}

/// Returns the result to replay; `None` if the key may be claimed.
fn settle_key(verdict: KeyVerdict) -> Result<Option<SendResult>, Refusal> {
    match verdict {
        KeyVerdict::Expired => Ok(None),
        KeyVerdict::Replay(result) => Ok(Some(*result)),
        KeyVerdict::InFlight => Err(Refusal::RequestInFlight),
        KeyVerdict::OutcomeUnknown { id, since } => Err(Refusal::OutcomeUnknown { id, since }),
        KeyVerdict::Reused => Err(Refusal::KeyReused),
    }
}
