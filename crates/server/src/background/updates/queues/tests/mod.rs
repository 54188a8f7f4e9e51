//! Tests of what may begin when, in whatever order events come.

mod holding;

use std::{cell::RefCell, collections::HashMap};

use domain::{
    contacts::Identity,
    ids::WorkspaceId,
    inbound::{
        BATCH, ConversationUpdate, HandedOver, HeldUpdate, JournalEntry, JournalItem, Person, TAKEN_UP,
        UpdateKind,
    },
    messages::NetworkMessageId,
};
use proptest::prelude::*;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{READINGS, ROOM, StartedWork, TakenUp, Work, WorkspaceQueues, workspace_queue::BATCHES};

fn workspace(number: u128) -> WorkspaceId {
    Uuid::from_u128(number).into()
}

fn held(number: usize, item: JournalItem) -> HeldUpdate {
    let entry = JournalEntry {
        id: Uuid::from_u128(number as u128).into(),
        workspace: workspace(1),
        received_at: OffsetDateTime::UNIX_EPOCH,
        attempts: 1,
        item,
    };
    HeldUpdate { entry, place: i64::try_from(number).unwrap(), late: false, failures: 0 }
}

/// An update of somebody whom the network calls by all these names.
fn update(number: usize, names: &[usize]) -> HeldUpdate {
    let identities = names.iter().map(|name| Identity::MessengerUser(name.to_string())).collect();
    let person = Person { identities, name: None, avatar_url: None };
    let what = UpdateKind::Deleted { message: NetworkMessageId::from("m".to_owned()) };
    let update = Box::new(ConversationUpdate { person, at: OffsetDateTime::UNIX_EPOCH, what });
    held(number, JournalItem::Conversation { channel: Uuid::from_u128(1).into(), update })
}

fn templates_changed(number: usize) -> HeldUpdate {
    held(number, JournalItem::TemplatesChanged { account_network_id: number.to_string() })
}

/// Updates, each of somebody else.
fn updates(numbers: std::ops::Range<usize>) -> Vec<HeldUpdate> {
    numbers.map(|number| update(number, &[number])).collect()
}

fn begin(queues: &mut WorkspaceQueues) -> (StartedWork, Work) {
    queues.begin(true).unwrap()
}

/// Queues that hold these workspaces.
fn holding(numbers: impl IntoIterator<Item = u128>) -> WorkspaceQueues {
    let mut queues = WorkspaceQueues::default();
    for number in numbers {
        queues.look_at_journal(workspace(number));
        let (begun, _) = begin(&mut queues);
        take_up(&mut queues, &begun, Vec::new(), false);
        queues.end(&begun, true);
        assert!(queues.begin(true).is_none());
    }
    queues
}

fn take_up(queues: &mut WorkspaceQueues, begun: &StartedWork, updates: Vec<HeldUpdate>, more: bool) {
    assert!(!queues.add_taken_up(begun, TakenUp::Updates(updates, more)));
}

/// Hands over updates that were journaled as claimed.
fn hand_over(queues: &mut WorkspaceQueues, workspace: WorkspaceId, updates: Vec<HeldUpdate>) {
    queues.hand_over(workspace, HandedOver { updates, holder: 0, behind: false });
}

/// Sizes of the pieces of work that may begin now; claiming has none.
fn sizes(queues: &mut WorkspaceQueues) -> Vec<usize> {
    let begun = std::iter::from_fn(|| queues.begin(true));
    begun.map(|(_, work)| if let Work::Handle(updates) = work { updates.len() } else { 0 }).collect()
}

fn numbers(work: Work) -> Vec<u128> {
    match work {
        Work::Handle(updates) => updates.iter().map(|held| held.entry.id.uuid().as_u128()).collect(),
        Work::TakeUp | Work::LetGo => Vec::new(),
    }
}

#[test]
fn a_further_batch_begins_only_when_it_is_full() {
    let mut queues = holding([1]);
    hand_over(&mut queues, workspace(1), updates(0..7));
    assert_eq!(sizes(&mut queues), [7]);
    hand_over(&mut queues, workspace(1), updates(100..150));
    assert!(sizes(&mut queues).is_empty(), "too few to begin a second one for");
    hand_over(&mut queues, workspace(1), updates(150..260));
    assert_eq!(sizes(&mut queues), [BATCH]);
}

#[test]
fn a_workspace_takes_no_more_than_its_share() {
    let mut queues = holding([1, 2]);
    hand_over(&mut queues, workspace(1), updates(0..BATCH * (BATCHES + 3)));
    hand_over(&mut queues, workspace(2), updates(0..1));
    let mut begun = sizes(&mut queues);
    begun.sort_unstable();
    assert_eq!(begun, [vec![1], vec![BATCH; BATCHES]].concat());
}

