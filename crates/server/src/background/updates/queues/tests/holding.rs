//! Tests of which process holds updates, and of updates that keep their places.

use domain::inbound::HandedOver;

use super::{
    super::{TakenUp, Work, WorkspaceQueues, workspace_queue::OLD},
    begin, hand_over, holding, numbers, take_up, update, workspace,
};

#[test]
fn what_keeps_its_place_holds_up_what_follows_it_and_nothing_else() {
    let mut queues = holding([1]);
    hand_over(&mut queues, workspace(1), vec![update(1, &[1]), update(2, &[2])]);
    let (begun, _) = begin(&mut queues);
    let number = queues.park(&begun, vec![update(1, &[1])]);
    queues.end(&begun, true);
    hand_over(&mut queues, workspace(1), vec![update(3, &[1, 3]), update(4, &[3]), update(5, &[2])]);
    let (begun, work) = begin(&mut queues);
    assert_eq!(numbers(work), [5]);
    queues.end(&begun, true);
    assert!(queues.begin(true).is_none());
    queues.unpark(workspace(1), number);
    assert_eq!(numbers(begin(&mut queues).1), [1, 3, 4]);
}

#[test]
fn what_another_node_has_journaled_comes_before_what_was_acknowledged_after_it() {
    let mut queues = holding([1]);
    let later = HandedOver { updates: vec![update(2, &[1])], holder: 0, behind: true };
    queues.hand_over(workspace(1), later);
    let (begun, work) = begin(&mut queues);
    assert_eq!(work, Work::TakeUp);
    take_up(&mut queues, &begun, vec![update(1, &[1])], false);
    queues.end(&begun, true);
    assert_eq!(numbers(begin(&mut queues).1), [1, 2]);
}

#[test]
fn others_are_told_of_what_they_work_off() {
    let mut queues = WorkspaceQueues::default();
    assert!(!queues.posted(workspace(1)), "nobody knows yet");
    let (begun, _) = begin(&mut queues);
    assert!(queues.add_taken_up(&begun, TakenUp::Elsewhere), "what was journaled is told of");
    queues.end(&begun, true);
    assert!(!queues.has_room_for(workspace(1), 1));
    assert!(queues.posted(workspace(1)) && queues.begin(true).is_none());
    queues.heard(workspace(1));
    assert!(queues.begin(true).is_none(), "it is another's");
    queues.looked_through(Vec::new());
    assert!(!queues.posted(workspace(1)), "the other may be gone");
    assert_eq!(begin(&mut queues).1, Work::TakeUp);
}

#[test]
fn a_workspace_with_nothing_to_do_is_left_to_whoever_asks_next() {
    let mut queues = holding([1]);
    for _ in 1..OLD {
        queues.looked_through(Vec::new());
        assert!(queues.begin(true).is_none());
    }
    hand_over(&mut queues, workspace(1), vec![update(1, &[1])]);
    let (handling, _) = begin(&mut queues);
    queues.looked_through(Vec::new());
    assert!(queues.begin(true).is_none(), "something is in queue");
    queues.end(&handling, true);
    let (begun, work) = begin(&mut queues);
    assert_eq!(work, Work::LetGo);
    assert!(!queues.has_room_for(workspace(1), 1));
    hand_over(&mut queues, workspace(1), vec![update(2, &[2])]);
    queues.end(&begun, true);
    assert_eq!(begin(&mut queues).1, Work::TakeUp, "what came meanwhile is in the journal");
}

#[test]
fn of_what_was_held_before_the_session_was_lost_nothing_is_handled() {
    let mut queues = WorkspaceQueues::default();
    queues.begin_holding(7);
    queues.look_at_journal(workspace(1));
    let (begun, _) = begin(&mut queues);
    take_up(&mut queues, &begun, vec![update(1, &[1]), update(2, &[2])], true);
    queues.end(&begun, true);
    let (handling, _) = begin(&mut queues);
    queues.drop_all();
    queues.park(&handling, vec![update(1, &[1])]);
    queues.end(&handling, true);
    assert!(queues.begin(true).is_none());
    queues.begin_holding(8);
    let late = HandedOver { updates: vec![update(3, &[3])], holder: 7, behind: false };
    queues.hand_over(workspace(1), late);
    assert_eq!(begin(&mut queues).1, Work::TakeUp, "it is found in the journal");
}
