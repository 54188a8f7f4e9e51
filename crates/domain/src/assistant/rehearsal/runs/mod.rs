//! Beginning and stopping runs, and what they say.

use std::sync::Arc;

use super::{
    fingerprint::Fingerprint,
    ports::{RehearsalStore, TestQuestionStore},
    state::{AskedQuestion, Rehearsal, RehearsalState, RehearsalSummary},
};
use crate::{
    assistant::{
        cost::Spent,
        ports::{AssistantStore, TurnLog},
        settings::{AssistantSettings, TOKENS_OF_A_TURN},
        turn::UsageOfDay,
    },
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::{RehearsalId, TestQuestionId, WorkspaceId},
    knowledge::ports::KnowledgeStore,
    workspaces::ports::WorkspaceStore,
};

/// Share of a day's tokens that a run after a change may take at most, as its inverse.
const SHARE_OF_A_RUN: u64 = 10;
/// Share of a day's tokens up to which runs after changes are begun, as its inverse.
const SHARE_OF_RUNS: u64 = 2;

/// Reason a run was not begun.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    #[error("this installation has no language model: an operator sets one")]
    NoModel,
    /// The subscription is paused.
    #[error("the subscription is paused")]
    Paused,
    #[error("there is no such question")]
    Unknown,
    #[error("there are no questions: add one first")]
    NoQuestions,
    #[error("the questions are being asked already")]
    Running,
    #[error(
        "most of today's tokens are spent, and customers need the rest: ask tomorrow, or raise the limit"
    )]
    TokensSpent,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that begins and stops runs, and shows them.
#[derive(Clone)]
pub struct ManageRehearsals {
    pub store: Arc<dyn RehearsalStore>,
    pub questions: Arc<dyn TestQuestionStore>,
    pub settings: Arc<dyn AssistantStore>,
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// Log of the tokens that today has taken.
    pub turns: Arc<dyn TurnLog>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    /// Name of the installation's model; `None` if it has none.
    pub model: Option<String>,
    pub deps: Deps,
}

/// Sums up what a day has taken.
pub(super) async fn spent_on(
    day: time::Date,
    turns: &dyn TurnLog,
    workspace: WorkspaceId,
) -> Result<Spent, StoreError> {
    let days = turns.usage(workspace, day).await?;
    Ok(days.iter().find(|it| it.day == day).map(UsageOfDay::spent).unwrap_or_default())
}

