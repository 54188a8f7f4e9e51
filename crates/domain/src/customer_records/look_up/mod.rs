//! Look-ups in a system about the customer of a conversation.

use std::sync::Arc;

use super::{customer::ConversationCustomer, ports::CustomerStore};
use crate::{
    currency::Currency,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    orders::{Order, OrderReference},
    systems::{ANSWERS_WITHIN, CallError, CallSystem, CustomerRecord, Route, SlotQuery, Slots, SystemError},
};

/// Reason a look-up came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum LookUpError {
    #[error("there is no conversation with this id")]
    UnknownConversation,
    #[error("the network has told no number of whoever writes in this conversation")]
    NoVerifiedNumber,
    #[error(transparent)]
    System(#[from] SystemError),
}

impl From<StoreError> for LookUpError {
    fn from(error: StoreError) -> Self {
        Self::System(error.into())
    }
}

/// Use case that looks up what a system knows for a conversation. No number is taken from the caller.
pub struct LookUpCustomer {
    pub systems: CallSystem,
    pub customers: Arc<dyn CustomerStore>,
}

impl LookUpCustomer {
    /// Returns an order of the conversation's customer, and the system's currency for an order that names
    /// none. An order placed under another number is not found, as if it did not exist.
    pub async fn order(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        reference: &str,
    ) -> Result<(Order, Currency), LookUpError> {
        let customer = self.customer_of(workspace, conversation).await?;
        let phone = customer.verified_phone().ok_or(LookUpError::NoVerifiedNumber)?;
        let system = self.systems.open(workspace, ANSWERS_WITHIN).await?;
        system.may_call(Route::Order)?;
        let not_found = || SystemError::Call(CallError::NOT_FOUND);
        let reference = OrderReference::read(reference).ok_or_else(not_found)?;
        let order = system.order(&reference).await?.shown_to(phone, customer.region);
        Ok((order.ok_or_else(not_found)?, system.introduction().currency))
    }

    /// Returns the customer's record in the system; `None` if it does not know them.
    pub async fn record(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<CustomerRecord>, LookUpError> {
        let customer = self.customer_of(workspace, conversation).await?;
        let phone = customer.verified_phone().ok_or(LookUpError::NoVerifiedNumber)?;
        let system = self.systems.open(workspace, ANSWERS_WITHIN).await?;
        match system.customer(phone).await {
            // Some systems say so by their status.
            Err(SystemError::Call(CallError::NotFound { .. })) => Ok(None),
            answered => Ok(answered?),
        }
    }

    /// Returns times that the conversation's customer can be offered, with a verified number or without.
    pub async fn slots(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        query: &SlotQuery,
    ) -> Result<Slots, LookUpError> {
        self.customer_of(workspace, conversation).await?;
        let system = self.systems.open(workspace, ANSWERS_WITHIN).await?;
        Ok(system.slots(query).await?)
    }

    async fn customer_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<ConversationCustomer, LookUpError> {
        let customer = self.customers.customer_of(workspace, conversation).await?;
        customer.ok_or(LookUpError::UnknownConversation)
    }
}

#[cfg(test)]
mod tests;
