//! Sending once: what notices, one-time codes and replies have in common.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    FileMessage, Intent, KeyClaim, KeyVerdict, OrdinarySends, PhotoMessage, PlanLimitReason, Priority,
    Recipient, Recorder, Refusal, SendResult, TemplateMessage, TextMessage, Unfinished, UploadedFile,
    ports::{MessagingNetwork, ReserveOutcome, SendFailure, SendLedger, SendReservation},
    unfinished::KnownOutcome,
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

/// The caller is told to come back after this if the network did not say when.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The send did not happen, or nobody knows its outcome.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The network may have it, or has it and that could not be written down. To the caller it is the same as
    /// [`Refusal::OutcomeUnknown`].
    #[error("the outcome of send {id} is open: {reason}")]
    Open { id: MessageId, since: OffsetDateTime, reason: String },
    /// The store failed before the network was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The network is given this.
#[derive(Debug, Clone)]
pub enum Outgoing {
    /// It is a filled template.
    Template(TemplateMessage),
    /// It is a plain text.
    Text(TextMessage),
    /// It is a file.
    File(Box<FileMessage>),
    /// It is a file that the network was to be given before, and did not get: no message is asked for.
    NotUploaded(SendFailure),
    /// It is a photo that lies elsewhere.
    Photo(PhotoMessage),
}

/// It begins a send, asks the network once, and writes down its answer.
pub struct SendOnce {
    ledger: Arc<dyn SendLedger>,
    network: Arc<dyn MessagingNetwork>,
    recorder: Arc<Recorder>,
    unfinished: Arc<Unfinished>,
    ordinary: Arc<OrdinarySends>,
    clock: Arc<dyn Clock>,
}

impl SendOnce {
    /// Makes one over these ports; `recorder` writes down what the network accepted.
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

    /// Returns what could not be written down at once; somebody has to go on with it.
    pub fn unfinished(&self) -> Arc<Unfinished> {
        Arc::clone(&self.unfinished)
    }

    /// Returns what a request that would be refused answers: a key that was used before comes first. One that
    /// would not be refused hears of its key when it is begun.
    pub(super) async fn replay_or(
        &self,
        refusal: Refusal,
        workspace: WorkspaceId,
        claim: Option<KeyClaim>,
    ) -> Result<SendResult, SendError> {
        self.replay(workspace, claim).await?.ok_or_else(|| refusal.into())
    }

    /// Returns what the key's request answers, where there was one; `None` where the key may be claimed.
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

    /// Gives the network a file before the send that names it is begun. Nobody gets anything by it, and it takes
    /// longer than whoever asks about a send that was begun is told to wait.
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

    /// Returns the result, and whether it is that of an earlier request.
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
            // Somebody else has begun it: nothing of it is ours to take back.
            ReserveOutcome::AlreadyReserved => Err(Refusal::RequestInFlight.into()),
            ReserveOutcome::KeyTaken(holder) => {
                let hash = reservation.key.map(|claim| claim.request_hash).unwrap_or_default();
                let result = settle_key(holder.verdict(hash, self.clock.now()))?;
                Ok((result.ok_or(Refusal::RequestInFlight)?, true))
            }
        }
    }

    /// Asks the network, with nothing held meanwhile, and writes down its answer.
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
            // The network has it: from here on the caller hears of an acceptance or of an open outcome.
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

    /// Notes what the network calls the number of whoever is kept. Whatever becomes of that, the message is taken, and the
    /// next one tells it anew.
    async fn note_spelling(&self, workspace: WorkspaceId, result: &SendResult, called: Option<PhoneNumber>) {
        if let (Some(contact), Some(called)) = (result.contact, called) {
            drop(self.ledger.note_spelling(workspace, contact, &called, self.clock.now()).await);
        }
    }

    /// Returns what opens the connection's account, unless that may not send.
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

    /// A refused template leaves nothing; a refused reply stays in its conversation as failed.
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

    /// Takes the send back where nothing was sent: neither the key nor the plan's place is used up.
    async fn take_back(&self, intent: &Intent) {
        if self.ledger.release(intent.workspace, &[intent.attempt()]).await.is_err() {
            self.unfinished.remember(intent, KnownOutcome::NotSent);
        }
    }
}

/// Returns the result to replay; `None` when the key may be claimed.
fn settle_key(verdict: KeyVerdict) -> Result<Option<SendResult>, Refusal> {
    match verdict {
        KeyVerdict::Expired => Ok(None),
        KeyVerdict::Replay(result) => Ok(Some(*result)),
        KeyVerdict::InFlight => Err(Refusal::RequestInFlight),
        KeyVerdict::OutcomeUnknown { id, since } => Err(Refusal::OutcomeUnknown { id, since }),
        KeyVerdict::Reused => Err(Refusal::KeyReused),
    }
}
