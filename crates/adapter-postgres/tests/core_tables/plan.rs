//! The plan's limit is exact.

use domain::sending::ports::{ReserveOutcome, SendLedger};
use futures_util::future::join_all;

use crate::core_tables::world::World;

#[tokio::test]
async fn the_limit_is_exact_under_fifty_sends_to_fifty_people() {
    let world = World::new().await;
    let customers = world.send(&world.notice(&world.somebody())).await;
    assert!(customers.contact.is_some());
    let begun = join_all((0..50).map(|_| async {
        let intent = world.notice(&world.somebody());
        let begun = world.try_begin(&intent, None, Some(10)).await;
        (intent, begun)
    }));
    let (mut started, mut refused) = (Vec::new(), 0);
    for (intent, begun) in begun.await {
        match begun {
            ReserveOutcome::Started => started.push(intent),
            ReserveOutcome::PlanLimitReached => refused += 1,
            ReserveOutcome::KeyTaken(_)
            | ReserveOutcome::FileTaken
            | ReserveOutcome::Outdated
            | ReserveOutcome::AlreadyReserved => panic!("there is no key and no file, and each id is new"),
        }
    }
    assert_eq!((started.len(), refused), (9, 41));

    // Recorded, they are active: the places are as many as before.
    for intent in &started {
        world.settle(intent).await.unwrap();
    }
    assert_eq!(world.count("plan_reservations").await, 0);
    assert_eq!(world.count("contacts WHERE active_month = '2026-11-01'").await, 10);
    let refused = world.try_begin(&world.notice(&world.somebody()), None, Some(10)).await;
    assert!(matches!(refused, ReserveOutcome::PlanLimitReached));
    assert_eq!(world.count("sends").await, 10, "what is refused leaves nothing behind");
}

#[tokio::test]
async fn sends_and_their_recording_at_once_do_not_exceed_the_limit() {
    let world = World::new().await;
    let people: Vec<_> = (0..10).map(|_| world.somebody()).collect();
    let sends = people.iter().cycle().take(40).map(|to| async {
        let intent = world.notice(to);
        if let ReserveOutcome::Started = world.try_begin(&intent, None, Some(4)).await {
            world.settle(&intent).await.unwrap();
        }
    });
    join_all(sends).await;
    assert_eq!(world.count("contacts WHERE active_month IS NOT NULL").await, 4);
}

#[tokio::test]
async fn several_sends_to_one_person_take_one_place_until_the_last_is_released() {
    let world = World::new().await;
    let to = world.somebody();
    let (one, other) = (world.notice(&to), world.notice(&to));
    for intent in [&one, &other] {
        assert!(matches!(world.try_begin(intent, None, Some(1)).await, ReserveOutcome::Started));
    }
    let somebody_else = world.notice(&world.somebody());
    world.stores.sends.release(world.workspace, &[one.attempt()]).await.unwrap();
    assert!(matches!(world.try_begin(&somebody_else, None, Some(1)).await, ReserveOutcome::PlanLimitReached));
    world.stores.sends.release(world.workspace, &[other.attempt()]).await.unwrap();
    assert!(matches!(world.try_begin(&somebody_else, None, Some(1)).await, ReserveOutcome::Started));
}

#[tokio::test]
async fn somebody_active_takes_no_place_and_somebody_of_last_month_takes_one() {
    let world = World::new().await;
    let to = world.somebody();
    world.send(&world.notice(&to)).await;
    assert!(matches!(world.try_begin(&world.notice(&to), None, Some(0)).await, ReserveOutcome::Started));
    assert_eq!(world.count("plan_reservations").await, 0);

    world.execute("UPDATE contacts SET active_month = '2026-10-01'", &[]).await;
    assert!(matches!(
        world.try_begin(&world.notice(&to), None, Some(0)).await,
        ReserveOutcome::PlanLimitReached
    ));
    assert!(matches!(world.try_begin(&world.notice(&to), None, Some(1)).await, ReserveOutcome::Started));
}

#[tokio::test]
async fn without_a_limit_nothing_of_the_plan_is_touched() {
    let world = World::new().await;
    world.begin(&world.notice(&world.somebody())).await;
    world.send(&world.code()).await;
    assert_eq!(world.count("plan_reservations").await, 0);
    assert_eq!(world.count("contacts").await, 0);
}
