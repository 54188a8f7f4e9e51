//! Doing the steps that messages set off, each once.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    hours::OpeningHours,
    plan::{PlannedStep, plan},
    ports::{AutomationStore, DueTrigger, TriggerQueue},
    rule::{Action, Automation},
};
use crate::{
    clock::Clock,
    conversations::{
        Actor, ChangeConversation, ChangeError, Command, Move, StepOf, TagConversation, TagError,
    },
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    messages::ReplyAuthor,
    sending::{IdempotencyKey, Refusal, ReplyRequest, SendError, SendReply},
};

/// Largest batch of triggers claimed at once.
const BATCH: u32 = 100;
/// Lease of a claimed trigger.
const LEASE: Duration = Duration::from_mins(2);
/// Longest time a step takes: with less of its lease left, a trigger's lease is renewed before the next one.
const STEP: Duration = Duration::from_secs(90);
/// Time for which a step that cannot be done now is tried: a reply that comes later helps nobody.
const PATIENCE: Duration = Duration::from_hours(1);
/// Longest gap between two attempts.
const LONGEST_GAP: Duration = Duration::from_mins(5);

/// Outcome of a round.
#[derive(Debug, Default)]
pub struct TriggerRound {
    pub taken: usize,
    pub not_done: Vec<NotDone>,
}

/// Step that was put off or given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotDone {
    /// Message that set it off.
    pub message: MessageId,
    pub automation: String,
    pub reason: String,
    /// Whether the step will not be tried again.
    pub given_up: bool,
}

impl TriggerRound {
    /// Returns whether the batch was full, so that another may follow at once.
    pub fn may_have_more(&self) -> bool {
        u32::try_from(self.taken).is_ok_and(|taken| taken >= BATCH)
    }
}

/// Execution of the steps that rules set off.
pub struct RunAutomations {
    pub automations: Arc<dyn AutomationStore>,
    pub triggers: Arc<dyn TriggerQueue>,
    pub change: Arc<ChangeConversation>,
    pub tag: TagConversation,
    pub reply: Arc<SendReply>,
    pub clock: Arc<dyn Clock>,
}

struct Held<'a> {
    due: &'a DueTrigger,
    until: OffsetDateTime,
}

enum Outcome {
    /// Done, and counted as done in the same transaction.
    Counted,
    /// Done, or there was nothing to do.
    Done,
    /// Not to be done, for this reason.
    Refused(String),
    /// Impossible for now, for this reason.
    Later(String),
}

