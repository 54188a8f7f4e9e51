//! Claiming keys and taking intents back.

use domain::{
    errors::StoreError,
    sending::{
        KeyVerdict, SendState,
        ports::{KeyLog, ReserveOutcome, SendLedger},
    },
};
use futures_util::future::join_all;
use time::ext::NumericalDuration;

use crate::core_tables::world::{NOW, World, key};

fn started(begun: &[ReserveOutcome]) -> usize {
    begun.iter().filter(|begun| matches!(begun, ReserveOutcome::Started)).count()
}

#[tokio::test]
async fn of_fifty_sends_with_one_key_exactly_one_starts() {
    let world = World::new().await;
    let to = world.somebody();
    for limit in [None, Some(100)] {
        let claim = key(&format!("{limit:?}"));
        let begun = join_all((0..50).map(|_| async {
            let intent = world.notice(&to);
            world.try_begin(&intent, Some(claim), limit).await
        }));
        let begun = begun.await;
        assert_eq!(started(&begun), 1);
        for begun in begun {
            if let ReserveOutcome::KeyTaken(holder) = begun {
                assert_eq!(holder.verdict(claim.request_hash, NOW), KeyVerdict::InFlight);
            }
        }
    }
    assert_eq!(world.count("sends").await, 2, "the losers leave nothing behind");
    assert_eq!(world.count("plan_reservations").await, 1);
}

#[tokio::test]
async fn a_key_that_was_used_shows_its_send_before_and_after_it_is_settled() {
    let world = World::new().await;
    for intent in [world.notice(&world.somebody()), world.code()] {
        let claim = key(&intent.id.to_string());
        assert!(world.stores.sends.holder(world.workspace, claim.key_hash).await.unwrap().is_none());
        assert!(matches!(world.try_begin(&intent, Some(claim), None).await, ReserveOutcome::Started));

        let holder = world.stores.sends.holder(world.workspace, claim.key_hash).await.unwrap().unwrap();
        assert_eq!((holder.request_hash, holder.claimed_at), (claim.request_hash, NOW));
        assert_eq!((&holder.entry.intent, holder.entry.state), (&intent, SendState::InFlight));

        let result = world.settle(&intent).await.unwrap().unwrap();
        let ReserveOutcome::KeyTaken(holder) = world.try_begin(&world.code(), Some(claim), None).await else {
            panic!("the key was free")
        };
        assert_eq!((&holder.entry.intent, holder.entry.state), (&intent, SendState::Sent(Box::new(result))));
    }
}

#[tokio::test]
async fn a_key_belongs_to_one_workspace() {
    let mut world = World::new().await;
    assert!(matches!(world.try_begin(&world.code(), Some(key("one")), None).await, ReserveOutcome::Started));
    world.workspace = world.add_workspace().await;
    assert!(world.stores.sends.holder(world.workspace, key("one").key_hash).await.unwrap().is_none());
}

#[tokio::test]
async fn an_expired_key_is_taken_over_by_one_of_twenty() {
    let world = World::new().await;
    let first = world.code();
    assert!(matches!(world.try_begin(&first, Some(key("one")), None).await, ReserveOutcome::Started));
    world.settle(&first).await.unwrap();

    let mut later = world.code();
    later.created_at = NOW + 24.hours() - 1.seconds();
    assert!(matches!(world.try_begin(&later, Some(key("one")), None).await, ReserveOutcome::KeyTaken(_)));

    let begun = join_all((0..20).map(|_| async {
        let mut intent = world.code();
        intent.created_at = NOW + 24.hours();
        world.try_begin(&intent, Some(key("one")), None).await
    }));
    assert_eq!(started(&begun.await), 1);
    assert_eq!(world.count("idempotency_keys").await, 1);
    assert_eq!(world.count("sends").await, 2);
}

