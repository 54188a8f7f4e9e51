//! What an operator does with webhook addresses by command, seen from the receiver.

use adapter_webhooks::{signature, standard};
use domain::{clock::Clock, webhooks::WebhookSecret};
use serde_json::json;
use server::system::SystemClock;

use crate::support::{Receiver, World, command, eventually};

/// An address of a world that hears of nothing but what a test sends it.
struct Address<'a> {
    world: &'a World,
    receiver: Receiver,
    id: String,
    secret: WebhookSecret,
}

impl<'a> Address<'a> {
    async fn of(world: &'a World) -> Self {
        Self::told_of(world, "lead.captured").await
    }

    /// One that hears of this event alone.
    async fn told_of(world: &'a World, event: &str) -> Self {
        let receiver = Receiver::start().await;
        let arguments = ["webhook", "add", &world.workspace, receiver.url(), "--event", event];
        let added = world.operator(&arguments);
        let part = |nth: usize| added.split_whitespace().nth(nth).unwrap().to_owned();
        Self { world, receiver, id: part(1), secret: part(2).into() }
    }

    /// A command about this address.
    fn said(&self, name: &str, more: &[&str]) -> String {
        self.world.operator(&[&["webhook", name, &self.world.workspace, &self.id], more].concat())
    }

    /// A command about something else of the workspace.
    fn said_of(&self, name: &str, id: &str) -> String {
        self.world.operator(&["webhook", name, &self.world.workspace, id])
    }

    /// The log as it is listed without its headings, once it has this many lines in that state.
    async fn log(&self, state: &str, count: usize) -> Vec<String> {
        eventually(state, async || {
            let listed = self.said("deliveries", &["--state", state]);
            let lines: Vec<String> = listed.lines().skip(1).map(str::to_owned).collect();
            (lines.len() == count).then_some(lines)
        })
        .await
    }
}

/// Returns the delivery that a line of the log is about.
fn id_of(line: &str) -> &str {
    columns(line)[1]
}

/// When it was made, its id, event and state, how often it was tried, and when it is next.
fn columns(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[tokio::test]
async fn what_happens_while_an_address_is_paused_is_held_and_sent_by_itself_or_with_its_window() {
    let world = World::new().await;
    let address = Address::told_of(&world, "message.sent").await;
    address.receiver.answer_with(500);
    let notice = json!({ "to": "0770 123 4567", "template": "store_hours" });
    for _ in 0..3 {
        assert_eq!(world.api().send(&notice).await.status, 201);
        address.receiver.next().await;
    }
    assert!(address.said("pause", &[]).contains("disabled: paused by its owner"));
    address.receiver.answer_with(200);
    let held = address.log("held", 3).await;
    let since = ["--since", "2020-01-01T00:00:00Z"];
    let window = [&["webhook", "resend-window", &world.workspace, &address.id], &since[..]].concat();
    let refused = command(&world.secrets).args(window).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("resume it first"));
    // One by itself goes out all the same, and nothing else does.
    address.said_of("resend", id_of(&held[0]));
    assert_eq!(address.receiver.next().await.kind(), "message.sent");
    address.log("delivered", 1).await;
    address.log("held", 2).await;

    assert!(address.said("resume", &[]).contains("  enabled  "));
    let again = address.said("resend-window", &since);
    let job = again.split_whitespace().next().unwrap().to_owned();
    for _ in 0..2 {
        assert_eq!(address.receiver.next().await.kind(), "message.sent");
    }
    eventually("the window's end", async || {
        address
            .said_of("resend-progress", &job)
            .contains("queued 2 of 2, delivered 2, refused 0, still waiting 0  done")
            .then_some(())
    })
    .await;
    address.log("delivered", 3).await;
}