impl ManageRehearsals {
    /// Lists the kept runs, newest first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<Rehearsal>, StoreError> {
        self.store.rehearsals(workspace).await
    }

    /// Returns what answers rest on now.
    pub async fn fingerprint(&self, workspace: WorkspaceId) -> Result<Fingerprint, StoreError> {
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        self.fingerprint_by(workspace, &settings).await
    }

    async fn fingerprint_by(
        &self,
        workspace: WorkspaceId,
        settings: &AssistantSettings,
    ) -> Result<Fingerprint, StoreError> {
        let documents = self.knowledge.documents(workspace).await?;
        Ok(Fingerprint::of(settings, &documents, self.model.as_deref()))
    }

    /// Sums up the last results; `None` without questions.
    pub async fn summary(&self, workspace: WorkspaceId) -> Result<Option<RehearsalSummary>, StoreError> {
        let questions = self.questions.questions(workspace).await?;
        Ok(RehearsalSummary::of(&questions, &self.fingerprint(workspace).await?))
    }

    /// Begins a run through all questions, or through one.
    pub async fn begin(
        &self,
        acting: Acting,
        only: Option<TestQuestionId>,
    ) -> Result<Rehearsal, RehearsalError> {
        let workspace = acting.workspace;
        if self.model.is_none() {
            return Err(RehearsalError::NoModel);
        }
        if self.is_paused(workspace).await? {
            return Err(RehearsalError::Paused);
        }
        let mut questions = ids(&self.questions.questions(workspace).await?);
        if let Some(only) = only {
            questions.retain(|id| *id == only);
        }
        if questions.is_empty() {
            return Err(only.map_or(RehearsalError::NoQuestions, |_| RehearsalError::Unknown));
        }
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        if settings.day_limit().is_nearly_reached(self.spent_today(workspace).await?) {
            return Err(RehearsalError::TokensSpent);
        }
        let by = self.fingerprint_by(workspace, &settings).await?;
        let rehearsal = self.new_run(acting, by, questions.len());
        if self.store(acting, &rehearsal, &questions, false).await? {
            Ok(rehearsal)
        } else {
            Err(RehearsalError::Running)
        }
    }

    /// Stops a run; `false` if it has ended.
    pub async fn stop(&self, acting: Acting, id: RehearsalId) -> Result<bool, StoreError> {
        let now = self.deps.clock.now();
        let entry = acting.does(Action::RehearsalStopped, now, &*self.deps.ids).to(id);
        self.store.end(acting.workspace, id, RehearsalState::Stopped, now, Some(entry)).await
    }

    /// Begins a run after a change of what answers rest on, in place of one that is running, if the owner
    /// wants that and it is cheap: a tenth of a day's tokens at most, and not once half of them are spent.
    pub async fn after_change(&self, acting: Acting) -> Result<(), StoreError> {
        let workspace = acting.workspace;
        let settings = self.settings.settings(workspace).await?.unwrap_or_default();
        if !settings.rehearses_changes || self.model.is_none() {
            return Ok(());
        }
        let asked = self.questions.questions(workspace).await?;
        let now = self.fingerprint_by(workspace, &settings).await?;
        let is_asked = RehearsalSummary::of(&asked, &now).is_none_or(|summary| !summary.is_out_of_date);
        let today = self.spent_today(workspace).await?;
        let is_nearly_spent = settings.day_limit().is_nearly_reached(today);
        if is_asked || is_nearly_spent || !is_cheap(asked.len(), today.tokens, settings.daily_tokens) {
            return Ok(());
        }
        // One that runs by these settings already goes on, such as after a change of the mode alone.
        let runs = self.store.rehearsals(workspace).await?;
        let runs_by_these = |run: &Rehearsal| run.state == RehearsalState::Running && run.fingerprint == now;
        if runs.first().is_some_and(runs_by_these) || self.is_paused(workspace).await? {
            return Ok(());
        }
        let rehearsal = self.new_run(acting, now, asked.len());
        self.store(acting, &rehearsal, &ids(&asked), true).await.map(drop)
    }

    async fn store(
        &self,
        acting: Acting,
        rehearsal: &Rehearsal,
        questions: &[TestQuestionId],
        replaces: bool,
    ) -> Result<bool, StoreError> {
        let entry = acting
            .does(Action::RehearsalBegan, rehearsal.created_at, &*self.deps.ids)
            .to(rehearsal.id)
            .with("questions", rehearsal.total);
        self.store.begin(acting.workspace, rehearsal, questions, replaces, &entry).await
    }

    fn new_run(&self, acting: Acting, fingerprint: Fingerprint, questions: usize) -> Rehearsal {
        let now = self.deps.clock.now();
        Rehearsal {
            id: RehearsalId::new(&*self.deps.ids),
            member: acting.actor.member(),
            state: RehearsalState::Running,
            fingerprint,
            total: u32::try_from(questions).unwrap_or(u32::MAX),
            passed: 0,
            failed: 0,
            not_answered: 0,
            created_at: now,
            changed_at: now,
        }
    }

    async fn is_paused(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        Ok(self.workspaces.find(workspace).await?.is_some_and(|found| found.plan.paused))
    }

    async fn spent_today(&self, workspace: WorkspaceId) -> Result<Spent, StoreError> {
        spent_on(self.deps.clock.now().date(), &*self.turns, workspace).await
    }
}

fn ids(asked: &[AskedQuestion]) -> Vec<TestQuestionId> {
    asked.iter().map(|asked| asked.question.id).collect()
}

/// Returns whether a run that nobody asked for may be begun.
fn is_cheap(questions: usize, tokens_today: u64, daily_tokens: u64) -> bool {
    let costs = u64::try_from(questions).unwrap_or(u64::MAX).saturating_mul(TOKENS_OF_A_TURN);
    costs.saturating_mul(SHARE_OF_A_RUN) <= daily_tokens
        && tokens_today.saturating_mul(SHARE_OF_RUNS) < daily_tokens
}

#[cfg(test)]
mod tests;
