//! The dispatcher over a queue in memory, with time moved by hand.
#![expect(clippy::unwrap_used, reason = "what a test's set-up needs is there, or the test fails")]

mod world;

use std::{collections::BTreeMap, time::Duration};

use adapter_webhooks::DispatcherConfig;
use domain::webhooks::{Failure, NextStep};
use time::ext::NumericalDuration;

use self::world::{Answer, MemoryQueue, START, World, address, workspace};

const CONFIG: DispatcherConfig =
    DispatcherConfig { batch: 4, in_flight: 8, stalled: 64, in_hand: 64, scan_every: Duration::from_secs(5) };
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn what_is_due_at_the_start_is_delivered_without_a_wake() {
    let queue = MemoryQueue::default();
    let owed = queue.enqueue(workspace(1), address(1), 1);
    let world = World::start(queue, CONFIG);
    world.settle().await;
    let records = world.queue.records();
    assert_eq!(records.len(), 1);
    assert!(records.iter().all(|record| record.leased.id == owed[0] && record.outcome == Ok(200)));
}

#[tokio::test]
async fn a_wake_delivers_before_the_next_scan() {
    let world = World::start(MemoryQueue::default(), CONFIG);
    world.pass(SECOND).await;
    world.queue.enqueue(workspace(1), address(1), 1);
    world.settle().await;
    assert_eq!(world.receivers.calls(), []);
    for _ in 0..100 {
        world.wake.wake(workspace(1));
    }
    world.settle().await;
    assert_eq!(world.receivers.calls().len(), 1);
    assert_eq!(world.queue.records().len(), 1);
}

#[tokio::test]
async fn a_failed_attempt_is_made_again_when_its_minute_is_over() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 1);
    let world = World::start(queue, CONFIG);
    world.receivers.answer(address(1), Answer::Status(500));
    world.pass(59 * SECOND).await;
    assert_eq!(world.receivers.calls().len(), 1);
    world.receivers.answer(address(1), Answer::Status(204));
    world.pass(6 * SECOND).await;
    let next_steps: Vec<NextStep> = world.queue.records().iter().map(|record| record.next_step).collect();
    assert_eq!(next_steps, [NextStep::RetryAt(START + 1.minutes()), NextStep::Delivered]);
    world.pass(2 * MINUTE).await;
    assert_eq!(world.receivers.calls().len(), 2);
}

#[tokio::test]
async fn seven_attempts_over_about_an_hour_and_then_no_more() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 1);
    let world = World::start(queue, CONFIG);
    world.receivers.answer(address(1), Answer::Status(500));
    world.pass(80 * MINUTE).await;
    let at: Vec<_> = world.receivers.calls().iter().map(|(at, _)| *at).collect();
    let gaps: Vec<i64> = at.windows(2).map(|pair| (pair[1] - pair[0]).whole_seconds()).collect();
    assert_eq!(gaps.len(), 6);
    for (gap, minutes) in gaps.into_iter().zip([1, 2, 4, 8, 16, 32]) {
        // The delay that a scan may add.
        assert!((minutes * 60..=minutes * 60 + 5).contains(&gap), "{gap} s where {minutes} min were due");
    }
    let records = world.queue.records();
    assert!(records.iter().map(|record| record.leased.attempt).eq(1..=7));
    assert_eq!(records.last().unwrap().next_step, NextStep::Failed);
}

#[tokio::test]
async fn an_address_that_hangs_delays_neither_its_neighbour_nor_another_workspace() {
    let queue = MemoryQueue::default();
    let stuck = queue.enqueue(workspace(1), address(1), 100);
    queue.enqueue(workspace(1), address(2), 200);
    queue.enqueue(workspace(2), address(3), 200);
    let world = World::start(queue, CONFIG);
    world.receivers.answer(address(1), Answer::Hangs);
    // For half a second each of its attempts holds a slot like any other.
    world.pass(2 * SECOND).await;
    assert_eq!(world.queue.records().len(), 400, "the neighbours are through before it has failed once");
    let called = world.receivers.calls().into_iter().filter(|(_, id)| stuck.contains(id)).count();
    assert_eq!(called, 2, "what an address may have under way before it has answered once");

    world.pass(Duration::from_mins(1)).await;
    let records = world.queue.records();
    let timeouts = records.iter().filter(|record| record.outcome == Err(Failure::Timeout));
    assert!(timeouts.clone().all(|record| record.duration_ms == 10_000));
    // Silence widens no address: it has two attempts under way at a time, ten seconds each.
    let count = timeouts.count();
    assert!((10..=12).contains(&count), "{count} attempts timed out");
}

