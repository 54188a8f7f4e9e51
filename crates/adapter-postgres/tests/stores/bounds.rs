//! Bounds on how much a workspace has, where many add at once.

use domain::{
    access::{ApiKeyHash, Caller, Scope, ports::KeyStore},
    audit::Action,
    automations::{Automation, AutomationError, AutomationName, Conditions, Rule, ports::AutomationStore},
    broadcasts::{
        Broadcast, BroadcastList,
        ports::{BroadcastListStore, BroadcastStore},
    },
    canned_replies::{CannedReply, CannedReplyError, Shortcut, ports::CannedReplyStore},
    groups::{GroupError, TeamGroup, ports::GroupStore},
    ids::{MemberId, WorkspaceId},
    testing::a_broadcast,
};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::stores::support::{Fixture, NOW};

/// Additions that come at the same time, and the limit of those let in.
const COME: u128 = 20;
const MOST: u32 = 3;

fn owner() -> MemberId {
    Uuid::from_u128(0x9001).into()
}

async fn rows(fixture: &Fixture, table: &str) -> i64 {
    let count = format!("SELECT count(*) FROM {table}");
    fixture.client().await.query_one(&count, &[]).await.unwrap().get(0)
}

fn a_draft(number: u128) -> Broadcast {
    Broadcast {
        id: Uuid::from_u128(0x100 + number).into(),
        author: owner(),
        created_at: NOW,
        ..a_broadcast()
    }
}

#[tokio::test]
async fn of_many_broadcasts_written_at_once_as_many_are_kept_as_there_may_be() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let drafts: Vec<_> =
        (0..COME).map(|number| (a_draft(number), fixture.entry(workspace, Action::BroadcastAdded))).collect();
    let added = join_all(
        drafts.iter().map(|(draft, entry)| fixture.stores.broadcasts.add(workspace, draft, MOST, entry)),
    )
    .await;
    assert_eq!(added.into_iter().filter(|added| *added.as_ref().unwrap()).count(), 3);
    assert_eq!(rows(&fixture, "broadcasts").await, 3);
    assert_eq!(fixture.logged(Action::BroadcastAdded).await, 3);
}

#[tokio::test]
async fn of_many_lists_brought_at_once_as_many_are_begun_as_there_may_be() {
    let fixture = Fixture::new().await;
    let workspace: WorkspaceId = fixture.workspace(1).await.id;
    let lists: Vec<_> = (0..COME)
        .map(|number| BroadcastList {
            id: Uuid::from_u128(0x100 + number).into(),
            name: "Weekend".to_owned(),
            columns: vec![],
            people: 0,
            complete: false,
            created_at: NOW,
        })
        .collect();
    let begun =
        join_all(lists.iter().map(|list| fixture.stores.broadcasts.begin(workspace, list, MOST))).await;
    assert_eq!(begun.into_iter().filter(|begun| *begun.as_ref().unwrap()).count(), 3);
    assert_eq!(rows(&fixture, "broadcast_lists").await, 3);
}

#[tokio::test]
async fn of_many_rules_written_at_once_as_many_are_kept_as_there_may_be() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let rules: Vec<_> = (0..COME)
        .map(|number| {
            let rule = Automation {
                id: Uuid::from_u128(0x100 + number).into(),
                name: AutomationName::try_from(format!("rule {number}")).unwrap(),
                author: owner(),
                enabled: true,
                rule: Rule { when: Conditions::default(), then: Vec::new() },
            };
            (rule, fixture.entry(workspace, Action::AutomationAdded))
        })
        .collect();
    let added = join_all(
        rules.iter().map(|(rule, entry)| fixture.stores.automations.add(workspace, rule, MOST, entry)),
    )
    .await;
    let count = |wanted| added.iter().filter(|added| **added == wanted).count();
    assert_eq!((count(Ok(())), count(Err(AutomationError::TooMany))), (3, 17));
    assert_eq!(rows(&fixture, "automations").await, 3);
}

