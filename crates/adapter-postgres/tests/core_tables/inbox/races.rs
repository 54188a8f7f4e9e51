//! Several nodes at once.

use domain::inbound::UpdateOutcome;
use futures_util::future::join_all;

use super::{SARA, number, user, wrote};
use crate::core_tables::world::{NOW, World};

#[tokio::test]
async fn twenty_messages_of_a_stranger_on_three_nodes_at_once_make_one_conversation() {
    let world = World::new().await;
    let nodes = [world.stores.clone(), world.other_node(), world.other_node()];
    let calls = (0..20).map(|n| {
        let update = wrote(&[number(SARA), user("IQ.1")], &format!("wamid.{n}"));
        world.record_over(&nodes[n % 3], vec![(world.channel, update)], NOW)
    });
    let mut left =
        join_all(calls).await.into_iter().flatten().filter(|one| *one != UpdateOutcome::Finished).count();
    // Updates that lost too often stay in the journal and are claimed again; none is lost.
    let entries = world.count("journal").await;
    assert_eq!(i64::try_from(left).unwrap(), entries);
    if left > 0 {
        let again = (0..20).map(|n| wrote(&[number(SARA), user("IQ.1")], &format!("wamid.{n}"))).collect();
        left = world.record(again).await.into_iter().filter(|one| *one != UpdateOutcome::Finished).count();
    }
    assert_eq!(left, 0);
    assert_eq!((world.count("contacts").await, world.count("conversations").await), (1, 1));
    assert_eq!(world.count("messages").await, 20);
}

#[tokio::test]
async fn the_same_batch_on_two_nodes_at_once_is_recorded_once() {
    let world = World::new().await;
    let other = world.other_node();
    let batch = || {
        let people =
            (0..10).map(|n| (world.channel, wrote(&[number(&format!("+964770000010{n}"))], &format!("{n}"))));
        people.collect::<Vec<_>>()
    };
    let both = [world.record_over(&world.stores, batch(), NOW), world.record_over(&other, batch(), NOW)];
    for outcomes in join_all(both).await {
        assert!(outcomes.iter().all(|outcome| *outcome == UpdateOutcome::Finished), "{outcomes:?}");
    }
    assert_eq!((world.count("contacts").await, world.count("messages").await), (10, 10));
}

#[tokio::test]
async fn a_conversation_that_closes_between_reading_and_recording_is_decided_again() {
    let world = World::new().await;
    world.record(vec![wrote(&[number(SARA)], "wamid.1")]).await;
    let close = "UPDATE conversations SET status = 'closed', version = version + 1";
    let recording = world.record(vec![wrote(&[number(SARA)], "wamid.2")]);
    let closing = world.execute(close, &[]);
    let (outcomes, ()) = futures_util::future::join(recording, closing).await;
    assert_eq!(outcomes, [UpdateOutcome::Finished]);
    assert_eq!(world.count("messages").await, 2);
    // Whichever came first: a message after the closing has reopened it, one before has not.
    assert_eq!(world.count("conversations WHERE (status, version) IN (('bot', 4), ('closed', 3))").await, 1);
}