#[tokio::test]
async fn what_this_machine_cannot_attempt_waits_and_is_not_counted() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 100);
    queue.enqueue(workspace(2), address(2), 100);
    let world = World::start(queue, CONFIG);
    world.receivers.answer(address(1), Answer::NotAsked);
    world.receivers.answer(address(2), Answer::NotAsked);
    world.pass(30 * SECOND).await;
    assert!(world.queue.records().is_empty());
    let tries = world.receivers.calls().len();
    assert!((15..=31 * CONFIG.in_flight).contains(&tries), "{tries} tries, a pause after each few");

    world.receivers.answer(address(1), Answer::Status(200));
    world.receivers.answer(address(2), Answer::Status(200));
    world.pass(10 * SECOND).await;
    let records = world.queue.records();
    assert_eq!(records.len(), 200);
    assert!(records.iter().all(|record| record.leased.attempt == 1));
}

#[tokio::test]
async fn many_addresses_that_hang_take_nothing_from_one_that_answers() {
    let queue = MemoryQueue::default();
    for number in 1..=20 {
        queue.enqueue(workspace(number), address(number), 50);
    }
    let world = World::start(queue, DispatcherConfig { in_hand: 4_096, ..CONFIG });
    for number in 1..=20 {
        world.receivers.answer(address(number), Answer::Hangs);
    }
    world.pass(9 * SECOND).await;
    let owed = world.queue.enqueue(workspace(21), address(21), 1);
    world.wake.wake(workspace(21));
    world.settle().await;
    let records = world.queue.records();
    assert_eq!(records.iter().filter(|record| record.leased.id == owed[0]).count(), 1);
    // The stalled attempts, the slots, and one of each unknown address.
    assert!(world.receivers.most_under_way() <= 64 + 8 + 20);
}

#[tokio::test]
async fn a_burst_of_one_workspace_does_not_delay_a_single_event_of_another() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 20_000);
    let world = World::start(queue, DispatcherConfig { batch: 500, in_hand: 2_048, ..CONFIG });
    for _ in 0..40 {
        tokio::task::yield_now().await;
    }
    let owed = world.queue.enqueue(workspace(2), address(2), 1);
    let before = world.receivers.calls().len();
    world.wake.wake(workspace(2));
    world.settle().await;
    let calls = world.receivers.calls();
    let place = calls.iter().position(|(_, id)| *id == owed[0]).unwrap();
    assert!(place - before < 1_024, "{} others came first", place - before);
}

#[tokio::test]
async fn what_waited_too_long_for_its_turn_is_given_back_and_never_sent_twice_at_once() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 40);
    let world = World::start(queue, DispatcherConfig { batch: 100, ..CONFIG });
    world.receivers.answer(address(1), Answer::After(9));
    world.pass(Duration::from_mins(1)).await;
    let calls = world.receivers.calls();
    let mut times: BTreeMap<_, usize> = BTreeMap::new();
    for (_, delivery) in &calls {
        *times.entry(delivery).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "{times:?}");
    assert_eq!(times.len(), 40);
}

#[tokio::test]
async fn workspaces_take_turns_a_batch_at_a_time() {
    let queue = MemoryQueue::default();
    for number in [1, 2, 3] {
        queue.enqueue(workspace(number), address(number), 8);
    }
    let world = World::start(queue, CONFIG);
    world.settle().await;
    let turns = world.queue.kept().claims.clone();
    let served = |number| turns.iter().filter(|turn| **turn == workspace(number)).count();
    assert_eq!([1, 2, 3].map(served), [2, 2, 2]);
    // Two claims are under way at once, so one workspace may come back before the third has been served.
    assert!([1, 2, 3].into_iter().all(|number| turns[..4].contains(&workspace(number))), "{turns:?}");
    assert_eq!(world.queue.records().len(), 24);
}

