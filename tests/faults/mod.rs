//! What goes wrong around deliveries: every event arrives at least once, none is lost, and the log says what
//! happened. The program itself, a real PostgreSQL, receivers on loopback.

mod books;
mod scene;

use std::{collections::BTreeSet, time::Duration};

use adapter_webhooks::signature::{self, SignatureProblem};
use domain::clock::Clock;
use local_postgres::Cluster;
use server::system::SystemClock;

use self::{
    books::{Manner, Post},
    scene::{Scene, crash_of},
};
use crate::support::{Service, eventually, local_client};

#[tokio::test]
async fn a_service_killed_twenty_times_in_mid_burst_loses_nothing() {
    const ROUNDS: usize = 20;
    const BURST: usize = 30;
    let scene = Scene::set(3, Manner::Status(200)).await;
    for round in 0..ROUNDS {
        scene.owe(BURST).await;
        let before = scene.books.posts();
        let mut service = Service::start(&scene.secrets).await;
        // Each time at another place: before the first, amid them, after the last.
        let some = round * (BURST + 2) / ROUNDS;
        eventually("some of the burst", async || (scene.books.posts() >= before + some).then_some(())).await;
        service.kill();
    }
    scene.settle().await;
    scene.assert_all_delivered(ROUNDS * BURST).await;
}

#[tokio::test]
async fn a_database_that_restarts_in_mid_burst_costs_repeats_and_loses_nothing() {
    const ROUNDS: usize = 3;
    const BURST: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let options = local_postgres::Options { durable: true, ..local_postgres::Options::new(folder.path()) };
    let cluster = tokio::task::spawn_blocking(move || Cluster::start(&options)).await.unwrap().unwrap();
    let url = local_postgres::create_database(&cluster.admin_url(), "faults", None).await.unwrap();
    adapter_postgres::migrate(&url, &tls_trust::Trust::default(), |_| ()).await.unwrap();
    let scene = Scene::over(&url, 2, Manner::Status(200)).await;
    for round in 1..=ROUNDS {
        scene.owe(BURST).await;
        let before = scene.books.posts();
        let _service = Service::start(&scene.secrets).await;
        let some = before + BURST * round / (ROUNDS + 1);
        eventually("some of the burst", async || (scene.books.posts() >= some).then_some(())).await;
        crash_of(&scene.secrets.database_url).await;
        // The same process goes on: what it sends now, it has claimed from the restarted database.
        scene.owe(1).await;
        let distinct = scene.owed();
        eventually("the rest", async || (scene.books.ids().len() == distinct).then_some(())).await;
    }
    scene.settle().await;
    scene.assert_all_delivered(ROUNDS * (BURST + 1)).await;
    drop(scene);
    cluster.stop().unwrap();
}

#[tokio::test]
async fn a_connection_cut_in_the_middle_is_a_failure_and_the_delivery_comes_again() {
    let scene = Scene::set(1, Manner::Status(200)).await;
    scene.owe(3).await;
    for (attempt, manner) in (1..).zip([Manner::CutRequest, Manner::CutAnswer, Manner::NoAnswer]) {
        scene.books.behave(manner);
        assert_eq!(scene.turn().await, 3);
        for (id, state, attempts) in scene.log().await {
            assert_eq!((state.as_str(), attempts.len()), ("pending", attempt), "{id}");
            let last = attempts.last().unwrap();
            assert_eq!(last, "the connection broke or the answer was not HTTP", "{manner:?}");
        }
        scene.pass(Duration::from_mins(10));
    }
    scene.books.behave(Manner::Status(200));
    scene.settle().await;
    scene.assert_all_delivered(3).await;
}

/// The attempts of an hour: at once, then after gaps of 1, 2, 4, 8, 16 and 32 minutes, each up to a tenth
/// longer.
#[tokio::test]
async fn a_receiver_that_is_down_for_fifty_minutes_gets_everything() {
    let mut scene = Scene::set(2, Manner::Status(200)).await;
    scene.owe(60).await;
    scene.books.go_down().await;
    scene.live_through(50).await;
    assert_eq!(scene.books.posts(), 0);
    for (id, state, attempts) in scene.log().await {
        let refused = ["the connection was refused"; 6];
        assert_eq!((state.as_str(), &attempts[..]), ("pending", &refused.map(str::to_owned)[..]), "{id}");
    }
    scene.books.come_up().await;
    scene.live_through(20).await;
    scene.assert_all_delivered(60).await;
    assert_eq!(scene.books.posts(), 60, "nothing came twice");
}

