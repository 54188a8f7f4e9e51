//! Rules, opening hours and the times of the sweepers, as owners set them.

use std::sync::Arc;

use serde::Deserialize;

use super::{
    error::{AutomationError, MOST_AUTOMATIONS},
    ports::AutomationStore,
    rule::{Action, Automation, AutomationName, InvalidRule, Rule},
    settings::{Minutes, Settings},
};
use crate::{
    access::members::ports::MemberStore,
    audit::{Acting, Action as Done, AuditEntry},
    deps::Deps,
    errors::StoreError,
    groups::ports::GroupStore,
    ids::{AutomationId, MemberId, WorkspaceId},
};

/// Rule as an owner writes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutomationDraft {
    /// No two automations have the same.
    pub name: AutomationName,
    pub enabled: bool,
    pub rule: Rule,
}

impl AutomationDraft {
    fn of(self, id: AutomationId, author: MemberId) -> Result<Automation, InvalidRule> {
        let Self { name, enabled, rule } = self;
        rule.check()?;
        Ok(Automation { id, name, author, enabled, rule })
    }
}

/// Rules and settings of a workspace, as owners see and change them.
pub struct ManageAutomations {
    pub store: Arc<dyn AutomationStore>,
    pub groups: Arc<dyn GroupStore>,
    pub members: Arc<dyn MemberStore>,
    pub deps: Deps,
}

impl ManageAutomations {
    /// Lists every rule, in the order they were made.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<Automation>, StoreError> {
        self.store.automations(workspace).await
    }

    /// Adds a rule.
    pub async fn add(
        &self,
        acting: Acting,
        author: MemberId,
        draft: AutomationDraft,
    ) -> Result<Automation, AutomationError> {
        let automation = draft.of(AutomationId::new(&*self.deps.ids), author)?;
        self.check_names(acting.workspace, &automation.rule).await?;
        let entry = self.entry(acting, Done::AutomationAdded, &automation);
        self.store.add(acting.workspace, &automation, MOST_AUTOMATIONS, &entry).await?;
        Ok(automation)
    }

    /// Replaces a rule, which keeps its place. Steps that messages have set off before go on unchanged.
    pub async fn replace(
        &self,
        acting: Acting,
        author: MemberId,
        id: AutomationId,
        draft: AutomationDraft,
    ) -> Result<Automation, AutomationError> {
        let automation = draft.of(id, author)?;
        self.check_names(acting.workspace, &automation.rule).await?;
        let entry = self.entry(acting, Done::AutomationChanged, &automation);
        self.store.replace(acting.workspace, &automation, &entry).await?;
        Ok(automation)
    }

    /// Switches a rule on or off. A change of the rule by somebody else at the same time stays.
    pub async fn switch(
        &self,
        acting: Acting,
        author: MemberId,
        id: AutomationId,
        enabled: bool,
    ) -> Result<(), AutomationError> {
        let rules = self.store.automations(acting.workspace).await?;
        let known = rules.into_iter().find(|rule| rule.id == id).ok_or(AutomationError::NotFound)?;
        let switched = Automation { author, enabled, ..known };
        let entry = self.entry(acting, Done::AutomationChanged, &switched);
        let is_there = self.store.switch(acting.workspace, id, author, enabled, &entry).await?;
        if is_there { Ok(()) } else { Err(AutomationError::NotFound) }
    }

    /// Checks that the workspace has every group and every member that a rule names.
    async fn check_names(&self, workspace: WorkspaceId, rule: &Rule) -> Result<(), AutomationError> {
        let names_group = |action: &Action| matches!(action, Action::SendToGroup { .. });
        let names_member = |action: &Action| matches!(action, Action::Assign { .. });
        let groups =
            if rule.then.iter().any(names_group) { self.groups.list(workspace).await? } else { Vec::new() };
        let team =
            if rule.then.iter().any(names_member) { self.members.team(workspace).await? } else { Vec::new() };
        let is_known = |action: &Action| match action {
            Action::SendToGroup { group } => groups.iter().any(|known| known.id == *group),
            Action::Assign { member } => team.iter().any(|known| known.id == *member),
            Action::Close {} | Action::Return {} | Action::Tag { .. } | Action::Reply { .. } => true,
        };
        let wrong = rule.then.iter().position(|action| !is_known(action));
        wrong.map_or(Ok(()), |at| Err(AutomationError::Nobody(at)))
    }

    fn entry(&self, acting: Acting, done: Done, automation: &Automation) -> AuditEntry {
        let entry = acting.does(done, self.deps.clock.now(), &*self.deps.ids).to(automation.id);
        entry.with("name", automation.name.as_str()).with("enabled", automation.enabled)
    }

    /// Removes a rule; `false` if there is none.
    pub async fn remove(&self, acting: Acting, id: AutomationId) -> Result<bool, StoreError> {
        let entry = acting.does(Done::AutomationDeleted, self.deps.clock.now(), &*self.deps.ids).to(id);
        self.store.remove(acting.workspace, id, &entry).await
    }

    /// Returns the workspace's settings.
    pub async fn settings(&self, workspace: WorkspaceId) -> Result<Settings, StoreError> {
        self.store.settings(workspace).await
    }

    /// Replaces the workspace's settings.
    pub async fn set(&self, acting: Acting, settings: &Settings) -> Result<(), AutomationError> {
        if let Some(hours) = &settings.hours {
            hours.check()?;
        }
        let Settings { hours, idle_close, unanswered_return } = settings;
        let minutes = |time: &Option<Minutes>| time.map(u32::from);
        let entry = acting
            .does(Done::ConversationSettingsChanged, self.deps.clock.now(), &*self.deps.ids)
            .with("hours", serde_json::to_value(hours).unwrap_or_default())
            .with("idleClose", minutes(idle_close))
            .with("unansweredReturn", minutes(unanswered_return));
        self.store.set(acting.workspace, settings, &entry).await?;
        Ok(())
    }
}
