//! A chat with the assistant that reaches no customer.

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    AnswerCustomer, Fence, Sent, Speaker, Tool, ToolOutcome, ToolRequest, TurnBrief, TurnOutcome,
    WorkspaceModels,
    ports::{AssistantStore, TokenBudget, Tools},
    run_tools::of_system,
};
use crate::{
    appointments::SlotQuery,
    channels::ChannelKind,
    clock::Clock,
    consent::Wanted,
    errors::StoreError,
    ids::{ConversationId, IdSource, WorkspaceId},
    systems::{ANSWERS_WITHIN, CallSystem, SystemError},
    workspaces::ports::WorkspaceStore,
};

/// It says why a turn was not tried.
#[derive(Debug, thiserror::Error)]
pub enum TryError {
    /// The installation has no model.
    #[error("this installation has no language model: an operator sets one")]
    NoModel,
    /// The subscription is paused: nothing that the model words could be sent.
    #[error("the subscription is paused")]
    Paused,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It tries turns. Products and free times are read for it; whatever is of a customer, or does something, is
/// not.
pub struct TryAssistant {
    pub settings: Arc<dyn AssistantStore>,
    /// A try takes of what a day may take, too.
    pub budget: Arc<dyn TokenBudget>,
    pub systems: CallSystem,
    /// It knows the plan, and the country that numbers and addresses are of.
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub model: Option<WorkspaceModels>,
    pub tools: Arc<dyn Tools>,
    pub clock: Arc<dyn Clock>,
    /// It makes an id for the conversation that there is not.
    pub ids: Arc<dyn IdSource>,
}

impl TryAssistant {
    /// Returns what the assistant would answer to the last of these, and how it came to that. Nothing is sent
    /// or written down.
    ///
    /// # Errors
    /// See [`TryError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        history: Vec<(Speaker, String)>,
    ) -> Result<TurnOutcome, TryError> {
        let models = self.model.as_ref().ok_or(TryError::NoModel)?;
        let found = self.workspaces.find(workspace).await?;
        if found.as_ref().is_some_and(|found| found.plan.paused) {
            return Err(TryError::Paused);
        }
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        let capabilities = self.systems.declared(workspace).await?;
        let mut tools = Tool::offered(capabilities.as_ref(), true);
        tools.retain(|tool| settings.allows(*tool));
        let brief = TurnBrief {
            workspace,
            fence: Fence { conversation: ConversationId::new(&*self.ids), version: 0, heard: 0 },
            channel: ChannelKind::Whatsapp,
            region: found.as_ref().map(|found| found.region).unwrap_or_default(),
            now: self.clock.now(),
            zone: found.map(|found| found.time_zone).unwrap_or_default(),
            history,
            owner: settings.written(),
            languages: settings.languages.clone(),
            tools,
            tried: true,
        };
        let model = models.of(workspace).await?;
        let model = model.metered(workspace, settings.daily_tokens, &self.budget, &self.clock);
        let answers = AnswerCustomer {
            model,
            tools: Arc::new(ReadingOnly { tools: Arc::clone(&self.tools), systems: self.systems.clone() }),
            clock: Arc::clone(&self.clock),
        };
        Ok(answers.run(&brief).await)
    }
}

/// These tools read what is nobody's in particular.
struct ReadingOnly {
    tools: Arc<dyn Tools>,
    /// Free times are asked of it: the tool that tells them asks for whose they are first.
    systems: CallSystem,
}

impl ReadingOnly {
    async fn free_times(&self, turn: &TurnBrief, query: &SlotQuery) -> Result<ToolOutcome, SystemError> {
        let system = self.systems.open(turn.workspace, ANSWERS_WITHIN).await?;
        Ok(ToolOutcome::slots(&system.slots(query).await?))
    }
}

#[async_trait]
impl Tools for ReadingOnly {
    async fn run(&self, turn: &TurnBrief, request: &ToolRequest) -> ToolOutcome {
        match request {
            ToolRequest::SearchProducts(_) | ToolRequest::GetProduct(_) => {
                self.tools.run(turn, request).await
            }
            ToolRequest::ListAppointmentSlots(query) => {
                self.free_times(turn, query).await.unwrap_or_else(|error| of_system(&error))
            }
            ToolRequest::GetOrderStatus(_)
            | ToolRequest::LookupCustomerRecord
            | ToolRequest::CaptureLead { .. }
            | ToolRequest::RequestBooking { .. }
            | ToolRequest::Propose(..)
            | ToolRequest::HandOver => {
                ToolOutcome::failed("this is a try without a customer: nothing of one is read or done")
            }
        }
    }

    /// That the model would propose it is all that a try shows.
    async fn propose(&self, _turn: &TurnBrief, _wanted: Wanted) -> Result<Sent, Box<ToolOutcome>> {
        Ok(Sent::Yes)
    }
}

#[cfg(test)]
mod tests;
