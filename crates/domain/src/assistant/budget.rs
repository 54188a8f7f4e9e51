//! A model whose tokens are counted against a workspace's day before it is asked.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    model::{ModelAnswer, ModelError, ModelMessage, ModelRequest, TokenUsage, ToolCall},
    ports::{LanguageModel, TokenBudget},
};
use crate::{clock::Clock, ids::WorkspaceId};

/// Tokens that servers add around each message and each tool, at most.
const AROUND: u64 = 16;

/// A model with a daily budget of a workspace. Tokens are reserved before it is asked, and what it used takes
/// their place afterwards; if the process dies in between, or the server does not say what was used, the
/// reservation stays, so that no day takes more than it may.
pub struct MeteredModel {
    pub model: Arc<dyn LanguageModel>,
    pub budget: Arc<dyn TokenBudget>,
    pub clock: Arc<dyn Clock>,
    pub workspace: WorkspaceId,
    /// Most tokens of a day.
    pub most: u64,
}

/// Returns the most tokens that a request may use: no token is shorter than a byte.
fn at_most(request: &ModelRequest) -> u64 {
    let bytes = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX);
    let said = request.said.iter().map(|message| {
        AROUND
            + match message {
                ModelMessage::Customer(text) | ModelMessage::Business(text) | ModelMessage::Advice(text) => {
                    bytes(text)
                }
                ModelMessage::Calls(calls) => {
                    let state = |call: &ToolCall| call.state.as_ref().map_or(0, |state| bytes(&state.text));
                    let call =
                        |call: &ToolCall| AROUND + bytes(&call.name) + bytes(&call.arguments) + state(call);
                    calls.iter().map(call).sum()
                }
                ModelMessage::ToolResult { json, .. } => bytes(json),
            }
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| AROUND + bytes(tool.name) + bytes(tool.purpose) + bytes(&tool.schema.to_string()));
    bytes(&request.instructions)
        + said.sum::<u64>()
        + tools.sum::<u64>()
        + u64::from(request.longest_answer)
        + AROUND
}

#[async_trait]
impl LanguageModel for MeteredModel {
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError> {
        let day = self.clock.now().date();
        let reserved = at_most(request);
        let unknown = |_| ModelError::NotCounted;
        if !self.budget.reserve(self.workspace, day, reserved, self.most).await.map_err(unknown)? {
            return Err(ModelError::BudgetSpent);
        }
        let answer = self.model.answer(request, within).await;
        let used = match &answer {
            // Without a count, all that was reserved may have been used.
            Ok(answer) => answer.usage,
            Err(error) if error.took_nothing() => Some(TokenUsage::default()),
            // The answer broke off, so nobody knows what it took.
            Err(_) => None,
        };
        if let Some(used) = used {
            // What cannot be settled stays reserved.
            let _ =
                self.budget.settle(self.workspace, day, reserved, used, self.most, self.clock.now()).await;
        }
        answer
    }
}
