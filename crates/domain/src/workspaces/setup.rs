//! An operator makes a workspace and sets its plan.

use std::sync::Arc;

use super::{Plan, Workspace, ports::WorkspaceStore};
use crate::{
    access::{
        audit::{Acting, Action},
        members::EmailAddress,
    },
    automations::Zone,
    deps::Deps,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    phone::Region,
};

#[derive(Debug, Clone)]
pub struct NewWorkspace {
    pub name: String,
    /// Its templates default to this language.
    pub locale: String,
    /// Numbers without a country code are taken for this region's.
    pub region: Region,
    pub time_zone: Zone,
    pub owner_email: EmailAddress,
}

/// It makes a workspace with its owner.
pub struct CreateWorkspace {
    pub store: Arc<dyn WorkspaceStore>,
    pub deps: Deps,
}

impl CreateWorkspace {
    /// Makes the new workspace, on an unlimited plan, and its owner.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, new: NewWorkspace) -> Result<(Workspace, MemberId), StoreError> {
        let workspace = Workspace {
            id: WorkspaceId::new(&*self.deps.ids),
            name: new.name,
            locale: new.locale,
            region: new.region,
            time_zone: new.time_zone,
            plan: Plan::default(),
        };
        let owner = MemberId::new(&*self.deps.ids);
        let entry = Acting::operator(workspace.id).does(
            Action::WorkspaceCreated,
            self.deps.clock.now(),
            &*self.deps.ids,
        );
        let entry =
            entry.to(workspace.id).with("name", workspace.name.as_str()).with("ownerId", owner.to_string());
        self.store.create(&workspace, owner, new.owner_email.as_str(), &entry).await?;
        Ok((workspace, owner))
    }
}

/// It sets what a workspace may send.
pub struct SetPlan {
    pub store: Arc<dyn WorkspaceStore>,
    pub deps: Deps,
}

/// It says how many customers may be active from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedLimit {
    /// As many may be as before.
    AsBefore,
    /// Any number may be.
    None,
    /// So many may be in a calendar month.
    AtMost(u32),
}

impl SetPlan {
    /// Returns the plan as it is now; `None` when there is no such workspace. Without `paused` that stays as
    /// it was.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        acting: Acting,
        limit: WantedLimit,
        paused: Option<bool>,
    ) -> Result<Option<Plan>, StoreError> {
        let Some(workspace) = self.store.find(acting.workspace).await? else { return Ok(None) };
        let active_customer_limit = match limit {
            WantedLimit::AsBefore => workspace.plan.active_customer_limit,
            WantedLimit::None => None,
            WantedLimit::AtMost(most) => Some(most),
        };
        let paused = paused.unwrap_or(workspace.plan.paused);
        let plan = Plan { active_customer_limit, paused };
        let entry = acting.does(Action::PlanSet, self.deps.clock.now(), &*self.deps.ids).to(acting.workspace);
        let entry = entry.with("activeCustomerLimit", plan.active_customer_limit).with("paused", plan.paused);
        Ok(self.store.set_plan(acting.workspace, plan, &entry).await?.then_some(plan))
    }
}
