//! What tools do: the same look-ups that members have.

use async_trait::async_trait;

use super::{ToolOutcome, ToolRequest, ports::Tools};
use crate::{
    access::audit::Acting,
    catalogue::BrowseCatalogue,
    customer_records::{CaptureLead, LeadRequest, LookUpCustomer, LookUpError},
    ids::{ConversationId, WorkspaceId},
    sending::IdempotencyKey,
    systems::{CallError, SystemError},
    text::PlainText,
};

/// Runs tools in the workspace's own system.
pub struct RunTools {
    /// Products.
    pub catalogue: BrowseCatalogue,
    /// What belongs to a customer.
    pub customers: LookUpCustomer,
    /// Whom to follow up with.
    pub leads: CaptureLead,
}

#[async_trait]
impl Tools for RunTools {
    async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        request: &ToolRequest,
    ) -> ToolOutcome {
        match request {
            ToolRequest::SearchProducts(words) => self.catalogue.search(workspace, words).await.map_or_else(
                |error| of_system(&error),
                |found| ToolOutcome::found(&found.products, found.currency),
            ),
            ToolRequest::GetProduct(id) => self.catalogue.product(workspace, id.as_str()).await.map_or_else(
                |error| of_system(&error),
                |(product, currency)| ToolOutcome::product(&product, currency),
            ),
            ToolRequest::GetOrderStatus(reference) => {
                self.customers.order(workspace, conversation, reference.as_str()).await.map_or_else(
                    |error| of_look_up(&error),
                    |(order, currency)| ToolOutcome::order(&order, currency),
                )
            }
            ToolRequest::LookupCustomerRecord => match self.customers.record(workspace, conversation).await {
                Ok(Some(record)) => ToolOutcome::record(&record),
                Ok(None) => ToolOutcome::failed("the system does not know this customer"),
                Err(error) => of_look_up(&error),
            },
            ToolRequest::ListAppointmentSlots(query) => self
                .customers
                .slots(workspace, conversation, query)
                .await
                .map_or_else(|error| of_look_up(&error), |slots| ToolOutcome::slots(&slots)),
            ToolRequest::CaptureLead { name, need } => {
                let name = name.as_ref().map(|name| name.as_str().to_owned());
                let lead = LeadRequest {
                    conversation,
                    name,
                    need: need.as_str().to_owned(),
                    key: Some(self.key_of_lead(conversation, need)),
                };
                match self.leads.run(Acting::service(workspace), &lead).await {
                    Ok(_) => ToolOutcome::lead_captured(),
                    Err(_) => ToolOutcome::failed("the customer could not be written down"),
                }
            }
            // It ends a turn, and does nothing in a system.
            ToolRequest::HandOver => ToolOutcome::default(),
        }
    }
}

impl RunTools {
    /// A turn that is run again, and a model that says it twice, write the same need down once a day.
    fn key_of_lead(&self, conversation: ConversationId, need: &PlainText) -> IdempotencyKey {
        let day = self.leads.deps.clock.now().date();
        let key = format!("assistant/{conversation}/{day}/{}", need.as_str());
        IdempotencyKey { key, request: need.as_str().as_bytes().to_vec() }
    }
}

fn of_system(error: &SystemError) -> ToolOutcome {
    ToolOutcome::failed(match error {
        SystemError::Call(CallError::NotFound) => "there is no such one",
        _ => "the business's system cannot be asked now",
    })
}

fn of_look_up(error: &LookUpError) -> ToolOutcome {
    match error {
        LookUpError::System(error) => of_system(error),
        LookUpError::UnknownConversation | LookUpError::NoVerifiedNumber => {
            ToolOutcome::failed("nobody knows for certain which number writes here")
        }
    }
}
