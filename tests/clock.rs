//! Nodes whose machines have a wrong clock: the database's time counts, and they take up no work.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::support::{Api, Service, World, command, eventually, serve_by};

const HOUR: i64 = 3_600;

/// The machine's clock, wrong by a number of seconds.
#[derive(Default)]
struct WrongClock(AtomicI64);

impl WrongClock {
    fn ahead(seconds: i64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(seconds)))
    }

    fn jump(&self, seconds: i64) {
        self.0.store(seconds, Ordering::Relaxed);
    }
}

#[async_trait]
impl Clock for WrongClock {
    fn now(&self) -> OffsetDateTime {
        SystemClock.now() + time::Duration::seconds(self.0.load(Ordering::Relaxed))
    }

    async fn sleep(&self, duration: Duration) {
        SystemClock.sleep(duration).await;
    }
}

fn notice(number: usize) -> Value {
    json!({
        "to": format!("0770 123 45{number:02}"), "template": "order_ready", "language": "ar",
        "variables": ["سارة", format!("A-{number}")],
    })
}

/// What `/readyz` answers, with its status.
async fn readiness(admin_url: &str) -> (u16, String) {
    let answer = Api::new(admin_url, "").bare(Method::GET, "/readyz").send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

/// Waits until the node is ready, or until it is not since its clock is wrong.
async fn until_ready(admin_url: &str, is_ready: bool) {
    eventually("its readiness", async || match readiness(admin_url).await {
        (200, _) => is_ready.then_some(()),
        (503, reason) if reason.contains("this machine's clock is ") => (!is_ready).then_some(()),
        answer => panic!("{answer:?}"),
    })
    .await;
}

/// Asserts that this is about now, by the right clock.
#[track_caller]
fn assert_about_now(at: &str) {
    let at = OffsetDateTime::parse(at, &Rfc3339).unwrap();
    assert!((at - SystemClock.now()).abs() < time::Duration::MINUTE, "{at}");
}

/// Has each node send messages, and returns once all were reported, each exactly once.
async fn send_and_hear(world: &World, nodes: &[&str], numbers: std::ops::Range<usize>) {
    let mut sent = BTreeSet::new();
    for (node, number) in nodes.iter().cycle().zip(numbers) {
        let answer = Api::new(node, &world.key).send_once(&number.to_string(), &notice(number)).await;
        assert_eq!(answer.status, 201, "{:?}", answer.body);
        assert_about_now(answer.text("/message/createdAt"));
        let (seconds, _) =
            answer.text("/id").parse::<uuid::Uuid>().unwrap().get_timestamp().unwrap().to_unix();
        assert!(SystemClock.now().unix_timestamp().abs_diff(seconds.cast_signed()) < 60, "{:?}", answer.body);
        sent.insert(answer.text("/id").to_owned());
    }
    let mut told = BTreeSet::new();
    while !sent.is_empty() {
        let event = world.receiver.next().await;
        assert!(told.insert(event.text("/id").to_owned()), "told twice: {}", event.body);
        assert_about_now(event.text("/createdAt"));
        if event.kind() == "message.sent" {
            sent.remove(event.text("/data/message/id"));
        }
    }
    for event in world.receiver.rest().await {
        assert!(told.insert(event.text("/id").to_owned()), "told twice: {}", event.body);
    }
}

#[tokio::test]
async fn a_node_that_is_two_hours_ahead_stamps_and_doubles_nothing_and_works_once_it_is_right() {
    let mut world = World::new().await;
    let clock = WrongClock::ahead(2 * HOUR);
    let other = serve_by(&world.secrets, clock.clone()).await;
    let (status, reason) = readiness(&other.admin_url).await;
    assert!(status == 503 && reason.contains("ahead of the database's"), "{status}: {reason}");
    assert_eq!(readiness(world.service.admin_url()).await.0, 200);
    let right = world.service.base_url().to_owned();
    send_and_hear(&world, &[&right, &other.base_url], 10..30).await;

    // Put right, it takes work up, though nobody else is there.
    clock.jump(0);
    until_ready(&other.admin_url, true).await;
    world.service.kill();
    send_and_hear(&world, &[&other.base_url], 30..35).await;

    // While it runs, a clock may jump as well.
    clock.jump(-2 * HOUR);
    until_ready(&other.admin_url, false).await;
    clock.jump(2);
    until_ready(&other.admin_url, true).await;
    send_and_hear(&world, &[&other.base_url], 35..40).await;
    other.stop().await;
}

/// Returns the library that gives a program another clock, if it is installed.
#[expect(clippy::print_stdout, reason = "whoever runs the tests reads what they leave out")]
fn faketime() -> Option<String> {
    let found = chaos::faketime();
    if found.is_none() {
        println!("left out: libfaketime is not installed");
    }
    found.as_deref().and_then(Path::to_str).map(str::to_owned)
}

#[tokio::test]
async fn the_program_under_a_clock_that_is_forty_days_ahead_drops_nothing_and_says_so_once() {
    let Some(library) = faketime() else { return };
    let world = World::new().await;
    send_and_hear(&world, &[world.service.base_url()], 10..15).await;
    let rows = world.rows().await;
    let logged = async || -> BTreeSet<String> {
        rows.texts("SELECT id::text FROM delivery_log").await.into_iter().collect()
    };
    let before = logged().await;
    assert!(before.len() >= 5, "{before:?}");
    let mut serve = command(&world.secrets);
    serve.arg("serve");
    let ahead = [
        ("LD_PRELOAD", library.as_str()),
        ("FAKETIME", "+40d"),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ("NO_FAKE_STAT", "1"),
    ];
    let node = Service::start_as(serve, &ahead).await;
    let (status, reason) = readiness(node.admin_url()).await;
    assert_eq!(status, 503, "{reason}");
    // By now the log is kept, and all else that begins with the process has begun.
    tokio::time::sleep(Duration::from_secs(3)).await;
    // What the network tells meanwhile is logged besides.
    let after = logged().await;
    assert!(before.is_subset(&after), "{before:?}, and then {after:?}");
    let metrics = Api::new(node.admin_url(), "").bare(Method::GET, "/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    let offset = metrics.lines().find_map(|line| line.strip_prefix("messaging_clock_offset_seconds "));
    let offset: f64 = offset.unwrap().parse().unwrap();
    assert!((offset - 40.0 * 86_400.0).abs() < 5.0, "{offset}");
    let lines = node.log().iter().filter(|line| line.contains("this machine's clock")).count();
    assert_eq!(lines, 1, "{:?}", node.log());
}
