//! Asking the questions, one by one, by any process.

use std::sync::Arc;

use futures_util::FutureExt as _;

use super::{
    fingerprint::Fingerprint,
    ports::{ClaimedRehearsal, RehearsalStore},
    question::TestQuestion,
    result::{QuestionResult, Verdict},
    runs::spent_on,
    state::RehearsalState,
};
use crate::{
    assistant::{
        brief::Speaker,
        ports::{AssistantStore, TurnLog},
        reason::HandOverReason,
        try_out::{TryAssistant, TryError},
    },
    clock::Clock,
    errors::StoreError,
    ids::{RehearsalId, WorkspaceId},
    lease::{self, LEASE},
};

/// Most claims of one question: the processes of those before have died with it.
const MOST_CLAIMS: u32 = 3;
/// Questions in a row without an answer after which the rest is left.
const MOST_NOT_ANSWERED: u32 = 3;

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RehearsalStep {
    /// Nothing is to be asked now, here.
    Nothing,
    /// A question has a result.
    WentOn,
    Ended(RehearsalId, RehearsalState),
}

/// Use case that asks the questions of runs. Nobody is written to, and nothing is written in a system.
pub struct RunRehearsals {
    pub store: Arc<dyn RehearsalStore>,
    pub settings: Arc<dyn AssistantStore>,
    pub turns: Arc<dyn TurnLog>,
    pub try_out: TryAssistant,
    /// Name of the installation's model.
    pub model: Option<String>,
    pub clock: Arc<dyn Clock>,
}

impl RunRehearsals {
    /// Lists the workspaces with questions to be asked.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.store.workspaces_with_rehearsals(self.clock.now()).await
    }

    /// Asks the next question of the workspace's run, or ends it. After a crash the question is asked again
    /// once the lease has ended; of two processes with the same question, one keeps its result.
    pub async fn step(&self, workspace: WorkspaceId) -> Result<RehearsalStep, StoreError> {
        let now = self.clock.now();
        let Some(claimed) = self.store.claim(workspace, now, now + LEASE).await? else {
            return Ok(RehearsalStep::Nothing);
        };
        let Some(question) = &claimed.question else {
            return self.end(workspace, &claimed, RehearsalState::Finished).await;
        };
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        let today = spent_on(now.date(), &*self.turns, workspace).await?;
        if settings.day_limit().is_nearly_reached(today) {
            return self.end(workspace, &claimed, RehearsalState::TokensSpent).await;
        }
        let documents = self.try_out.knowledge.documents(workspace).await?;
        let fingerprint = Fingerprint::of(&settings, &documents, self.model.as_deref());
        if claimed.claims > MOST_CLAIMS {
            let result = QuestionResult::interrupted(now, fingerprint);
            self.store.record(workspace, &claimed, &result).await?;
            return Ok(RehearsalStep::WentOn);
        }
        let renew = |until| self.store.renew(workspace, &claimed, until);
        let asking = self.ask(workspace, question, fingerprint).boxed();
        match lease::kept(&*self.clock, renew, asking).await {
            Ok(result) => self.keep(workspace, &claimed, result).await,
            Err(TryError::Paused) => self.end(workspace, &claimed, RehearsalState::Paused).await,
            Err(TryError::NoModel) => self.end(workspace, &claimed, RehearsalState::Unavailable).await,
            Err(TryError::Store(error)) => Err(error),
        }
    }

    async fn ask(
        &self,
        workspace: WorkspaceId,
        question: &TestQuestion,
        fingerprint: Fingerprint,
    ) -> Result<QuestionResult, TryError> {
        let began = self.clock.now();
        let said = vec![(Speaker::Customer, question.content.text.clone())];
        let outcome = self.try_out.run(workspace, said).await?;
        let now = self.clock.now();
        let took = std::time::Duration::try_from(now - began).unwrap_or_default();
        Ok(QuestionResult::judge(&question.content, outcome, (took, now), fingerprint))
    }

    /// Keeps a result, and ends the run where the next questions would come to nothing, too.
    async fn keep(
        &self,
        workspace: WorkspaceId,
        claimed: &ClaimedRehearsal,
        result: QuestionResult,
    ) -> Result<RehearsalStep, StoreError> {
        self.store.record(workspace, claimed, &result).await?;
        let is_last_try = claimed.not_answered_in_row + 1 >= MOST_NOT_ANSWERED;
        match result.reason() {
            Some(HandOverReason::CapReached) => {
                self.end(workspace, claimed, RehearsalState::TokensSpent).await
            }
            _ if result.verdict == Verdict::NotAnswered && is_last_try => {
                self.end(workspace, claimed, RehearsalState::Unavailable).await
            }
            _ => Ok(RehearsalStep::WentOn),
        }
    }

    async fn end(
        &self,
        workspace: WorkspaceId,
        claimed: &ClaimedRehearsal,
        state: RehearsalState,
    ) -> Result<RehearsalStep, StoreError> {
        let ended = self.store.end(workspace, claimed.id, state, self.clock.now(), None).await?;
        Ok(if ended { RehearsalStep::Ended(claimed.id, state) } else { RehearsalStep::WentOn })
    }
}

#[cfg(test)]
mod tests;
