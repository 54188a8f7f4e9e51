//! Groups of members, such as sales or support, that conversations can be given to.

mod group;
pub mod ports;

pub use group::{GroupError, InvalidGroupName, MOST_GROUPS, TeamGroup};

use std::sync::Arc;

use self::ports::GroupStore;
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::{GroupId, MemberId, WorkspaceId},
    text::fold_for_search,
};

/// Longest group name, in characters.
const LONGEST_NAME: usize = 100;

fn group_name(written: &str) -> Result<&str, InvalidGroupName> {
    let name = written.trim();
    let fits = !name.is_empty() && name.chars().nth(LONGEST_NAME).is_none();
    if fits { Ok(name) } else { Err(InvalidGroupName) }
}

/// Returns the name by which groups are compared: white space, case and Arabic letter variants make no
/// difference.
pub fn folded_name(name: &str) -> String {
    fold_for_search(name)
}

/// Lists and changes a workspace's groups and their members.
pub struct Groups {
    pub store: Arc<dyn GroupStore>,
    pub deps: Deps,
}

impl Groups {
    /// Lists all groups, by name.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<TeamGroup>, StoreError> {
        self.store.list(workspace).await
    }

    /// Creates a group without members.
    pub async fn add(&self, acting: Acting, name: &str) -> Result<TeamGroup, GroupError> {
        let name = group_name(name)?.to_owned();
        let (id, created_at) = (GroupId::new(&*self.deps.ids), self.deps.clock.now());
        let entry =
            acting.does(Action::GroupAdded, created_at, &*self.deps.ids).to(id).with("name", name.as_str());
        let group = TeamGroup { id, name, members: Vec::new(), created_at };
        self.store.add(acting.workspace, &group, MOST_GROUPS, &entry).await?;
        Ok(group)
    }

    /// Renames a group.
    pub async fn rename(&self, acting: Acting, group: GroupId, name: &str) -> Result<(), GroupError> {
        let name = group_name(name)?;
        let entry = acting
            .does(Action::GroupRenamed, self.deps.clock.now(), &*self.deps.ids)
            .to(group)
            .with("name", name);
        self.store.rename(acting.workspace, group, name, &entry).await
    }

    /// Deletes a group; its conversations then belong to none. Refused while a broadcast goes to the group's
    /// people, since it would find nobody.
    pub async fn delete(&self, acting: Acting, group: GroupId) -> Result<(), GroupError> {
        if self.store.is_needed(acting.workspace, group).await? {
            return Err(GroupError::Needed);
        }
        let entry = acting.does(Action::GroupDeleted, self.deps.clock.now(), &*self.deps.ids).to(group);
        known(self.store.delete(acting.workspace, group, &entry).await?)
    }

    /// Adds a member to a group; succeeds if they are in it already.
    pub async fn put(&self, acting: Acting, group: GroupId, member: MemberId) -> Result<(), GroupError> {
        let entry = acting.does(Action::GroupJoined, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(group).with("member", member.to_string());
        known(self.store.put(acting.workspace, group, member, &entry).await?)
    }

    /// Removes a member from a group.
    pub async fn take(&self, acting: Acting, group: GroupId, member: MemberId) -> Result<(), GroupError> {
        let entry = acting.does(Action::GroupLeft, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(group).with("member", member.to_string());
        known(self.store.take(acting.workspace, group, member, &entry).await?)
    }
}

const fn known(known: bool) -> Result<(), GroupError> {
    if known { Ok(()) } else { Err(GroupError::Unknown) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::{GroupError, Groups, folded_name, ports::MockGroupStore};
    use crate::{
        audit::{Acting, Actor},
        testing::{a_workspace, some_deps},
    };

    #[pollster::test]
    async fn a_group_that_a_broadcast_goes_to_is_not_deleted() {
        for needed in [true, false] {
            let mut store = MockGroupStore::new();
            store.expect_is_needed().returning(move |_, _| Ok(needed));
            store.expect_delete().times(usize::from(!needed)).returning(|_, _, _| Ok(true));
            let groups = Groups { store: Arc::new(store), deps: some_deps() };
            let acting = Acting { workspace: a_workspace().id, actor: Actor::Operator, address: None };
            let deleted = groups.delete(acting, Uuid::from_u128(1).into()).await;
            assert_eq!(matches!(deleted, Err(GroupError::Needed)), needed, "{deleted:?}");
        }
    }

    #[pollster::test]
    async fn no_group_is_made_beyond_those_that_there_may_be() {
        for written in [Ok(()), Err(GroupError::TooMany)] {
            let mut store = MockGroupStore::new();
            store.expect_add().withf(|_, _, most, _| *most == 200).return_const(written.clone());
            let groups = Groups { store: Arc::new(store), deps: some_deps() };
            let acting = Acting { workspace: a_workspace().id, actor: Actor::Operator, address: None };
            let added = groups.add(acting, "Sales").await;
            assert_eq!(added.map(drop), written);
        }
    }

    #[test]
    fn names_that_people_read_as_one_are_one() {
        for (one, other, is_same) in [
            ("المبيعات", " المبيعات ", true),
            ("الإدارة", "الاداره", true),
            ("Sales  Team", "sales team", true),
            ("المبيـعات", "المَبيعات", true),
            ("Sales", "Sales 2", false),
        ] {
            assert_eq!(folded_name(one) == folded_name(other), is_same, "{one}, {other}");
        }
    }
}
