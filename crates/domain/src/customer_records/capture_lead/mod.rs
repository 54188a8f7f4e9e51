//! Capture of leads: people to follow up with.

use std::sync::Arc;

use super::{
    customer::ConversationCustomer,
    lead::{LONGEST_NEED, LeadState},
    ports::{CustomerStore, LeadHolder, LeadStore, NewLead},
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::{MayBeStale, StoreError, retry_stale},
    events::{CapturedLead, Customer, Event},
    fence::Fence,
    ids::{ConversationId, LeadId},
    sending::{IdempotencyKey, KeyClaim},
    systems::{Capability, LONGEST_LABEL, LeadPush, ports::SystemStore},
    text::PlainText,
    vault::Vault,
};

/// Most tries of a write that loses races.
const TRIES: usize = 20;

/// Request to capture a lead.
#[derive(Clone)]
pub struct LeadRequest {
    pub conversation: ConversationId,
    /// The contact's name is taken if absent.
    pub name: Option<String>,
    pub need: String,
    pub key: Option<IdempotencyKey>,
    /// Fence of the assistant's turn that asks: nothing is written once something has passed it.
    pub fence: Option<Fence>,
}

/// Reason a lead was not captured.
#[derive(Debug, thiserror::Error)]
pub enum CaptureLeadError {
    #[error("{0}")]
    Invalid(String),
    #[error("there is no conversation with this id")]
    UnknownConversation,
    #[error("this Idempotency-Key was used for a different request")]
    KeyReused,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayBeStale for CaptureLeadError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_stale())
    }
}

/// A captured lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadOutcome {
    pub id: LeadId,
    pub state: LeadState,
    /// Whether an earlier request with the same key captured it.
    pub replayed: bool,
}

/// Use case that captures leads.
pub struct CaptureLead {
    pub leads: Arc<dyn LeadStore>,
    pub customers: Arc<dyn CustomerStore>,
    pub systems: Arc<dyn SystemStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl CaptureLead {
    /// Captures a lead, with the event that tells of it. The workspace's system is told later, if it keeps
    /// customers and the customer's number is verified.
    pub async fn run(&self, acting: Acting, request: &LeadRequest) -> Result<LeadOutcome, CaptureLeadError> {
        let need = read(&request.need, LONGEST_NEED, "need")?;
        let name = request.name.as_deref().map(|name| read(name, LONGEST_LABEL, "name")).transpose()?;
        let claim = request.key.as_ref().map(|key| KeyClaim::of(key, &*self.vault));
        // What has passed a fence stays passed.
        let tries = if request.fence.is_some() { 1 } else { TRIES };
        retry_stale(tries, || self.try_once(acting, request, name.clone(), &need, claim)).await
    }

    async fn try_once(
        &self,
        acting: Acting,
        request: &LeadRequest,
        name: Option<PlainText>,
        need: &PlainText,
        claim: Option<KeyClaim>,
    ) -> Result<LeadOutcome, CaptureLeadError> {
        let workspace = acting.workspace;
        let customer = self.customers.customer_of(workspace, request.conversation).await?;
        let customer = customer.ok_or(CaptureLeadError::UnknownConversation)?;
        let called = || PlainText::read(customer.contact.name.as_deref()?, LONGEST_LABEL);
        let name = name.or_else(called);
        let system = self.systems.find(workspace).await?;
        let keeps_customers =
            |it: &crate::systems::SystemConnection| it.introduction.capabilities.has(Capability::Customers);
        let phone = customer.verified_phone().cloned();
        let push =
            phone.clone().filter(|_| system.as_ref().is_some_and(keeps_customers)).map(|phone| LeadPush {
                name: name.clone(),
                phone,
                note: Some(need.clone()),
                conversation: customer.conversation,
            });
        let (now, id) = (self.deps.clock.now(), LeadId::new(&*self.deps.ids));
        let state = if push.is_some() { LeadState::Waiting } else { LeadState::NotTold };
        let lead = CapturedLead {
            name: name.map(|name| name.as_str().to_owned()),
            phone,
            need: need.as_str().to_owned(),
        };
        let ConversationCustomer { conversation, contact, .. } = &customer;
        let event = Event::lead_captured(*conversation, lead, Customer::of(contact), now);
        let entry = acting.does(Action::LeadCaptured, now, &*self.deps.ids).to(*conversation);
        let entry = entry.with("leadId", id.to_string()).with("state", state.as_str());
        let (conversation, fence) = (*conversation, request.fence);
        let new = NewLead { id, conversation, push, key: claim, fence, event, entry };
        match self.leads.capture(workspace, &new).await? {
            None => {
                self.deps.signals.deliveries_due(workspace);
                Ok(LeadOutcome { id, state, replayed: false })
            }
            Some(LeadHolder { request_hash, id, state }) => {
                if claim.is_none_or(|claim| claim.request_hash != request_hash) {
                    return Err(CaptureLeadError::KeyReused);
                }
                Ok(LeadOutcome { id, state, replayed: true })
            }
        }
    }
}

fn read(typed: &str, longest: usize, field: &str) -> Result<PlainText, CaptureLeadError> {
    let read = PlainText::read_whole(typed, longest).filter(|(_, whole)| *whole);
    let rule = || {
        CaptureLeadError::Invalid(format!("`{field}` must be 1 to {longest} characters that show something"))
    };
    read.map(|(text, _)| text).ok_or_else(rule)
}

#[cfg(test)]
mod tests;
