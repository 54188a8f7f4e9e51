//! An operator makes a workspace and sets its plan.

use std::sync::Arc;

use super::{Plan, Workspace, ports::WorkspaceStore};
use crate::{
    access::{
        audit::{Acting, Action},
        members::EmailAddress,
    },
    clock::Clock,
    errors::StoreError,
    ids::{IdSource, MemberId, WorkspaceId},
    phone::Region,
};

/// What a new workspace needs.
#[derive(Debug, Clone)]
pub struct NewWorkspace {
    /// Its name.
    pub name: String,
    /// The language its templates default to.
    pub locale: String,
    /// Whose country code a number without one gets.
    pub region: Region,
    /// The owner's e-mail address.
    pub owner_email: EmailAddress,
}

/// Makes a workspace with its owner.
pub struct CreateWorkspace {
    /// Where workspaces are kept.
    pub store: Arc<dyn WorkspaceStore>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl CreateWorkspace {
    /// The new workspace, on an unlimited plan, and its owner.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, new: NewWorkspace) -> Result<(Workspace, MemberId), StoreError> {
        let workspace = Workspace {
            id: WorkspaceId::new(&*self.ids),
            name: new.name,
            locale: new.locale,
            region: new.region,
            plan: Plan::default(),
        };
        let owner = MemberId::new(&*self.ids);
        let entry =
            Acting::operator(workspace.id).does(Action::WorkspaceCreated, self.clock.now(), &*self.ids);
        let entry =
            entry.to(workspace.id).with("name", workspace.name.as_str()).with("ownerId", owner.to_string());
        self.store.create(&workspace, owner, new.owner_email.as_str(), &entry).await?;
        Ok((workspace, owner))
    }
}

/// Sets what a workspace may send.
pub struct SetPlan {
    /// Where workspaces are kept.
    pub store: Arc<dyn WorkspaceStore>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids, for the log of changes.
    pub ids: Arc<dyn IdSource>,
}

impl SetPlan {
    /// `false` when there is no such workspace.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, acting: Acting, plan: Plan) -> Result<bool, StoreError> {
        let entry = acting.does(Action::PlanSet, self.clock.now(), &*self.ids).to(acting.workspace);
        let entry = entry.with("activeCustomerLimit", plan.active_customer_limit).with("paused", plan.paused);
        self.store.set_plan(plan, &entry).await
    }
}
