//! `POST /v1/messages/template`: plan, begin, ask the network, record.

use std::sync::Arc;

use super::{
    choose::Catalogue,
    idempotency::{IdempotencyKey, KeyClaim},
    ledger::{ConversationEntry, Intent, SendResult, TemplateSend},
    message::{Priority, TemplateMessage},
    once::{Outgoing, SendError, SendOnce},
    plan::{PlannedSend, plan},
    ports::{SendLedger, SendReservation},
    refusal::Refusal,
    request::TemplateRequest,
};
use crate::{
    access::Caller,
    channels::Connection,
    contacts::{ports::ContactStore, read_number},
    deps::Deps,
    fence::TurnEffect,
    ids::{MemberId, MessageId, WorkspaceId},
    phone::PhoneNumber,
    templates::Template,
    vault::Vault,
    workspaces::{Month, Plan},
};

/// A finished template send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub to: PhoneNumber,
    pub result: SendResult,
    /// Whether the result is that of an earlier request.
    pub replayed: bool,
}

/// Use case that sends a template: a notification or a one-time code.
pub struct SendTemplate {
    pub ledger: Arc<dyn SendLedger>,
    pub contacts: Arc<dyn ContactStore>,
    pub once: Arc<SendOnce>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl SendTemplate {
    /// Sends a template, or answers as the first request with the same key did. Once begun it must be run to
    /// its end: dropped in between, the send stays in flight until a status settles it.
    pub async fn run(&self, caller: &Caller, request: &TemplateRequest) -> Result<Sent, SendError> {
        self.run_as(caller.workspace, None, request).await
    }

    /// Sends a template like [`Self::run`], in the name of `author` if there is one.
    pub async fn run_as(
        &self,
        workspace: WorkspaceId,
        author: Option<MemberId>,
        request: &TemplateRequest,
    ) -> Result<Sent, SendError> {
        request.check_shape()?;
        let catalogue = self.ledger.catalogue(workspace, &request.template).await?;
        if !catalogue.templates.iter().any(Template::is_authentication) {
            request.check_name()?;
        }
        let to = read_number(&*self.contacts, workspace, &request.to, catalogue.workspace.region).await?;
        let to = to.map_err(Refusal::InvalidPhone)?;

        let claim = request.key.as_ref().map(|key: &IdempotencyKey| KeyClaim::of(key, &*self.vault));
        let planned = match plan(request, to.clone(), &catalogue, MessageId::new(&*self.deps.ids)) {
            Ok(planned) => planned,
            Err(refusal) => {
                let result = self.once.replay_or(refusal, workspace, claim).await?;
                return Ok(Sent { to, result, replayed: true });
            }
        };
        let mut reservation = self.reservation(workspace, request, &planned, claim, catalogue.workspace.plan);
        if let ConversationEntry::TemplateSend(template_send) = &mut reservation.intent.conversation_entry {
            template_send.author = author;
        }
        let outgoing = Outgoing::Template(planned.message);
        let (result, replayed) =
            self.once.run(&reservation, &Connection::from(&planned.number), &outgoing).await?;
        Ok(Sent { to, result, replayed })
    }

    /// Sends one message of a broadcast at low priority, under a pre-assigned id, planned on `catalogue`.
    ///
    /// There is no key: an id that was begun before and not released is
    /// [in flight](Refusal::RequestInFlight).
    pub async fn run_prepared(
        &self,
        workspace: WorkspaceId,
        author: MemberId,
        request: &TemplateRequest,
        to: PhoneNumber,
        catalogue: &Catalogue,
        id: MessageId,
    ) -> Result<SendResult, SendError> {
        request.check_shape()?;
        let planned = plan(request, to, catalogue, id)?;
        let mut reservation = self.reservation(workspace, request, &planned, None, catalogue.workspace.plan);
        if let ConversationEntry::TemplateSend(template_send) = &mut reservation.intent.conversation_entry {
            template_send.author = Some(author);
        }
        let outgoing =
            Outgoing::Template(TemplateMessage { priority: Priority::Broadcast, ..planned.message });
        let sent = self.once.run(&reservation, &Connection::from(&planned.number), &outgoing).await?;
        Ok(sent.0)
    }

    fn reservation(
        &self,
        workspace: WorkspaceId,
        request: &TemplateRequest,
        planned: &PlannedSend,
        key: Option<KeyClaim>,
        plan: Plan,
    ) -> SendReservation {
        let now = self.deps.clock.now();
        let template_send = planned.content.as_ref().map(|content| TemplateSend {
            to: planned.message.to.clone(),
            name: request.person(),
            content: content.clone(),
            author: None,
        });
        // A send kept in no conversation makes nobody an active customer.
        let limit =
            template_send.as_ref().and(plan.active_customer_limit).map(|limit| (Month::of(now), limit));
        let intent = Intent {
            id: planned.message.tag,
            workspace,
            channel: planned.number.id,
            from: Some(planned.number.phone.clone()),
            template: Some(planned.message.template.clone()),
            reference: request.reference.clone(),
            conversation_entry: template_send
                .map_or(ConversationEntry::Nothing, ConversationEntry::TemplateSend),
            created_at: now,
        };
        SendReservation { intent, key, limit, turn: TurnEffect::None }
    }
}
