//! Tests of waking the worker, and of handling updates alone.

use std::sync::{Mutex, atomic::Ordering};

use domain::{
    ids::WorkspaceId,
    inbound::{HeldUpdate, JournalEntry, JournalItem, Round},
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{StartedWork, TakenUp, Turn, UpdatesWake, Work, together_or_alone};

fn workspace() -> WorkspaceId {
    Uuid::from_u128(1).into()
}

fn updates(count: u128) -> Vec<HeldUpdate> {
    let update = |number| {
        let entry = JournalEntry {
            id: Uuid::from_u128(number).into(),
            workspace: workspace(),
            received_at: OffsetDateTime::UNIX_EPOCH,
            attempts: 1,
            item: JournalItem::TemplatesChanged { account_network_id: number.to_string() },
        };
        HeldUpdate { entry, place: 0, late: false, failures: 0 }
    };
    (0..count).map(update).collect()
}

#[test]
fn nothing_is_handed_over_before_somebody_works() {
    let wake = UpdatesWake::default();
    assert!(!wake.takes_up(workspace(), 1));
    wake.0.works.store(true, Ordering::Relaxed);
    assert!(!wake.takes_up(workspace(), 1), "others may work it off");
    wake.posted(workspace());
    let (begun, _) = wake.queues().begin(true).unwrap();
    wake.change(|queues| queues.add_taken_up(&begun, TakenUp::Updates(Vec::new(), false)));
    wake.change(|queues| queues.end(&begun, true));
    assert!(wake.takes_up(workspace(), 1));
}

#[tokio::test]
async fn an_update_whose_handling_panics_harms_no_other() {
    let handled = Mutex::new(Vec::new());
    let all = updates(3);
    let bad = all[1].entry.id;
    let tried = together_or_alone(all.clone(), async |updates: Vec<HeldUpdate>| {
        assert!(updates.iter().all(|held| held.entry.id != bad), "this one cannot be handled");
        handled.lock().unwrap().extend(updates.iter().map(|held| held.entry.id));
        Round::default()
    });
    assert_eq!(tried.await, (vec![], vec![all[1].clone()]));
    assert_eq!(*handled.lock().unwrap(), [all[0].entry.id, all[2].entry.id]);
}

#[tokio::test]
async fn what_keeps_its_place_is_not_overtaken_where_each_is_tried_alone() {
    let (mut all, handled) = (updates(4), Mutex::new(Vec::new()));
    all[2].entry.item = all[1].entry.item.clone();
    let (bad, fails) = (all[0].entry.id, all[1].entry.id);
    let tried = together_or_alone(all.clone(), async |updates: Vec<HeldUpdate>| {
        assert!(updates.iter().all(|held| held.entry.id != bad), "this one cannot be handled");
        handled.lock().unwrap().extend(updates.iter().map(|held| held.entry.id));
        let again = updates.into_iter().filter(|held| held.entry.id == fails).collect();
        Round { again, ..Round::default() }
    });
    let (again, broke_off) = tried.await;
    assert_eq!(again.iter().map(|held| held.entry.id).collect::<Vec<_>>(), [fails, all[2].entry.id]);
    assert_eq!(broke_off, [all[0].clone()]);
    assert_eq!(*handled.lock().unwrap(), [fails, all[3].entry.id]);
}

#[tokio::test]
async fn work_that_dies_lets_the_rest_begin() {
    let wake = UpdatesWake::default();
    wake.0.works.store(true, Ordering::Relaxed);
    assert!(!wake.posted(workspace()));
    let next = || -> Option<(StartedWork, Work)> { wake.queues().begin(true) };
    let (begun, _) = next().unwrap();
    let turn = Turn { begun, done: false, wake: wake.clone() };
    let died = tokio::spawn(async move {
        let _turn = turn;
        panic!("as if by a fault of ours");
    });
    assert!(died.await.is_err());
    wake.posted(workspace());
    assert!(matches!(next(), Some((_, Work::TakeUp))));
}
