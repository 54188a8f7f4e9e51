//! A model whose tokens are counted against a workspace's day before it is asked.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    cost::{Cost, DayLimit, ModelPrice, Spent},
    model::{ModelAnswer, ModelError, ModelMessage, ModelRequest, TokenUsage, ToolCall},
    ports::{LanguageModel, TokenBudget},
};
use crate::{clock::Clock, ids::WorkspaceId};

/// Tokens that servers add around each message and each tool, at most.
const AROUND: u64 = 16;

/// Tokens that a picture takes at most: vendors count some 5,000 for the largest that they do not make
/// smaller.
const PICTURE: u64 = 6_000;

/// A model with a daily budget of a workspace. Tokens are reserved before it is asked, and what it used takes
/// their place afterwards; if the process dies in between, or the server does not say what was used, the
/// reservation stays, so that no day takes more than it may.
pub struct MeteredModel {
    pub model: Arc<dyn LanguageModel>,
    pub budget: Arc<dyn TokenBudget>,
    pub clock: Arc<dyn Clock>,
    pub workspace: WorkspaceId,
    pub limit: DayLimit,
    /// `None` for a model without a price, whose tokens alone are counted.
    pub price: Option<ModelPrice>,
}

/// Returns the most tokens that a request may use: no token of a text is shorter than a byte.
fn at_most(request: &ModelRequest) -> TokenUsage {
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
                ModelMessage::Pictures(all) => all.iter().map(|_| PICTURE).sum(),
            }
    });
    let tools = request
        .tools
        .iter()
        .map(|tool| AROUND + bytes(tool.name) + bytes(tool.purpose) + bytes(&tool.schema.to_string()));
    TokenUsage {
        read_tokens: bytes(&request.instructions) + said.sum::<u64>() + tools.sum::<u64>() + AROUND,
        written_tokens: request.longest_answer.into(),
    }
}

#[async_trait]
impl LanguageModel for MeteredModel {
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError> {
        let day = self.clock.now().date();
        let cost = |usage| self.price.map_or_else(Cost::default, |price| price.of(usage));
        let most = at_most(request);
        let reserved = Spent { tokens: most.read_tokens + most.written_tokens, cost: cost(most) };
        let unknown = |_| ModelError::NotCounted;
        if !self.budget.reserve(self.workspace, day, reserved, self.limit).await.map_err(unknown)? {
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
            let (used, now) = ((used, cost(used)), self.clock.now());
            let _ = self.budget.settle(self.workspace, day, reserved, used, self.limit, now).await;
        }
        answer
    }
}
