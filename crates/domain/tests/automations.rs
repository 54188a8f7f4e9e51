//! What owners set.
#![expect(clippy::unwrap_used, reason = "a test ends at its first surprise")]

use std::{net::Ipv4Addr, sync::Arc};

use pollster::FutureExt;
use serde_json::json;
use time::macros::datetime;
use uuid::Uuid;

use domain::{
    access::members::ports::MockMemberStore,
    audit::{Acting, Action, Actor, AuditEntry},
    automations::{
        Automation, AutomationDraft, AutomationError, ManageAutomations, Settings, ports::MockAutomationStore,
    },
    groups::{TeamGroup, ports::MockGroupStore},
    ids::{MemberId, WorkspaceId},
    testing::{ManualClock, SequentialIds, a_member, deps_of},
};

fn acting() -> Acting {
    let (workspace, member) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
    Acting { workspace, actor: Actor::Member(member), address: Some(Ipv4Addr::LOCALHOST.into()) }
}

fn draft(then: &serde_json::Value) -> AutomationDraft {
    let rule = json!({ "when": { "began": true }, "then": then });
    let name = "greeting".to_owned().try_into().unwrap();
    AutomationDraft { name, enabled: true, rule: serde_json::from_value(rule).unwrap() }
}

fn manage(store: MockAutomationStore) -> ManageAutomations {
    let clock = Arc::new(ManualClock::at(datetime!(2026-11-21 10:00 UTC)));
    let mut groups = MockGroupStore::new();
    let group = TeamGroup {
        id: Uuid::from_u128(7).into(),
        name: "Sales".to_owned(),
        members: Vec::new(),
        created_at: datetime!(2026-11-21 9:00 UTC),
    };
    groups.expect_list().returning(move |_| Ok(vec![group.clone()]));
    let mut members = MockMemberStore::new();
    members.expect_team().returning(|_| Ok(vec![a_member(1)]));
    ManageAutomations {
        store: Arc::new(store),
        groups: Arc::new(groups),
        members: Arc::new(members),
        deps: deps_of(clock, Arc::new(SequentialIds::default())),
    }
}

fn tells(workspace: &WorkspaceId, entry: &AuditEntry, action: Action) -> bool {
    let told = serde_json::Value::Object(entry.details.clone());
    let by = Acting { workspace: *workspace, actor: entry.actor, address: entry.address };
    by == acting() && entry.action == action && told == json!({ "name": "greeting", "enabled": true })
}

#[test]
fn a_change_goes_to_the_store_with_its_entry_and_the_store_has_the_last_word() {
    let author = Uuid::from_u128(2).into();
    for (kept, wanted) in [
        (Ok(()), None),
        (Err(AutomationError::NameTaken), Some("another automation has this name")),
        (Err(AutomationError::TooMany), Some("a workspace has at most 50 automations")),
        (Err(AutomationError::NotFound), Some("there is no such automation in this workspace")),
    ] {
        let mut store = MockAutomationStore::new();
        store
            .expect_add()
            .withf(|workspace, _, most, entry| {
                *most == 50 && tells(workspace, entry, Action::AutomationAdded)
            })
            .return_const(kept.clone());
        store
            .expect_replace()
            .withf(|workspace, rule, entry| {
                entry.subject == Some(rule.id.to_string())
                    && tells(workspace, entry, Action::AutomationChanged)
            })
            .return_const(kept);
        let manage = manage(store);
        let close = json!([{ "do": "close" }]);
        let added = manage.add(acting(), author, draft(&close)).block_on();
        assert_eq!(added.err().map(|error| error.to_string()).as_deref(), wanted);
        let id = Uuid::from_u128(7).into();
        let replaced = manage.replace(acting(), author, id, draft(&close)).block_on();
        assert_eq!(
            replaced.as_ref().ok().map(|rule| (rule.id, rule.author)),
            wanted.is_none().then_some((id, author))
        );
        assert_eq!(replaced.err().map(|error| error.to_string()).as_deref(), wanted);
    }
}

#[test]
fn a_rule_is_switched_by_itself_and_by_whoever_does_is_its_own() {
    let author: MemberId = Uuid::from_u128(2).into();
    let rule = draft(&json!([{ "do": "close" }]));
    for (id, is_there) in [(7, true), (7, false), (8, false)] {
        let known = Automation {
            id: Uuid::from_u128(7).into(),
            name: rule.name.clone(),
            author: Uuid::from_u128(3).into(),
            enabled: false,
            rule: rule.rule.clone(),
        };
        let mut store = MockAutomationStore::new();
        store.expect_automations().return_once(move |_| Ok(vec![known]));
        store
            .expect_switch()
            .withf(move |workspace, _, by, enabled, entry| {
                *by == author && *enabled && tells(workspace, entry, Action::AutomationChanged)
            })
            .return_once(move |_, _, _, _, _| Ok(is_there));
        let switched = manage(store).switch(acting(), author, Uuid::from_u128(id).into(), true).block_on();
        assert_eq!(switched.is_ok(), is_there, "{switched:?}");
        assert!(is_there || matches!(switched, Err(AutomationError::NotFound)));
    }
}

#[test]
fn what_cannot_be_never_reaches_the_store() {
    let manage = manage(MockAutomationStore::new());
    let author = Uuid::from_u128(2).into();
    let added = manage.add(acting(), author, draft(&json!([]))).block_on();
    assert!(matches!(added, Err(AutomationError::Rule(_))), "{added:?}");
    let replaced = manage.replace(acting(), author, Uuid::from_u128(7).into(), draft(&json!([]))).block_on();
    assert!(matches!(replaced, Err(AutomationError::Rule(_))), "{replaced:?}");
    let spans: Vec<_> = (10..21).map(|hour| [format!("{hour}:00"), format!("{hour}:30")]).collect();
    let settings = json!({ "hours": { "zone": "UTC", "week": { "monday": spans } } });
    let settings: Settings = serde_json::from_value(settings).unwrap();
    let set = manage.set(acting(), &settings).block_on();
    assert!(matches!(set, Err(AutomationError::Hours(_))), "{set:?}");
}

#[test]
fn a_rule_that_names_a_group_or_a_member_whom_the_workspace_does_not_have_is_refused() {
    let (sales, sara) = (Uuid::from_u128(7), a_member(1).id);
    let (close, stranger) = (json!({ "do": "close" }), Uuid::from_u128(8));
    let to_group = |group: Uuid| json!({ "do": "sendToGroup", "group": group });
    let to_member = |member: Uuid| json!({ "do": "assign", "member": member });
    for (then, wanted) in [
        (json!([to_group(sales), to_member(sara.uuid()), close]), None),
        (json!([to_group(stranger)]), Some(0)),
        (json!([close, to_group(sara.uuid())]), Some(1)),
        (json!([to_member(sara.uuid()), close, to_member(stranger)]), Some(2)),
    ] {
        let mut store = MockAutomationStore::new();
        store.expect_add().return_const(Ok(()));
        store.expect_replace().return_const(Ok(()));
        let (manage, author, id) = (manage(store), Uuid::from_u128(2).into(), Uuid::from_u128(3).into());
        let added = manage.add(acting(), author, draft(&then)).block_on();
        let replaced = manage.replace(acting(), author, id, draft(&then)).block_on();
        for done in [added, replaced] {
            let refused = match done {
                Ok(_) => None,
                Err(AutomationError::Nobody(at)) => Some(at),
                Err(error) => panic!("{error}"),
            };
            assert_eq!(refused, wanted, "{then}");
        }
    }
}