#[tokio::test]
async fn what_an_hour_of_attempts_did_not_deliver_is_delivered_once_its_owner_says_so() {
    let mut scene = Scene::set(1, Manner::Status(200)).await;
    let began = scene.now();
    scene.owe(60).await;
    scene.books.go_down().await;
    scene.live_through(70).await;
    let reason = "50 deliveries in a row failed for good; the last: the connection was refused";
    assert_eq!(scene.health().await, format!("disabled; {reason}"));
    // What was not exhausted when the address was disabled is held.
    let log = scene.log().await;
    for (id, state, attempts) in &log {
        let (exhausted, refused) = (attempts.len() == 7, "the connection was refused");
        assert_eq!(state, if exhausted { "failed" } else { "held" }, "{id}: {attempts:?}");
        assert!(attempts.iter().all(|attempt| attempt == refused), "{id}: {attempts:?}");
    }
    let failed = log.iter().filter(|(_, state, _)| state == "failed").count();
    assert!((50..=60).contains(&failed), "{failed}");
    assert_eq!((log.len(), scene.books.posts()), (60, 0));

    scene.books.come_up().await;
    scene.operate("resume", &[]);
    scene.pass(Duration::from_mins(1));
    scene.operate("resend-window", &["--since", &began, "--until", &scene.now()]);
    let service = Service::start(&scene.secrets).await;
    eventually("all", async || (scene.books.ids().len() == 60).then_some(())).await;
    drop(service);
    scene.settle().await;
    scene.assert_all_delivered(60).await;
    assert_eq!(scene.health().await, "enabled");
}

#[tokio::test]
async fn a_rotation_under_load_stops_the_old_signatures_at_once_and_loses_nothing() {
    let mut scene = Scene::set(1, Manner::Status(200)).await;
    scene.books.trust(scene.secret());
    scene.owe(150).await;
    let service = Service::start(&scene.secrets).await;
    eventually("some", async || (scene.books.posts() >= 20).then_some(())).await;
    let [old, new] = scene.rotate(0);
    scene.books.trust(&new);
    scene.owe(50).await;
    eventually("all", async || (scene.books.ids().len() == 200).then_some(())).await;
    drop(service);
    // Those that were on their way were refused, and come again with the new signature.
    scene.settle().await;
    scene.assert_all_delivered(200).await;
    let by_id = scene.books.by_id();
    let signed_with = |secret, post: &Post| {
        let verified = signature::verify(secret, Some(&post.signature), &post.body, SystemClock.now());
        !matches!(verified, Err(SignatureProblem::Mismatch))
    };
    for id in scene.log().await.iter().skip(150).map(|(id, ..)| id) {
        assert!(by_id[id].iter().all(|post| signed_with(&new, post) && !signed_with(&old, post)), "{id}");
    }
}

#[tokio::test]
async fn while_a_rotation_overlaps_either_secret_verifies() {
    let mut scene = Scene::set(1, Manner::Status(200)).await;
    let [old, new] = scene.rotate(10);
    for secret in [&old, &new] {
        scene.books.trust(secret);
        scene.owe(3).await;
        scene.turn().await;
    }
    scene.pass(Duration::from_mins(11));
    scene.owe(3).await;
    scene.turn().await;
    scene.assert_all_delivered(9).await;
    assert_eq!(scene.books.posts(), 9, "none was refused");
    let tags = |post: &Post| post.signature.matches("v1=").count();
    let counts: Vec<usize> =
        scene.log().await.iter().map(|(id, ..)| tags(&scene.books.by_id()[id][0])).collect();
    assert_eq!(counts, [2, 2, 2, 2, 2, 2, 1, 1, 1]);
}

#[tokio::test]
async fn a_pool_of_one_connection_is_enough() {
    let scene = Scene::set(4, Manner::Status(200)).await;
    scene.owe(100).await;
    let service = Service::start_with(&scene.secrets, &[("MESSAGING_POOL_SIZE", "1")]).await;
    // Meanwhile others want the connection, too.
    let client = local_client().build().unwrap();
    let asking = async || {
        let me = format!("{}/v1/me", service.base_url());
        client.get(me).bearer_auth("msk_unknown").send().await.unwrap().status().as_u16()
    };
    while scene.books.ids().len() < 100 {
        assert_eq!(asking().await, 401);
    }
    drop(service);
    scene.settle().await;
    scene.assert_all_delivered(100).await;
}

#[tokio::test]
async fn two_nodes_never_attempt_one_delivery_at_the_same_time() {
    let scene = Scene::set(4, Manner::WhenTold).await;
    scene.owe(120).await;
    let nodes = tokio::join!(Service::start(&scene.secrets), Service::start(&scene.secrets));
    // Nobody is answered until more are under way than one node attempts of four addresses that have not
    // answered yet.
    eventually("attempts of both nodes", async || (scene.books.under_way() > 8).then_some(())).await;
    scene.books.answer_all();
    eventually("all", async || (scene.books.ids().len() == 120).then_some(())).await;
    assert_eq!(scene.books.overlaps(), BTreeSet::new(), "attempted twice at once");
    assert_eq!(scene.books.posts(), 120, "each was attempted once");
    drop(nodes);
    scene.settle().await;
    scene.assert_all_delivered(120).await;
}