#[test]
fn what_follows_another_waits_for_its_end_and_holds_up_nobody_else() {
    let mut queues = holding([1]);
    hand_over(&mut queues, workspace(1), vec![update(1, &[1])]);
    let (first, _) = begin(&mut queues);
    hand_over(&mut queues, workspace(1), (1_000..1_000 + BATCH).map(|number| update(number, &[1])).collect());
    assert!(queues.begin(true).is_none());
    hand_over(&mut queues, workspace(1), updates(2_000..2_000 + BATCH));
    let (_, others) = begin(&mut queues);
    assert_eq!(numbers(others)[0], 2_000);
    queues.end(&first, true);
    assert_eq!(sizes(&mut queues), [BATCH]);
}

#[test]
fn nobody_is_overtaken_by_a_second_name_of_theirs() {
    let mut queues = holding([1]);
    hand_over(&mut queues, workspace(1), vec![update(1, &[1])]);
    let (first, _) = begin(&mut queues);
    // The second waits for the first, and so does the third, which shares a name with the second only.
    let mut following = vec![update(2, &[1, 2]), update(3, &[2])];
    following.extend(updates(100..100 + BATCH));
    hand_over(&mut queues, workspace(1), following);
    let (second, others) = begin(&mut queues);
    assert_eq!(numbers(others)[0], 100);
    queues.end(&first, true);
    queues.end(&second, true);
    let (_, work) = begin(&mut queues);
    assert_eq!(numbers(work), [2, 3]);
}

#[test]
fn the_journal_is_looked_at_once_when_little_waits() {
    let mut queues = WorkspaceQueues::default();
    queues.look_at_journal(workspace(1));
    queues.look_at_journal(workspace(1));
    let (begun, work) = begin(&mut queues);
    assert_eq!(work, Work::TakeUp);
    assert!(queues.begin(true).is_none());
    assert!(!queues.add_taken_up(&begun, TakenUp::Elsewhere));
    queues.end(&begun, true);
    assert!(queues.begin(true).is_none());
    assert!(queues.of.is_empty(), "and where it is another's, nothing is remembered of the workspace");
}

#[test]
fn nothing_overtakes_what_lies_in_the_journal() {
    let mut queues = holding([1, 2]);
    assert!(queues.has_room_for(workspace(1), 1));
    queues.look_at_journal(workspace(1));
    assert!(!queues.has_room_for(workspace(1), 1));
    assert!(queues.has_room_for(workspace(2), 1), "another workspace's is another matter");
    let (begun, _) = begin(&mut queues);
    assert!(queues.has_room_for(workspace(1), 1), "what comes now waits behind what is being taken up");
    hand_over(&mut queues, workspace(1), vec![update(3, &[3])]);
    take_up(&mut queues, &begun, vec![update(1, &[1])], true);
    assert!(!queues.has_room_for(workspace(1), 1), "there is more, which comes before");
    queues.end(&begun, true);
    let (_, work) = begin(&mut queues);
    assert_eq!(numbers(work), [1]);
    let (begun, work) = begin(&mut queues);
    assert_eq!(work, Work::TakeUp);
    take_up(&mut queues, &begun, vec![update(2, &[2])], false);
    queues.end(&begun, true);
    hand_over(&mut queues, workspace(1), updates(10..10 + BATCH));
    let (_, work) = begin(&mut queues);
    assert_eq!(numbers(work)[..3], [2, 3, 10]);
}

#[test]
fn what_could_not_be_taken_up_is_tried_again_when_the_journal_is_looked_at_next() {
    let mut queues = holding([1]);
    queues.look_at_journal(workspace(1));
    let (begun, _) = begin(&mut queues);
    queues.look_at_journal(workspace(1));
    queues.end(&begun, false);
    assert!(queues.begin(true).is_none(), "not at once, while the store is away");
    assert!(!queues.has_room_for(workspace(1), 1), "it would be overtaken");
    queues.look_at_journal(workspace(1));
    assert_eq!(begin(&mut queues).1, Work::TakeUp);
}

#[test]
fn no_more_waits_here_than_there_is_room_for() {
    let mut queues = holding([1]);
    hand_over(&mut queues, workspace(1), updates(0..ROOM - 1));
    assert!(queues.has_room_for(workspace(1), 1) && !queues.has_room_for(workspace(1), 2));
    begin(&mut queues);
    assert!(queues.has_room_for(workspace(1), 2), "what is being handled makes room");
}

#[test]
fn no_more_is_taken_up_than_there_is_room_for_and_every_workspace_has_its_turn() {
    let mut queues = WorkspaceQueues::default();
    let workspaces = 3 * ROOM / TAKEN_UP;
    for number in 0..workspaces {
        queues.look_at_journal(workspace(number as u128));
    }
    let mut taken_up = 0;
    let mut batches = std::collections::VecDeque::new();
    loop {
        while let Some((begun, work)) = queues.begin(true) {
            if let Work::Handle(_) = work {
                batches.push_back(begun);
            } else {
                taken_up += 1;
                take_up(&mut queues, &begun, updates(0..TAKEN_UP), false);
                queues.end(&begun, true);
            }
            assert!(queues.waiting <= ROOM, "{}", queues.waiting);
        }
        let Some(ended) = batches.pop_front() else { break };
        queues.end(&ended, true);
    }
    assert_eq!(taken_up, workspaces);
    assert_eq!((queues.waiting, queues.of.len()), (0, workspaces));
}

