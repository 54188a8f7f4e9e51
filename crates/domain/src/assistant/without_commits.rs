//! Tools of an assistant that is only tried by listed numbers.

use std::sync::Arc;

use async_trait::async_trait;

use super::{brief::TurnBrief, ports::Tools, results::ToolOutcome, sent::Sent, tool_request::ToolRequest};
use crate::consent::Wanted;

/// Tools that record no leads and no wishes. What the customer is asked to confirm goes no further than that,
/// as [`crate::fulfilment::CarryOut`] sees to, even if the assistant is on by then: the draft knows that it
/// was a try.
pub(super) struct WithoutCommits(pub(super) Arc<dyn Tools>);

#[async_trait]
impl Tools for WithoutCommits {
    async fn run(&self, turn: &TurnBrief, request: &ToolRequest) -> ToolOutcome {
        match request {
            ToolRequest::CaptureLead { .. } | ToolRequest::RequestBooking { .. } => ToolOutcome::failed(
                "this assistant is only being tried, and nothing was written down: answer without it",
            ),
            ToolRequest::SearchProducts(_)
            | ToolRequest::GetProduct(_)
            | ToolRequest::SearchKnowledge(_)
            | ToolRequest::GetOrderStatus(_)
            | ToolRequest::LookupCustomerRecord
            | ToolRequest::ListAppointmentSlots(_)
            | ToolRequest::Propose(..)
            | ToolRequest::HandOver => self.0.run(turn, request).await,
        }
    }

    async fn propose(&self, turn: &TurnBrief, wanted: Wanted) -> Result<Sent, Box<ToolOutcome>> {
        self.0.propose(turn, wanted).await
    }
}
