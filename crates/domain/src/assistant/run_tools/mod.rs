//! Execution of tools, by the same look-ups and proposals that members have.

use async_trait::async_trait;

use super::{
    brief::TurnBrief, ports::Tools, results::ToolOutcome, sent::Sent, tool_request::ToolRequest,
    toolbox::Tool,
};
use crate::{
    appointments::{BookingRequest, RequestBooking},
    audit::Acting,
    catalogue::BrowseCatalogue,
    consent::{DraftRequest, ProposeDraft, ProposeError, Proposer, Wanted},
    customer_records::{CaptureLead, LeadRequest, LookUpCustomer, LookUpError},
    errors::StoreError,
    knowledge::LookUpKnowledge,
    language::Language,
    sending::IdempotencyKey,
    systems::{CallError, SystemError},
    text::PlainText,
};

/// Tools that work with the workspace's own system.
pub struct RunTools {
    pub catalogue: BrowseCatalogue,
    pub knowledge: LookUpKnowledge,
    pub customers: LookUpCustomer,
    pub leads: CaptureLead,
    pub bookings: RequestBooking,
    pub propose: ProposeDraft,
}

#[async_trait]
impl Tools for RunTools {
    async fn run(&self, turn: &TurnBrief, request: &ToolRequest) -> ToolOutcome {
        let (workspace, conversation) = (turn.workspace, turn.fence.conversation);
        match request {
            ToolRequest::SearchProducts(words) => self.catalogue.search(workspace, words).await.map_or_else(
                |error| of_system(&error),
                |found| ToolOutcome::found(words.as_str(), &found.products, found.currency),
            ),
            ToolRequest::GetProduct(id) => self.catalogue.product(workspace, id.as_str()).await.map_or_else(
                |error| of_system(&error),
                |(product, currency)| ToolOutcome::product(&product, currency),
            ),
            ToolRequest::SearchKnowledge(words) => self.knowledge.run(workspace, words).await.map_or_else(
                |_| ToolOutcome::failed("the documents cannot be read now"),
                |found| ToolOutcome::passages(&found),
            ),
            ToolRequest::GetOrderStatus(reference) => {
                self.customers.order(workspace, conversation, reference.as_str()).await.map_or_else(
                    |error| of_look_up(&error),
                    |(order, currency)| ToolOutcome::order(&order, currency),
                )
            }
            ToolRequest::LookupCustomerRecord => match self.customers.record(workspace, conversation).await {
                Ok(Some(record)) => ToolOutcome::record(&record, turn.region),
                Ok(None) => ToolOutcome::failed("the system does not know this customer"),
                Err(error) => of_look_up(&error),
            },
            ToolRequest::ListAppointmentSlots(query) => self
                .customers
                .slots(workspace, conversation, query)
                .await
                .map_or_else(|error| of_look_up(&error), |slots| ToolOutcome::slots(&slots, query)),
            ToolRequest::CaptureLead { name, need } => {
                let lead = lead_of(turn, name.as_ref(), need);
                match self.leads.run(Acting::service(workspace), &lead).await {
                    Ok(_) => ToolOutcome::lead_captured(),
                    Err(_) => ToolOutcome::failed("the customer could not be written down"),
                }
            }
            ToolRequest::RequestBooking { name, service, preferred_time } => {
                let booking = wish_of(turn, name.as_ref(), service, preferred_time.as_ref());
                match self.bookings.run(Acting::service(workspace), &booking).await {
                    Ok(_) => ToolOutcome::booking_requested(),
                    Err(_) => ToolOutcome::failed("the wish could not be written down"),
                }
            }
            // Both end a turn elsewhere: `propose` carries out the one, and the other does nothing in a
            // system.
            ToolRequest::Propose(..) | ToolRequest::HandOver => ToolOutcome::default(),
        }
    }

    async fn propose(&self, turn: &TurnBrief, wanted: Wanted) -> Result<Sent, Box<ToolOutcome>> {
        // What was confirmed before the turn is known by now; a confirmation during it passes its fence.
        match self.propose.is_under_way(turn.workspace, turn.fence.conversation).await {
            Ok(false) => {}
            Ok(true) => return Err(Box::new(ToolOutcome::under_way())),
            Err(error) => return Ok(of_store(&error)),
        }
        let language = turn.language().or_else(|| turn.languages.first().copied());
        let asked = DraftRequest {
            conversation: turn.fence.conversation,
            wanted,
            language: language.unwrap_or(Language::Arabic),
            preamble: turn.introduction(),
            key: Some(key_of_turn(turn)),
        };
        let by =
            if turn.tried { Proposer::TriedAssistant(turn.fence) } else { Proposer::Assistant(turn.fence) };
        match self.propose.run(Acting::service(turn.workspace), by, &asked).await {
            Ok(_) => Ok(Sent::Yes),
            Err(error) => of_proposal(error),
        }
    }
}