#[test]
fn reading_templates_over_the_network_holds_up_no_message() {
    let mut queues = holding(0..=READINGS as u128);
    for number in 0..=READINGS as u128 {
        hand_over(&mut queues, workspace(number), vec![templates_changed(1), templates_changed(2)]);
    }
    hand_over(&mut queues, workspace(0), updates(10..13));
    let mut begun: Vec<_> = std::iter::from_fn(|| queues.begin(true)).collect();
    let mut sizes: Vec<_> = begun.drain(..).map(|(begun, work)| (numbers(work).len(), begun)).collect();
    sizes.sort_by_key(|(size, _)| *size);
    assert_eq!(sizes.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [2, 2, 3]);
    queues.end(&sizes[0].1, true);
    assert_eq!(numbers(begin(&mut queues).1).len(), 2, "the next has its turn when one has ended");
}

#[test]
fn who_shuts_down_takes_nothing_more_up() {
    let mut queues = holding([1]);
    hand_over(&mut queues, workspace(1), updates(0..1));
    queues.look_at_journal(workspace(1));
    assert!(matches!(queues.begin(false), Some((_, Work::Handle(_)))));
    assert!(queues.begin(false).is_none());
}

proptest! {
    /// Whatever comes when, from the network or out of the journal, and whichever piece of work ends first.
    #[test]
    fn all_is_handled_once_and_what_each_person_does_in_order(
        steps in prop::collection::vec((0_usize..5, 0_usize..150, 1_usize..40), 1..60),
        fails_at in 20_i64..300,
    ) {
        let mut queues = holding([1]);
        let (mut running, mut handled): (Vec<(StartedWork, Work)>, Vec<HeldUpdate>) = (Vec::new(), Vec::new());
        // What lies in the journal, oldest first.
        let mut journal: Vec<HeldUpdate> = Vec::new();
        let mut added = 0;
        let parked = RefCell::new(Vec::new());
        let mut finish = |queues: &mut WorkspaceQueues, journal: &mut Vec<HeldUpdate>, (begun, work): (StartedWork, Work)| {
            match work {
                // Now and then one fails, with those that follow it.
                Work::Handle(updates) => {
                    let mut keys = Vec::new();
                    let mut again = Vec::new();
                    for held in updates {
                        let of_update = held.entry.item.order_keys();
                        let follows = of_update.iter().any(|key| keys.contains(key));
                        let fails = held.failures == 0 && held.place % fails_at == 1;
                        if follows || fails {
                            keys.extend(of_update);
                            again.push(HeldUpdate { failures: held.failures + u32::from(fails), ..held });
                        } else {
                            handled.push(held);
                        }
                    }
                    if !again.is_empty() {
                        parked.borrow_mut().push(queues.park(&begun, again));
                    }
                }
                Work::LetGo => {}
                Work::TakeUp => {
                    let most = journal.len().min(60);
                    let taken: Vec<HeldUpdate> = journal.drain(..most).collect();
                    take_up(queues, &begun, taken, !journal.is_empty());
                }
            }
            queues.end(&begun, true);
        };
        for (what, count, people) in steps {
            match what {
                0 | 1 => {
                    let new: Vec<HeldUpdate> = (added..added + count)
                        .map(|number| update(number, &[number % people, (number + count) % people]))
                        .collect();
                    added += count;
                    if what == 0 && queues.has_room_for(workspace(1), count) {
                        hand_over(&mut queues, workspace(1), new);
                    } else {
                        journal.extend(new);
                        queues.look_at_journal(workspace(1));
                    }
                }
                2 | 3 => running.extend(queues.begin(true)),
                _ if running.is_empty() => {}
                _ => {
                    let ended = running.remove(count % running.len());
                    finish(&mut queues, &mut journal, ended);
                }
            }
        }
        loop {
            running.extend(std::iter::from_fn(|| queues.begin(true)));
            if let Some(begun) = running.pop() {
                finish(&mut queues, &mut journal, begun);
            } else {
                for number in parked.take() {
                    queues.unpark(workspace(1), number);
                }
                running.extend(queues.begin(true));
                if running.is_empty() {
                    break;
                }
            }
        }
        prop_assert_eq!(handled.len(), added);
        let mut last = HashMap::new();
        for held in &handled {
            for key in held.entry.item.order_keys() {
                let before = last.insert(key, held.entry.id);
                prop_assert!(before <= Some(held.entry.id));
            }
        }
        prop_assert_eq!(queues.waiting, 0);
    }
}
