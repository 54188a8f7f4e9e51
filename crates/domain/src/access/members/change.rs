//! Names, languages and roles of members.

use std::sync::Arc;

use super::{
    FormerMember, InvalidMemberName, Member, language::Language, member_name, ports::MemberStore, role::Role,
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::{MayBeStale, StoreError, retry_stale},
    ids::{MemberId, WorkspaceId},
};

/// Most tries of a change while others change the team.
pub(crate) const TRIES: usize = 5;

/// Refusal of a change by a rule of the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MemberRefusal {
    #[error("there is no member with this id")]
    Unknown,
    #[error("the last owner of a workspace stays one; make somebody else an owner first")]
    LastOwner,
}

/// Reason why a member was not changed.
#[derive(Debug, thiserror::Error)]
pub enum MembersError {
    #[error(transparent)]
    Refused(#[from] MemberRefusal),
    #[error(transparent)]
    Name(#[from] InvalidMemberName),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayBeStale for MembersError {
    fn is_stale(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_stale())
    }
}

/// Returns the member's role; an error if they are the last owner.
pub(crate) fn may_go(team: &[Member], member: MemberId) -> Result<Role, MemberRefusal> {
    let known = team.iter().find(|known| known.id == member).ok_or(MemberRefusal::Unknown)?;
    let other_owner = |other: &Member| other.id != member && other.role == Role::Owner;
    if known.role == Role::Owner && !team.iter().any(other_owner) {
        return Err(MemberRefusal::LastOwner);
    }
    Ok(known.role)
}

/// Returns the member's present role; an error if `role` would leave the team without an owner.
fn may_become(team: &[Member], member: MemberId, role: Role) -> Result<Role, MemberRefusal> {
    if role == Role::Owner {
        let known = team.iter().find(|known| known.id == member);
        return known.map(|known| known.role).ok_or(MemberRefusal::Unknown);
    }
    may_go(team, member)
}

/// Lists the team, renames members, and changes their roles and languages.
pub struct Members {
    pub store: Arc<dyn MemberStore>,
    pub deps: Deps,
}

impl Members {
    /// Lists everybody who has not left, the longest known first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<Member>, StoreError> {
        self.store.team(workspace).await
    }

    /// Lists everybody who has left, since their names stay beside what they made.
    pub async fn former(&self, workspace: WorkspaceId) -> Result<Vec<FormerMember>, StoreError> {
        self.store.former(workspace).await
    }

    /// Finds a member who has not left.
    pub async fn get(&self, workspace: WorkspaceId, member: MemberId) -> Result<Option<Member>, StoreError> {
        let team = self.store.team(workspace).await?;
        Ok(team.into_iter().find(|known| known.id == member))
    }

    /// Renames a member.
    pub async fn rename(&self, acting: Acting, member: MemberId, name: &str) -> Result<(), MembersError> {
        let name = member_name(name)?;
        let entry = acting.does(Action::MemberRenamed, self.deps.clock.now(), &*self.deps.ids).to(member);
        let known = self.store.rename(acting.workspace, member, &name, &entry).await?;
        if known { Ok(()) } else { Err(MemberRefusal::Unknown.into()) }
    }

    /// Sets the language of a member's pages and mails.
    pub async fn choose_language(
        &self,
        acting: Acting,
        member: MemberId,
        language: Language,
    ) -> Result<(), MembersError> {
        let entry = acting.does(Action::LanguageChosen, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(member).with("language", language.as_str());
        let known = self.store.choose_language(acting.workspace, member, language, &entry).await?;
        if known { Ok(()) } else { Err(MemberRefusal::Unknown.into()) }
    }

    /// Changes a member's role.
    pub async fn change_role(
        &self,
        acting: Acting,
        member: MemberId,
        role: Role,
    ) -> Result<(), MembersError> {
        retry_stale(TRIES, async || {
            let before = may_become(&self.store.team(acting.workspace).await?, member, role)?;
            if before == role {
                return Ok(());
            }
            let entry = acting.does(Action::RoleChanged, self.deps.clock.now(), &*self.deps.ids);
            let entry = entry.to(member).with("from", before.as_str()).with("to", role.as_str());
            Ok(self.store.set_role(acting.workspace, member, role, &entry).await?)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::{MemberRefusal, may_become, may_go};
    use crate::{
        access::members::{Member, Role},
        testing::a_member,
    };

    fn team(roles: &[Role]) -> Vec<Member> {
        (0..).zip(roles).map(|(number, role)| Member { role: *role, ..a_member(number) }).collect()
    }

    #[test]
    fn a_workspace_keeps_an_owner() {
        let (owner, agent) = (Role::Owner, Role::Agent);
        for (roles, index, wanted) in [
            (&[owner][..], 0, Err(MemberRefusal::LastOwner)),
            (&[owner, agent], 0, Err(MemberRefusal::LastOwner)),
            (&[owner, agent], 1, Ok(agent)),
            (&[owner, owner], 0, Ok(owner)),
            (&[owner, agent], 2, Err(MemberRefusal::Unknown)),
        ] {
            let member = a_member(index).id;
            assert_eq!(may_go(&team(roles), member), wanted, "{roles:?} {index}");
            assert_eq!(may_become(&team(roles), member, agent), wanted, "{roles:?} {index}");
            let known = usize::from(index) < roles.len();
            assert_eq!(may_become(&team(roles), member, owner).is_ok(), known);
        }
    }
}
