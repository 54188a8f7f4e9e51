//! Creating a workspace and setting its plan, as an operator does.

use std::sync::Arc;

use super::{
    Plan, Workspace,
    change::{is_locale, kept_name},
    ports::WorkspaceStore,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
    phone::Region,
    zone::Zone,
};

/// A workspace to be made, with its first owner.
#[derive(Debug, Clone)]
pub struct NewWorkspace {
    pub name: String,
    pub locale: String,
    pub region: Region,
    pub time_zone: Zone,
    pub owner_email: EmailAddress,
}

/// Reason why no workspace was created.
#[derive(Debug, thiserror::Error)]
pub enum CreateWorkspaceError {
    #[error("a workspace needs a name of 1 to 200 characters, white space at the ends not counted")]
    Name,
    #[error("the locale must be a language such as `ar` or `en_US`")]
    Locale,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a workspace with its owner.
pub struct CreateWorkspace {
    pub store: Arc<dyn WorkspaceStore>,
    pub deps: Deps,
}

impl CreateWorkspace {
    /// Creates the workspace, on an unlimited plan, and its owner. Name and locale follow the rules for an
    /// owner's changes.
    pub async fn run(&self, new: NewWorkspace) -> Result<(Workspace, MemberId), CreateWorkspaceError> {
        let name = kept_name(&new.name).ok_or(CreateWorkspaceError::Name)?;
        if !is_locale(&new.locale) {
            return Err(CreateWorkspaceError::Locale);
        }
        let workspace = Workspace {
            id: WorkspaceId::new(&*self.deps.ids),
            name,
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

/// Sets a workspace's plan.
pub struct SetPlan {
    pub store: Arc<dyn WorkspaceStore>,
    pub deps: Deps,
}

/// Change of the limit of active customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedLimit {
    /// Keeps the limit.
    AsBefore,
    /// Removes the limit.
    None,
    /// Limits the customers active in a calendar month.
    AtMost(u32),
}

impl SetPlan {
    /// Sets the plan and returns it; `None` if there is no such workspace. If `paused` is `None`, that stays
    /// as it was.
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{CreateWorkspace, CreateWorkspaceError, NewWorkspace};
    use crate::{
        testing::{ManualClock, SequentialIds, a_moment, deps_of},
        workspaces::ports::MockWorkspaceStore,
        zone::Zone,
    };

    #[pollster::test]
    async fn a_new_workspace_has_a_name_and_a_locale_that_its_owner_could_have_set() {
        let (longest, longer) = ("x".repeat(200), "x".repeat(201));
        for (name, locale, kept) in [
            (" Palm ", "ar", Ok("Palm")),
            (&longest, "en_US", Ok(longest.as_str())),
            (" ", "ar", Err("a workspace needs a name")),
            (&longer, "ar", Err("a workspace needs a name")),
            ("Palm", "English", Err("the locale must be")),
            ("Palm", "", Err("the locale must be")),
        ] {
            let mut store = MockWorkspaceStore::new();
            let wanted = kept.unwrap_or_default().to_owned();
            let is_wanted = move |workspace: &super::Workspace| workspace.name == wanted;
            store
                .expect_create()
                .withf(move |workspace, _, _, _| is_wanted(workspace))
                .times(usize::from(kept.is_ok()))
                .returning(|_, _, _, _| Ok(()));
            let clock = Arc::new(ManualClock::at(a_moment()));
            let deps = deps_of(clock, Arc::new(SequentialIds::default()));
            let new = NewWorkspace {
                name: name.to_owned(),
                locale: locale.to_owned(),
                region: crate::testing::a_region(),
                time_zone: Zone::default(),
                owner_email: "owner@palm.example".parse().unwrap(),
            };
            let made = CreateWorkspace { store: Arc::new(store), deps }.run(new).await;
            let said = made.map(drop).map_err(|error: CreateWorkspaceError| error.to_string());
            match kept {
                Ok(_) => assert_eq!(said, Ok(()), "{name} {locale}"),
                Err(words) => assert!(said.unwrap_err().starts_with(words), "{name} {locale}"),
            }
        }
    }
}