#[tokio::test]
async fn a_key_whose_send_is_not_settled_is_never_taken_over() {
    let world = World::new().await;
    assert!(matches!(world.try_begin(&world.code(), Some(key("one")), None).await, ReserveOutcome::Started));
    let mut later = world.code();
    later.created_at = NOW + 300.days();
    assert!(matches!(world.try_begin(&later, Some(key("one")), None).await, ReserveOutcome::KeyTaken(_)));
}

#[tokio::test]
async fn a_key_is_forgotten_a_day_after_its_send_was_settled_and_never_before_that() {
    let world = World::new().await;
    let (settled, late, open) = (world.code(), world.code(), world.code());
    for (name, intent) in [("settled", &settled), ("late", &late), ("open", &open)] {
        assert!(matches!(world.try_begin(intent, Some(key(name)), None).await, ReserveOutcome::Started));
    }
    world.settle(&settled).await.unwrap();
    world.settle(&late).await.unwrap();
    let later = "UPDATE sends SET settled_at = $1 WHERE id = $2";
    world.execute(later, &[&(NOW + 12.hours()), &late.id.uuid()]).await;
    let other = world.add_workspace().await;

    let keys = &world.stores.sends;
    let left = async |now| {
        let before = now - 24.hours();
        for workspace in keys.workspaces_with_old_keys(before).await.unwrap() {
            assert_ne!(workspace, other, "it has none");
            assert!(!keys.forget_keys(workspace, before).await.unwrap(), "there are few");
        }
        world.count("idempotency_keys").await
    };
    assert_eq!(left(NOW + 24.hours() - 1.milliseconds()).await, 3);
    assert_eq!(left(NOW + 24.hours()).await, 2);
    assert_eq!(left(NOW + 36.hours() - 1.milliseconds()).await, 2);
    assert_eq!(left(NOW + 36.hours()).await, 1);
    assert_eq!(left(NOW + 3_000.days()).await, 1, "nobody knows what became of it");
    assert!(keys.holder(world.workspace, key("open").key_hash).await.unwrap().is_some());
    assert_eq!(world.count("sends").await, 3);
}

#[tokio::test]
async fn a_release_takes_intent_key_and_place_back() {
    let world = World::new().await;
    let intent = world.notice(&world.somebody());
    assert!(matches!(world.try_begin(&intent, Some(key("one")), Some(1)).await, ReserveOutcome::Started));
    world.stores.sends.release(world.workspace, &[intent.attempt()]).await.unwrap();
    for table in ["sends", "idempotency_keys", "plan_reservations"] {
        assert_eq!(world.count(table).await, 0, "{table}");
    }
    let again = world.notice(&world.somebody());
    assert!(matches!(world.try_begin(&again, Some(key("one")), Some(1)).await, ReserveOutcome::Started));
}

#[tokio::test]
async fn a_settled_send_is_not_released() {
    let world = World::new().await;
    let intent = world.notice(&world.somebody());
    let result = world.send(&intent).await;
    world.stores.sends.release(world.workspace, &[intent.attempt()]).await.unwrap();
    assert_eq!(world.settle(&intent).await.unwrap(), Some(result));
}

#[tokio::test]
async fn a_send_over_a_channel_of_no_workspace_is_refused() {
    let world = World::new().await;
    let mut intent = world.code();
    intent.channel = domain::ids::ChannelId::new(&*world.ids);
    let reservation = domain::sending::ports::SendReservation {
        intent,
        key: None,
        limit: None,
        turn: domain::fence::TurnEffect::None,
    };
    let refused = world.stores.sends.begin(world.workspace, &reservation).await;
    assert!(matches!(refused, Err(StoreError::Internal(_))), "{refused:?}");
}

