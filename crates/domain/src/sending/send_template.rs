//! `POST /v1/messages/template`: plan, begin, ask the network, record.

use std::{sync::Arc, time::Duration};

use super::{
    IdempotencyKey, Intent, KeyClaim, KeyVerdict, Notice, PlanLimitReason, PlannedSend, Recorder, Refusal,
    SendResult, TemplateRequest, plan,
    ports::{Beginning, Begun, MessagingNetwork, SendFailure, SendLedger},
};
use crate::{
    access::Caller,
    clock::Clock,
    errors::StoreError,
    ids::{IdSource, MessageId, WorkspaceId},
    phone::{PhoneError, PhoneNumber, Region},
    vault::Vault,
    workspaces::{Month, Plan},
};

/// When to come back if the network did not say.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// A send that did not happen, or whose outcome nobody knows.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The network may have it, or has it and that could not be written down. To the caller the same as
    /// [`Refusal::OutcomeUnknown`].
    #[error("the outcome of send {id} is open: {reason}")]
    Open {
        /// The send.
        id: MessageId,
        /// For the log.
        reason: String,
    },
    /// The store failed before the network was asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A finished send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// To whom, as the request says.
    pub to: PhoneNumber,
    /// The result, of this request or of the first one with its key.
    pub result: SendResult,
    /// Whether the result is that of an earlier request.
    pub replayed: bool,
}

/// Sends a template: a notice or a one-time code.
pub struct SendTemplate {
    /// The ledger.
    pub ledger: Arc<dyn SendLedger>,
    /// The network.
    pub network: Arc<dyn MessagingNetwork>,
    /// Writes down what the network accepted.
    pub recorder: Arc<Recorder>,
    /// For the hashes of keys and requests.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl SendTemplate {
    /// Sends, or answers as the first request with the same key did. Once begun it must be run to its end:
    /// dropped in between, the send stays in flight until a status settles it.
    ///
    /// # Errors
    /// See [`SendError`].
    pub async fn run(&self, caller: &Caller, request: &TemplateRequest) -> Result<Sent, SendError> {
        request.check_shape()?;
        let workspace = caller.workspace;
        let catalogue = self.ledger.catalogue(workspace, &request.template).await?;
        let to = recipient(&request.to, catalogue.workspace.region)?;

        let claim = request.key.as_ref().map(|key: &IdempotencyKey| KeyClaim::of(key, &*self.vault));
        if let Some(claim) = claim
            && let Some(holder) = self.ledger.holder(workspace, claim.key_hash).await?
            && let Some(result) = settle_key(holder.verdict(claim.request_hash, self.clock.now()))?
        {
            return Ok(Sent { to, result, replayed: true });
        }

        let planned = plan(request, to.clone(), &catalogue, MessageId::new(&*self.ids))?;
        let beginning = self.beginning(workspace, request, &planned, claim, catalogue.workspace.plan);
        match self.ledger.begin(&beginning).await? {
            Begun::Started => {}
            Begun::PlanLimitReached => {
                return Err(Refusal::PlanLimit(PlanLimitReason::ActiveCustomerLimit).into());
            }
            Begun::KeyTaken(holder) => {
                let hash = claim.map(|claim| claim.request_hash).unwrap_or_default();
                let result = settle_key(holder.verdict(hash, self.clock.now()))?;
                let result = result.ok_or(Refusal::RequestInFlight)?;
                return Ok(Sent { to, result, replayed: true });
            }
        }
        let result = self.ask(&beginning.intent, &planned).await?;
        Ok(Sent { to, result, replayed: false })
    }

    fn beginning(
        &self,
        workspace: WorkspaceId,
        request: &TemplateRequest,
        planned: &PlannedSend,
        key: Option<KeyClaim>,
        plan: Plan,
    ) -> Beginning {
        let now = self.clock.now();
        let notice = planned.content.as_ref().map(|content| Notice {
            to: planned.message.to.clone(),
            name: request.name.as_deref().map(|name| name.trim().to_owned()),
            content: content.clone(),
        });
        // What is kept nowhere makes nobody an active customer.
        let limit = notice.as_ref().and(plan.active_customer_limit).map(|limit| (Month::of(now), limit));
        let intent = Intent {
            id: planned.message.tag,
            workspace,
            channel: planned.number.id,
            from: planned.number.phone.clone(),
            template: planned.message.template.clone(),
            reference: request.reference.clone(),
            notice,
            created_at: now,
        };
        Beginning { intent, key, limit }
    }

    /// Asks the network, with nothing held meanwhile, and writes down its answer.
    async fn ask(&self, intent: &Intent, planned: &PlannedSend) -> Result<SendResult, SendError> {
        let open = |reason: String| SendError::Open { id: intent.id, reason };
        let token = match self.ledger.token(&planned.number, intent.workspace).await {
            Ok(token) => token,
            Err(error) => {
                self.ledger.release(intent.workspace, intent.id).await?;
                return Err(error.into());
            }
        };
        let answer = self.network.send_template(&planned.number.network_id, &token, &planned.message).await;
        let refusal = match answer {
            // The network has it: from here on the caller hears of an acceptance or of an open outcome, and a
            // status settles what could not be written down.
            Ok(network_id) => match self.recorder.run(intent, &network_id).await {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => return Err(open("the intent was released meanwhile".to_owned())),
                Err(error) => return Err(open(error.to_string())),
            },
            Err(SendFailure::Unknown { reason }) => return Err(open(reason)),
            Err(SendFailure::Refused { code, message }) => Refusal::Rejected { code, message },
            Err(SendFailure::NotSent { retry_after, .. }) => {
                Refusal::NetworkUnavailable { retry_after: retry_after.unwrap_or(RETRY_AFTER) }
            }
        };
        self.ledger.release(intent.workspace, intent.id).await?;
        Err(refusal.into())
    }
}

/// The result to replay; `None` when the key may be claimed.
fn settle_key(verdict: KeyVerdict) -> Result<Option<SendResult>, Refusal> {
    match verdict {
        KeyVerdict::Expired => Ok(None),
        KeyVerdict::Replay(result) => Ok(Some(*result)),
        KeyVerdict::InFlight => Err(Refusal::RequestInFlight),
        KeyVerdict::OutcomeUnknown(id) => Err(Refusal::OutcomeUnknown { id }),
        KeyVerdict::Reused => Err(Refusal::KeyReused),
    }
}

fn recipient(written: &str, region: Region) -> Result<PhoneNumber, Refusal> {
    PhoneNumber::parse(written, region).map_err(|_: PhoneError| Refusal::InvalidPhone)
}
