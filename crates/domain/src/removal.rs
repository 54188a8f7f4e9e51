//! Removal of a member, and of what they made.

use std::sync::Arc;

use crate::{
    access::{
        ListedKey,
        members::{
            MembersError, TRIES, may_go,
            ports::{MemberStore, Revocation},
        },
        ports::KeyStore,
    },
    audit::{Acting, Action, AuditEntry},
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::{MemberId, WorkspaceId},
    systems::{SystemConnection, ports::SystemStore},
    webhooks::{WebhookAddress, ports::AddressStore},
};

/// Kinds of a member's things to be revoked when they are removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revoked {
    pub api_keys: bool,
    pub webhook_addresses: bool,
    pub system: bool,
}

/// Things that somebody made and that still work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    pub api_keys: Vec<ListedKey>,
    pub webhook_addresses: Vec<WebhookAddress>,
    pub system: Option<SystemConnection>,
}

impl Made {
    pub const fn is_empty(&self) -> bool {
        self.api_keys.is_empty() && self.webhook_addresses.is_empty() && self.system.is_none()
    }
}

/// Removes members, with as much of what they made as is asked for.
pub struct RemoveMember {
    pub members: Arc<dyn MemberStore>,
    pub keys: Arc<dyn KeyStore>,
    pub addresses: Arc<dyn AddressStore>,
    pub systems: Arc<dyn SystemStore>,
    pub deps: Deps,
}

impl RemoveMember {
    /// Returns what a member, or a former one, made that still works.
    pub async fn made(&self, workspace: WorkspaceId, member: MemberId) -> Result<Made, StoreError> {
        let mut api_keys = self.keys.list(workspace).await?;
        api_keys.retain(|key| key.creator == member && key.revoked_at.is_none());
        let mut webhook_addresses = self.addresses.list(workspace).await?;
        webhook_addresses.retain(|address| address.creator == Some(member));
        let system = self.systems.find(workspace).await?.filter(|system| system.creator == Some(member));
        Ok(Made { api_keys, webhook_addresses, system })
    }

    /// Removes a member, who may also leave by themselves: their sessions end at once, their conversations
    /// wait for somebody else, and what they made stays, except for the kinds in `revoked`.
    pub async fn run(&self, acting: Acting, member: MemberId, revoked: Revoked) -> Result<(), MembersError> {
        let workspace = acting.workspace;
        retry_stale(TRIES, async || {
            let role = may_go(&self.members.team(workspace).await?, member)?;
            let made = if revoked == Revoked::default() {
                Made::default()
            } else {
                self.made(workspace, member).await?
            };
            let revocation = self.revocation(acting, &made, revoked);
            let entry = acting.does(Action::MemberRemoved, self.deps.clock.now(), &*self.deps.ids);
            let entry = entry.to(member).with("role", role.as_str());
            Ok::<_, MembersError>(self.members.remove(workspace, member, role, &revocation, &entry).await?)
        })
        .await?;
        if revoked.webhook_addresses {
            self.deps.signals.deliveries_due(workspace);
        }
        Ok(())
    }

    fn revocation(&self, acting: Acting, made: &Made, revoked: Revoked) -> Revocation {
        let does = |action| acting.does(action, self.deps.clock.now(), &*self.deps.ids);
        let keys = || made.api_keys.iter().map(|key| does(Action::KeyRevoked).to(key.id));
        let addresses =
            || made.webhook_addresses.iter().map(|address| does(Action::WebhookRemoved).to(address.id));
        let systems = || made.system.iter().map(|system| does(Action::SystemDisconnected).to(system.id));
        Revocation {
            api_keys: revoked.api_keys.then(|| keys().collect::<Vec<AuditEntry>>()),
            webhook_addresses: revoked.webhook_addresses.then(|| addresses().collect()),
            system: revoked.system.then(|| systems().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::{RemoveMember, Revoked};
    use crate::{
        access::{
            ListedKey, Scope,
            members::ports::{MockMemberStore, Revocation},
            ports::MockKeyStore,
        },
        audit::{Acting, Actor},
        ids::MemberId,
        signals::MockSignals,
        systems::ports::MockSystemStore,
        testing::{a_member, a_moment, a_workspace, some_deps},
        webhooks::ports::MockAddressStore,
    };

    fn key(number: u128, creator: MemberId, is_revoked: bool) -> ListedKey {
        ListedKey {
            id: uuid::Uuid::from_u128(number).into(),
            creator,
            label: "shop".to_owned(),
            scopes: vec![Scope::ContactsRead],
            created_at: a_moment(),
            revoked_at: is_revoked.then(a_moment),
            last_used_at: None,
        }
    }

    /// Returns what the store is told to revoke.
    fn told(revoked: Revoked) -> Revocation {
        let (gone, stays) = (a_member(1).id, a_member(2).id);
        let mut members = MockMemberStore::new();
        members.expect_team().returning(|_| Ok(vec![a_member(1), a_member(2)]));
        let told = Arc::new(Mutex::new(None));
        let heard = Arc::clone(&told);
        members.expect_remove().once().returning(move |_, _, _, revocation, _| {
            *heard.lock().unwrap() = Some(revocation.clone());
            Ok(())
        });
        let mut keys = MockKeyStore::new();
        let all = vec![key(1, gone, false), key(2, stays, false), key(3, gone, true), key(4, gone, false)];
        keys.expect_list().returning(move |_| Ok(all.clone()));
        let mut addresses = MockAddressStore::new();
        addresses.expect_list().returning(|_| Ok(Vec::new()));
        let mut systems = MockSystemStore::new();
        systems.expect_find().returning(|_| Ok(None));
        let mut deps = some_deps();
        let mut signals = MockSignals::new();
        signals.expect_deliveries_due().times(usize::from(revoked.webhook_addresses)).return_const(());
        deps.signals = Arc::new(signals);
        let remove = RemoveMember {
            members: Arc::new(members),
            keys: Arc::new(keys),
            addresses: Arc::new(addresses),
            systems: Arc::new(systems),
            deps,
        };
        let acting = Acting { workspace: a_workspace().id, actor: Actor::Member(stays), address: None };
        pollster::block_on(remove.run(acting, gone, revoked)).unwrap();
        let revocation = told.lock().unwrap().take();
        revocation.unwrap()
    }

    #[test]
    fn what_is_revoked_with_somebody_is_what_they_made_and_still_works_and_only_if_it_is_asked_for() {
        assert_eq!(told(Revoked::default()), Revocation::default());
        let Revocation { api_keys, webhook_addresses, system } =
            told(Revoked { api_keys: true, webhook_addresses: true, system: false });
        let subjects: Vec<_> = api_keys.unwrap().into_iter().filter_map(|entry| entry.subject).collect();
        let wanted = [1, 4].map(|number| uuid::Uuid::from_u128(number).to_string());
        assert_eq!(subjects, wanted);
        assert_eq!((webhook_addresses, system), (Some(Vec::new()), None));
    }
}