#[tokio::test]
async fn a_send_that_cannot_begin_stops_none_of_those_that_begin_with_it() {
    let world = World::new().await;
    let mut intents: Vec<_> = (0..30).map(|_| world.code()).collect();
    intents[3].channel = domain::ids::ChannelId::new(&*world.ids);
    let begun = join_all(intents.iter().enumerate().map(|(index, intent)| {
        let claim = Some(key(&if index == 3 { "its own".to_owned() } else { format!("key {}", index / 2) }));
        let reservation = domain::sending::ports::SendReservation {
            intent: intent.clone(),
            key: claim,
            limit: None,
            turn: domain::fence::TurnEffect::None,
        };
        let stores = world.stores.clone();
        async move { stores.sends.begin(reservation.intent.workspace, &reservation).await }
    }));
    let begun = begun.await;
    assert_eq!(begun.iter().filter(|begun| begun.is_err()).count(), 1);
    let begun: Vec<_> = begun.into_iter().flatten().collect();
    assert_eq!(started(&begun), 15, "one for each key");
    assert_eq!((world.count("sends").await, world.count("idempotency_keys").await), (15, 15));
}

#[tokio::test]
async fn an_id_is_begun_once_until_it_is_taken_back_and_an_older_try_takes_no_newer_one_back() {
    let world = World::new().await;
    for limit in [None, Some(100)] {
        let first = world.notice(&world.somebody());
        let mut second = first.clone();
        second.created_at += 5.seconds();
        assert!(matches!(world.try_begin(&first, None, limit).await, ReserveOutcome::Started));
        assert!(matches!(world.try_begin(&second, None, limit).await, ReserveOutcome::AlreadyReserved));
        // Others that are begun with it begin.
        let others: Vec<_> = (0..9).map(|_| world.notice(&world.somebody())).collect();
        let together = others.iter().chain([&second]).map(|intent| world.try_begin(intent, None, limit));
        assert_eq!(started(&join_all(together).await), 9, "{limit:?}");

        let take_back =
            async || world.stores.sends.release(world.workspace, &[first.attempt()]).await.unwrap();
        assert_eq!(take_back().await, [first.attempt()]);
        assert!(matches!(world.try_begin(&second, None, limit).await, ReserveOutcome::Started));
        // A process that does not know of the release tries again.
        assert_eq!(take_back().await, []);
        assert!(world.settle(&second).await.unwrap().is_some(), "{limit:?}");
    }
}

#[tokio::test]
async fn a_send_that_is_begun_again_by_its_id_and_its_key_hears_what_became_of_it() {
    let world = World::new().await;
    for (name, limit) in [("prepared\n1", None), ("prepared\n2", Some(100))] {
        let first = world.notice(&world.somebody());
        let mut second = first.clone();
        second.created_at += 10.seconds();
        let (claim, began) = (Some(key(name)), first.created_at);
        assert!(matches!(world.try_begin(&first, claim, limit).await, ReserveOutcome::Started));
        let holder = async |begun| match begun {
            ReserveOutcome::KeyTaken(holder) => holder,
            other => panic!("{other:?}"),
        };
        let held = holder(world.try_begin(&second, claim, limit).await).await;
        let verdict = |at| held.verdict(key(name).request_hash, at);
        assert!(matches!(verdict(began + 10.seconds()), KeyVerdict::InFlight), "{limit:?}");
        let unknown = verdict(began + 61.seconds());
        assert!(
            matches!(unknown, KeyVerdict::OutcomeUnknown { id, since } if (id, since) == (first.id, began))
        );
        // Others that are begun with it begin.
        let others: Vec<_> = (0..9).map(|_| world.notice(&world.somebody())).collect();
        let others = others.iter().map(|intent| (intent, None));
        let together =
            others.chain([(&second, claim)]).map(|(intent, key)| world.try_begin(intent, key, limit));
        assert_eq!(started(&join_all(together).await), 9, "{limit:?}");

        assert!(world.settle(&first).await.unwrap().is_some(), "{limit:?}");
        let held = holder(world.try_begin(&second, claim, limit).await).await;
        let sent = held.verdict(key(name).request_hash, began + 61.seconds());
        assert!(matches!(sent, KeyVerdict::Replay(_)), "{limit:?}");
    }
}