#[tokio::test]
async fn after_an_outage_a_window_brings_what_waits_as_well_and_says_what_became_of_it() {
    let world = World::new().await;
    let address = Address::of(&world).await;
    address.receiver.answer_with(500);
    for _ in 0..2 {
        address.said("ping", &[]);
        address.receiver.next().await;
    }
    address.receiver.answer_with(410);
    address.said("ping", &[]);
    address.log("failed", 1).await;
    let waits = eventually("two that wait for a minute", async || {
        let lines = address.log("pending", 2).await;
        lines.iter().all(|line| columns(line)[4] == "1" && columns(line)[5] != "-").then_some(lines)
    })
    .await;

    address.receiver.answer_with(200);
    let said = address.said("resend-window", &["--since", "2020-01-01T00:00:00Z"]);
    let job = said.split_whitespace().next().unwrap().to_owned();
    assert!(said.contains("queued 0 of 3, delivered 0, refused 0, still waiting 3  under way"), "{said}");
    eventually("all of it, long before its minute", async || {
        let said = address.said_of("resend-progress", &job);
        said.contains("queued 3 of 3, delivered 3, refused 0, still waiting 0  done").then_some(())
    })
    .await;
    let delivered = address.log("delivered", 3).await;
    assert!(waits.iter().all(|line| delivered.iter().any(|done| id_of(done) == id_of(line))), "{waits:?}");
}

#[tokio::test]
async fn a_delivery_is_shown_with_its_attempts_and_sent_again_byte_for_byte() {
    let world = World::new().await;
    let address = Address::of(&world).await;
    address.receiver.answer_with(410);
    address.said("ping", &[]);
    let first = address.receiver.next().await;
    let failed = address.log("failed", 1).await;
    let shown = address.said_of("delivery", id_of(&failed[0]));
    assert!(shown.contains("status 410  the answer was status 410"), "{shown}");
    assert_eq!(shown.lines().last(), Some(String::from_utf8(first.raw.clone()).unwrap().as_str()));

    address.receiver.answer_with(200);
    address.said_of("resend", id_of(&failed[0]));
    let again = address.receiver.next().await;
    assert_eq!((&again.raw, again.header("x-service-delivery")), (&first.raw, first.text("/id")));
    let delivered = address.log("delivered", 1).await;
    assert_eq!(columns(&delivered[0])[3..], ["delivered", "2", "-"], "{delivered:?}");
    let listed = address.said("deliveries", &[]);
    assert!(listed.starts_with("CREATED AT ") && listed.contains("  NEXT ATTEMPT AT\n"), "{listed}");
}

#[tokio::test]
async fn a_rotated_secret_stops_at_once_unless_an_overlap_was_asked_for() {
    let world = World::new().await;
    let address = Address::of(&world).await;
    let rotated = |more: &[&str]| {
        let said = address.said("rotate", more);
        WebhookSecret::from(said.lines().next().unwrap().to_owned())
    };
    let holds = async |secrets: [&WebhookSecret; 2]| {
        address.said("ping", &[]);
        let ping = address.receiver.next().await;
        let header = Some(ping.header("x-service-signature"));
        secrets.map(|secret| signature::verify(secret, header, &ping.raw, SystemClock.now()).is_ok())
    };
    let second = rotated(&[]);
    assert_eq!(holds([&address.secret, &second]).await, [false, true]);
    let third = rotated(&["--overlap-minutes", "60"]);
    assert_eq!(holds([&second, &third]).await, [true, true]);
}

#[tokio::test]
async fn an_address_that_opted_in_gets_the_standard_headers() {
    let world = World::new().await;
    let address = Address::of(&world).await;
    for (on, more) in [(true, &[][..]), (false, &["--off"])] {
        address.said("standard-headers", more);
        address.said("ping", &[]);
        let ping = address.receiver.next().await;
        assert_eq!(ping.header(standard::ID) == ping.text("/id"), on);
        assert_eq!(!ping.header(standard::SIGNATURE).is_empty(), on);
    }
}

#[tokio::test]
async fn an_address_is_told_of_what_it_subscribes_to_and_of_nothing_once_it_is_removed() {
    let world = World::new().await;
    let address = Address::of(&world).await;
    assert!(address.said("subscribe", &["--event", "message.failed"]).contains("  message.failed"));
    let listed = world.operator(&["webhook", "list", &world.workspace]);
    assert!(listed.lines().count() == 3 && listed.contains(&address.id), "{listed}");
    assert_eq!(address.said("remove", &[]).trim(), "removed");
    let listed = world.operator(&["webhook", "list", &world.workspace]);
    assert!(!listed.contains(&address.id), "{listed}");
    let ping = ["webhook", "ping", &world.workspace, &address.id];
    let refused = command(&world.secrets).args(ping).output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no such address"));
}