impl RunAutomations {
    /// Lists the workspaces with work.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.triggers.workspaces_with_triggers(self.clock.now()).await
    }

    /// Deals with a batch of one workspace, oldest first. Once `stop` returns true, it begins no more of
    /// them: they are due at once, for whoever comes next.
    ///
    /// # Errors
    /// If the store fails; claimed triggers are due again after their lease, and no step is done twice.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<TriggerRound, StoreError> {
        let now = self.clock.now();
        let held_until = now + LEASE;
        let due = self.triggers.claim_triggers(workspace, now, held_until, BATCH).await?;
        let mut round = TriggerRound { taken: due.len(), not_done: Vec::new() };
        if due.is_empty() {
            return Ok(round);
        }
        let automations = self.automations.automations(workspace).await?;
        let hours = self.automations.settings(workspace).await?.hours;
        let (mut set_off, mut nothing) = (Vec::new(), Vec::new());
        for due in due {
            match self.planned(workspace, &due, &automations, hours.as_ref()).await? {
                Some(steps) if steps.is_empty() => nothing.push(due.trigger.message),
                Some(steps) => set_off.push((due, steps)),
                None => {}
            }
        }
        // The assistant waits for a message's rules, and is not to wait for the replies to others.
        if !nothing.is_empty() {
            self.triggers.finish_triggers(workspace, &nothing).await?;
        }
        for (due, steps) in set_off {
            if stop() {
                self.postpone(workspace, &due, self.clock.now()).await?;
                continue;
            }
            let held = Held { due: &due, until: held_until };
            if self.deal_with(workspace, held, &steps, &mut round).await? {
                self.triggers.finish_triggers(workspace, &[due.trigger.message]).await?;
            }
        }
        Ok(round)
    }

    /// Returns the steps that the trigger sets off, stored if they were not; `None` if somebody else has
    /// claimed it after its lease.
    async fn planned(
        &self,
        workspace: WorkspaceId,
        due: &DueTrigger,
        automations: &[Automation],
        hours: Option<&OpeningHours>,
    ) -> Result<Option<Vec<PlannedStep>>, StoreError> {
        if let Some(steps) = &due.planned {
            return Ok(Some(steps.clone()));
        }
        let steps = plan(automations, hours, &due.trigger);
        if steps.is_empty() {
            return Ok(Some(steps));
        }
        match self.triggers.write_plan(workspace, due.trigger.message, &steps).await {
            Ok(()) => Ok(Some(steps)),
            Err(StoreError::Stale) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Does the steps that are left, and returns whether all are done. Stops once somebody else has claimed
    /// the trigger.
    async fn deal_with(
        &self,
        workspace: WorkspaceId,
        mut held: Held<'_>,
        steps: &[PlannedStep],
        round: &mut TriggerRound,
    ) -> Result<bool, StoreError> {
        let due = held.due;
        let message = due.trigger.message;
        for (place, step) in (0_u32..).zip(steps).skip_while(|(place, _)| *place < due.done) {
            if !self.hold(workspace, &mut held).await? {
                return Ok(false);
            }
            let this = StepOf { message, place };
            let (reason, given_up) = match self.step(workspace, due, this, step).await {
                Outcome::Counted => continue,
                Outcome::Done => (None, true),
                Outcome::Refused(reason) => (Some(reason), true),
                Outcome::Later(reason) => (Some(reason), self.clock.now() - due.trigger.at > PATIENCE),
            };
            let automation = step.name.as_str().to_owned();
            round.not_done.extend(reason.map(|reason| NotDone { message, automation, reason, given_up }));
            if !given_up {
                self.postpone(workspace, due, self.next(due.attempts)).await?;
                return Ok(false);
            }
            self.triggers.step_done(workspace, this).await?;
        }
        Ok(true)
    }

    /// Renews the lease if too little is left of it for the next step; `false` if somebody else has claimed
    /// the trigger.
    async fn hold(&self, workspace: WorkspaceId, held: &mut Held<'_>) -> Result<bool, StoreError> {
        let now = self.clock.now();
        if now + STEP <= held.until {
            return Ok(true);
        }
        held.until = now + LEASE;
        self.postpone(workspace, held.due, held.until).await
    }

    /// Makes the trigger due at `due_at`; `false` if somebody else has claimed it since.
    async fn postpone(
        &self,
        workspace: WorkspaceId,
        due: &DueTrigger,
        due_at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.triggers.postpone_trigger(workspace, due.trigger.message, due.attempts, due_at).await
    }

    fn next(&self, attempts: u32) -> OffsetDateTime {
        let gap = Duration::from_secs(1 << attempts.min(16)).min(LONGEST_GAP);
        self.clock.now() + gap
    }

    async fn step(
        &self,
        workspace: WorkspaceId,
        due: &DueTrigger,
        this: StepOf,
        step: &PlannedStep,
    ) -> Outcome {
        let command = match &step.action {
            Action::SendToGroup { group } => Command::SendToGroup(*group),
            Action::Assign { member } => Command::Assign(*member),
            Action::Close {} => Command::Close,
            Action::Return {} => Command::Return,
            Action::Tag { tag } => {
                return match self.tag.run(workspace, due.trigger.conversation, tag).await {
                    Ok(()) => Outcome::Done,
                    Err(TagError::Store(error)) => Outcome::Later(error.to_string()),
                    Err(refusal) => Outcome::Refused(refusal.to_string()),
                };
            }
            Action::Reply { text } => {
                // A message sets a step off once, and what has this key is sent once. No caller's key has a
                // line break.
                let key = IdempotencyKey {
                    key: format!("automation\n{}/{}", this.message, this.place),
                    request: text.as_str().into(),
                };
                let request = ReplyRequest {
                    upload: None,
                    conversation: due.trigger.conversation,
                    text: text.as_str().to_owned(),
                    buttons: Vec::new(),
                    key: Some(key),
                    id: None,
                };
                return replied(
                    self.reply.run_as_rule(workspace, ReplyAuthor::Member(step.author), &request).await,
                );
            }
        };
        let asked = Move { by: Actor::Automation { name: step.name.as_str().to_owned() }, command };
        match self.change.run_step(workspace, due.trigger.conversation, &asked, this).await {
            Ok(moved) if moved.changed => Outcome::Counted,
            Ok(_) => Outcome::Done,
            Err(ChangeError::Store(error)) => Outcome::Later(error.to_string()),
            Err(refusal) => Outcome::Refused(refusal.to_string()),
        }
    }
}

/// Returns the outcome of a reply. A message that the network may have is never sent again.
fn replied<T>(result: Result<T, SendError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Done,
        Err(error @ SendError::Store(_)) => Outcome::Later(error.to_string()),
        Err(SendError::Refused(
            refusal @ (Refusal::NetworkUnavailable { .. }
            | Refusal::HeldBack { .. }
            | Refusal::RequestInFlight),
        )) => Outcome::Later(refusal.to_string()),
        // Nothing that the network says about a person belongs in a log.
        Err(SendError::Refused(Refusal::Rejected { code, .. })) => {
            Outcome::Refused(format!("the network refused it with code {code}"))
        }
        Err(error) => Outcome::Refused(error.to_string()),
    }
}