/// Returns the lead to record; a passed fence keeps it from being written.
fn lead_of(turn: &TurnBrief, name: Option<&PlainText>, need: &PlainText) -> LeadRequest {
    LeadRequest {
        conversation: turn.fence.conversation,
        name: name.map(owned),
        need: owned(need),
        key: Some(key_of_note(turn, Tool::CaptureLead)),
        fence: Some(turn.fence),
    }
}

fn wish_of(
    turn: &TurnBrief,
    name: Option<&PlainText>,
    service: &PlainText,
    preferred_time: Option<&PlainText>,
) -> BookingRequest {
    BookingRequest {
        conversation: turn.fence.conversation,
        name: name.map(owned),
        service: owned(service),
        preferred_time: preferred_time.map(owned),
        key: Some(key_of_note(turn, Tool::RequestBooking)),
        fence: Some(turn.fence),
    }
}

/// Returns the key of a record by `tool`: when the turn is run again, the first stands, whatever the model
/// says.
fn key_of_note(turn: &TurnBrief, tool: Tool) -> IdempotencyKey {
    let IdempotencyKey { key, request } = key_of_turn(turn);
    IdempotencyKey { key: format!("{key}\n{}", tool.as_str()), request }
}

/// Returns the key of the turn's proposal, which is not repeated when the turn is run again, whatever the
/// model says this time. No caller's key has a line break.
fn key_of_turn(turn: &TurnBrief) -> IdempotencyKey {
    let key = format!("assistant\n{}\n{}", turn.fence.conversation, turn.fence.heard);
    IdempotencyKey { key, request: Vec::new() }
}

fn owned(text: &PlainText) -> String {
    text.as_str().to_owned()
}

/// Returns the result of a tool whose system failed.
pub(super) fn of_system(error: &SystemError) -> ToolOutcome {
    if matches!(error, SystemError::Call(CallError::NotFound { .. })) {
        return ToolOutcome::nothing_found();
    }
    ToolOutcome::system_failed()
}

fn of_look_up(error: &LookUpError) -> ToolOutcome {
    match error {
        LookUpError::System(error) => of_system(error),
        LookUpError::UnknownConversation | LookUpError::NoVerifiedNumber => {
            ToolOutcome::failed("nobody knows for certain which number writes here")
        }
    }
}

/// Converts the error of a proposal; the model is told what it can mend.
fn of_proposal(error: ProposeError) -> Result<Sent, Box<ToolOutcome>> {
    match error {
        ProposeError::System(SystemError::Store(error)) | ProposeError::Store(error) => Ok(of_store(&error)),
        ProposeError::Send(error) => Ok(Sent::of(Err(error)).unwrap_or_else(|error| of_store(&error))),
        // The key is this turn's alone.
        ProposeError::KeyReused => Ok(Sent::Unknown),
        ProposeError::UnknownConversation => Ok(Sent::Outdated),
        ProposeError::System(error) => Err(Box::new(of_system(&error))),
        ProposeError::NoVerifiedNumber => {
            Err(Box::new(ToolOutcome::failed("no number is known to call: ask the customer for one")))
        }
        ProposeError::AlreadyCancelled => Err(Box::new(ToolOutcome::failed(
            "the order is cancelled already: read it with getOrderStatus and tell its status",
        ))),
        ProposeError::TooLate(order, currency) => {
            let mut outcome = ToolOutcome::order(&order, currency);
            if let serde_json::Value::Object(told) = &mut outcome.told {
                let why = "it can no longer be cancelled: tell the customer how it stands, with order_status";
                told.insert("error".to_owned(), why.into());
            }
            Err(Box::new(outcome))
        }
        ProposeError::Invalid(_)
        | ProposeError::NotOrderable { .. }
        | ProposeError::NoSuchSlot
        | ProposeError::SeveralSlots => Err(Box::new(ToolOutcome::failed(&error.to_string()))),
    }
}

/// Converts an error of the store: if that is away, the turn is taken again.
const fn of_store(error: &StoreError) -> Sent {
    if matches!(error, StoreError::Stale) { Sent::Outdated } else { Sent::NotTaken }
}

#[cfg(test)]
mod tests;