#[tokio::test]
async fn attempts_under_way_are_bounded_over_all_addresses() {
    let queue = MemoryQueue::default();
    for number in 1..=6 {
        queue.enqueue(workspace(number), address(number), 10);
    }
    let world = World::start(queue, CONFIG);
    for number in 1..=6 {
        world.receivers.answer(address(number), Answer::After(1));
    }
    world.pass(10 * SECOND).await;
    assert_eq!(world.receivers.most_under_way(), 8);
    assert_eq!(world.queue.records().len(), 60);
}

#[tokio::test]
async fn results_are_written_in_batches_of_one_workspace() {
    let queue = MemoryQueue::default();
    for number in 1..=4 {
        queue.enqueue(workspace(1), address(number), 2);
    }
    queue.enqueue(workspace(2), address(5), 2);
    let world = World::start(queue, DispatcherConfig { in_flight: 16, batch: 8, ..CONFIG });
    for number in 1..=5 {
        world.receivers.answer(address(number), Answer::After(1));
    }
    world.pass(SECOND).await;
    let kept = world.queue.kept();
    let sizes: Vec<_> = kept.recorded.iter().map(|(workspace, batch)| (*workspace, batch.len())).collect();
    assert_eq!(sizes, [(workspace(1), 8), (workspace(2), 2)]);
}

#[tokio::test]
async fn a_result_that_the_store_refuses_takes_no_other_with_it() {
    let queue = MemoryQueue::default();
    let owed = queue.enqueue(workspace(1), address(1), 4);
    queue.kept().poisoned = Some(owed[1]);
    let world = World::start(queue, DispatcherConfig { in_flight: 16, ..CONFIG });
    world.receivers.answer(address(1), Answer::After(1));
    // Two at a time.
    world.pass(2 * SECOND).await;
    let mut recorded: Vec<_> = world.queue.records().iter().map(|record| record.leased.id).collect();
    recorded.sort_unstable();
    assert_eq!(recorded, [owed[0], owed[2], owed[3]]);
}

#[tokio::test]
async fn a_store_that_is_down_is_asked_seldom_and_results_wait_for_it() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 1);
    let world = World::start(queue, CONFIG);
    world.receivers.answer(address(1), Answer::After(2));
    world.settle().await;
    world.queue.kept().is_down = true;
    world.wake.wake(workspace(2));
    world.pass(10 * SECOND).await;
    let in_vain = world.queue.kept().calls_in_vain;
    assert!((3..=12).contains(&in_vain), "{in_vain}");
    assert!(world.queue.records().is_empty());

    world.queue.kept().is_down = false;
    world.pass(20 * SECOND).await;
    assert_eq!(world.queue.records().len(), 1);
    assert_eq!(world.receivers.calls().len(), 1);
}

#[tokio::test]
async fn stopping_starts_nothing_more_and_records_what_is_under_way() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 3);
    queue.enqueue(workspace(1), address(2), 1);
    let world = World::start(queue, DispatcherConfig { in_flight: 3, ..CONFIG });
    world.receivers.answer(address(1), Answer::Hangs);
    world.receivers.answer(address(2), Answer::After(3));
    world.settle().await;
    world.stop();
    world.queue.enqueue(workspace(2), address(3), 1);
    world.wake.wake(workspace(2));
    world.pass(9 * SECOND).await;
    assert!(!world.has_stopped());
    world.pass(SECOND).await;
    assert!(world.has_stopped());

    let outcomes: Vec<_> = world.queue.records().into_iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [Ok(200), Err(Failure::Timeout), Err(Failure::Timeout)]);
    assert_eq!(world.receivers.calls().len(), 3, "the third for the first address was not begun");
}

#[tokio::test]
async fn stopping_does_not_wait_for_a_store_that_is_down() {
    let queue = MemoryQueue::default();
    queue.enqueue(workspace(1), address(1), 1);
    let world = World::start(queue, CONFIG);
    world.receivers.answer(address(1), Answer::After(1));
    world.settle().await;
    world.queue.kept().is_down = true;
    world.pass(SECOND).await;
    world.stop();
    world.settle().await;
    assert!(world.has_stopped());
}
