//! A chat with the assistant that reaches no customer.

mod say;

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    answer::{AnswerCustomer, TurnOutcome},
    brief::{Speaker, TurnBrief},
    own_models::WorkspaceModels,
    own_words::gather_words,
    ports::{AssistantStore, TokenBudget, Tools},
    results::ToolOutcome,
    run_tools::of_system,
    sent::Sent,
    tool_request::ToolRequest,
    toolbox::Tool,
};
use crate::{
    channels::ChannelKind,
    clock::Clock,
    consent::Wanted,
    errors::StoreError,
    fence::Fence,
    ids::{ConversationId, IdSource, WorkspaceId},
    knowledge::ports::KnowledgeStore,
    systems::{ANSWERS_WITHIN, CallSystem, SlotQuery, SystemError},
    workspaces::ports::WorkspaceStore,
};

pub use self::say::{ActsToSay, SaidActs, SayError};

/// Reason a turn was not tried.
#[derive(Debug, thiserror::Error)]
pub enum TryError {
    #[error("this installation has no language model: an operator sets one")]
    NoModel,
    /// The subscription is paused, so no answer could be sent.
    #[error("the subscription is paused")]
    Paused,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case for trying the assistant out: it reads products and free times, nothing of a customer's.
pub struct TryAssistant {
    pub settings: Arc<dyn AssistantStore>,
    /// A try counts against the day's tokens, too.
    pub budget: Arc<dyn TokenBudget>,
    pub systems: CallSystem,
    pub knowledge: Arc<dyn KnowledgeStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub model: Option<WorkspaceModels>,
    pub tools: Arc<dyn Tools>,
    pub clock: Arc<dyn Clock>,
    /// Source of an id for the conversation, which does not exist.
    pub ids: Arc<dyn IdSource>,
}

impl TryAssistant {
    /// Returns what the assistant would answer to the last of `history`, and how it came to that. Nothing is
    /// sent, and nothing is recorded but the tokens.
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
        let has_documents = self.knowledge.has_documents(workspace).await?;
        let mut tools = Tool::offered(capabilities.as_ref(), true, has_documents);
        tools.retain(|tool| settings.allows(*tool));
        let name = found.as_ref().map_or("", |found| found.name.as_str());
        let mut owner = gather_words(&settings, name);
        owner.introduces_itself &= history.iter().all(|(speaker, _)| speaker.is_customer());
        let brief = TurnBrief {
            workspace,
            fence: Fence { conversation: ConversationId::new(&*self.ids), version: 0, heard: 0 },
            channel: ChannelKind::Whatsapp,
            region: found.as_ref().map(|found| found.region).unwrap_or_default(),
            now: self.clock.now(),
            owner,
            zone: found.map(|found| found.time_zone).unwrap_or_default(),
            history,
            pictures: Vec::new(),
            languages: settings.languages.clone(),
            tools,
            tried: true,
        };
        let model = models.of(workspace).await?;
        let model = model.metered(workspace, settings.day_limit(), &self.budget, &self.clock);
        let answers = AnswerCustomer {
            model,
            tools: Arc::new(ReadingOnly { tools: Arc::clone(&self.tools), systems: self.systems.clone() }),
            clock: Arc::clone(&self.clock),
        };
        Ok(answers.run(&brief).await)
    }
}

/// Tools that read only what is no customer's.
struct ReadingOnly {
    tools: Arc<dyn Tools>,
    /// Asked for free times directly: the usual tool looks up the conversation's customer first.
    systems: CallSystem,
}

impl ReadingOnly {
    async fn free_times(&self, turn: &TurnBrief, query: &SlotQuery) -> Result<ToolOutcome, SystemError> {
        let system = self.systems.open(turn.workspace, ANSWERS_WITHIN).await?;
        Ok(ToolOutcome::slots(&system.slots(query).await?, query))
    }
}

#[async_trait]
impl Tools for ReadingOnly {
    async fn run(&self, turn: &TurnBrief, request: &ToolRequest) -> ToolOutcome {
        match request {
            ToolRequest::SearchProducts(_) | ToolRequest::GetProduct(_) | ToolRequest::SearchKnowledge(_) => {
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

    /// Proposes nothing: a try shows only that the model would.
    async fn propose(&self, _turn: &TurnBrief, _wanted: Wanted) -> Result<Sent, Box<ToolOutcome>> {
        Ok(Sent::Yes)
    }
}

#[cfg(test)]
mod tests;