#[tokio::test]
async fn of_many_canned_replies_written_at_once_as_many_are_kept_as_there_may_be() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let replies: Vec<_> = (0..COME)
        .map(|number| CannedReply {
            id: Uuid::from_u128(0x100 + number).into(),
            shortcut: Shortcut::read(&format!("reply{number}")).unwrap(),
            text: "text".to_owned(),
            author: owner(),
            changed_at: NOW,
        })
        .collect();
    let added =
        join_all(replies.iter().map(|reply| fixture.stores.canned_replies.add(workspace, reply, MOST))).await;
    let count = |wanted| added.iter().filter(|added| **added == wanted).count();
    assert_eq!((count(Ok(())), count(Err(CannedReplyError::TooMany))), (3, 17));
    assert_eq!(rows(&fixture, "canned_replies").await, 3);
}

#[tokio::test]
async fn of_many_groups_made_at_once_as_many_are_kept_as_there_may_be() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let groups: Vec<_> = (0..COME)
        .map(|number| {
            let id = Uuid::from_u128(0x100 + number).into();
            let group =
                TeamGroup { id, name: format!("Sales {number}"), members: Vec::new(), created_at: NOW };
            (group, fixture.entry(workspace, Action::GroupAdded))
        })
        .collect();
    let added = join_all(
        groups.iter().map(|(group, entry)| fixture.stores.groups.add(workspace, group, MOST, entry)),
    )
    .await;
    let count = |wanted| added.iter().filter(|added| **added == wanted).count();
    assert_eq!((count(Ok(())), count(Err(GroupError::TooMany))), (3, 17));
    assert_eq!(rows(&fixture, "groups").await, 3);
    assert_eq!(fixture.logged(Action::GroupAdded).await, 3);
}

#[tokio::test]
async fn of_many_groups_of_one_name_made_at_once_one_is_kept_and_none_is_renamed_to_it() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    let group = |number: u128, name: &str| TeamGroup {
        id: Uuid::from_u128(0x100 + number).into(),
        name: name.to_owned(),
        members: Vec::new(),
        created_at: NOW,
    };
    let spelled = ["المبيعات", " المبيعـات", "المَبيعات", "المبيعات "].map(str::trim);
    let groups: Vec<_> = (0..)
        .zip(spelled)
        .map(|(number, name)| (group(number, name), fixture.entry(workspace, Action::GroupAdded)))
        .collect();
    let store = &fixture.stores.groups;
    let added = join_all(groups.iter().map(|(group, entry)| store.add(workspace, group, 200, entry))).await;
    let count = |wanted| added.iter().filter(|added| **added == wanted).count();
    assert_eq!((count(Ok(())), count(Err(GroupError::NameTaken))), (1, 3));
    let other = group(9, "Support");
    let entry = |action| fixture.entry(workspace, action);
    store.add(workspace, &other, 200, &entry(Action::GroupAdded)).await.unwrap();
    for (name, wanted) in [("المبيعات", Err(GroupError::NameTaken)), ("SUPPORT", Ok(()))] {
        let renamed = store.rename(workspace, other.id, name, &entry(Action::GroupRenamed)).await;
        assert_eq!(renamed, wanted, "{name}");
    }
    let nobody = Uuid::from_u128(0x999).into();
    let renamed = store.rename(workspace, nobody, "Nobody", &entry(Action::GroupRenamed)).await;
    assert_eq!(renamed, Err(GroupError::Unknown));
}

#[tokio::test]
async fn of_many_keys_made_at_once_as_many_are_kept_as_there_may_be_and_revoked_ones_are_not_counted() {
    let fixture = Fixture::new().await;
    let workspace = fixture.workspace(1).await.id;
    for (number, made) in [(0, 3), (1, 3)] {
        let keys: Vec<_> = (0..COME)
            .map(|key| {
                let id = 0x100 * (number + 1) + key;
                let key = Uuid::from_u128(id).into();
                let caller = Caller { workspace, key, creator: owner(), scopes: vec![Scope::ContactsRead] };
                let mut hash = [0; 32];
                hash[..16].copy_from_slice(&id.to_be_bytes());
                (caller, ApiKeyHash(hash), fixture.entry(workspace, Action::KeyIssued))
            })
            .collect();
        let store = &fixture.stores.access;
        let added = join_all(keys.iter().map(|(caller, hash, entry)| {
            KeyStore::add(&**store, workspace, caller, *hash, "shop", MOST, entry)
        }))
        .await;
        assert_eq!(added.into_iter().filter(|added| *added.as_ref().unwrap()).count(), made);
        fixture.client().await.execute("UPDATE api_keys SET revoked_at = now()", &[]).await.unwrap();
    }
    assert_eq!(rows(&fixture, "api_keys").await, 6);
}
