//! Keys that are another database's are refused at the start, before they open or hash anything.

use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Service, World, command};

const OTHER_KEY: &str = "6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b";

type Settings<'a> = &'a [(&'a str, &'a str)];

/// Ways to have a wrong key, and how the operator is told.
const WRONG: [(Settings, &str); 3] = [
    (&[("MESSAGING_MASTER_KEY", OTHER_KEY)], "MESSAGING_MASTER_KEY: opens nothing that this database holds"),
    (&[("MESSAGING_HASH_KEY", OTHER_KEY)], "MESSAGING_HASH_KEY: is not the one"),
    // The oldest listed is what the hash key is derived from.
    (
        &[("MESSAGING_PREVIOUS_MASTER_KEYS", OTHER_KEY)],
        "MESSAGING_HASH_KEY: is not set, and the oldest master key listed is not the one",
    ),
];

fn run(world: &World, settings: Settings, arguments: &[&str]) -> Output {
    command(&world.secrets)
        .args(arguments)
        .env("MESSAGING_LISTEN", "127.0.0.1:0")
        .env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0")
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn notice() -> Value {
    json!({ "to": "9647701234567", "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"] })
}

/// Asserts that nothing runs with wrong keys, and that each is named in one line.
fn assert_refused(world: &World) {
    let key = ["key", "create", &world.workspace, "--label", "till", "--scope", "messages:send"];
    for (settings, words) in WRONG {
        for arguments in [&["serve"][..], &["master-key", "check"], &["master-key", "reseal"], &key] {
            let refused = run(world, settings, arguments);
            let said = String::from_utf8_lossy(&refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{arguments:?}: {said}");
            let told: Vec<&str> = said.lines().filter(|line| !line.starts_with('{')).collect();
            assert!(
                matches!(&told[..], [line] if line.starts_with(&format!("messaging-service: configuration: {words}"))),
                "{arguments:?}: {said}"
            );
            assert!(!said.contains(OTHER_KEY), "{said}");
        }
    }
}

#[tokio::test]
async fn a_wrong_key_is_named_by_its_setting_and_nothing_starts() {
    let world = World::new().await;
    assert_refused(&world);
    let checked = run(&world, &[], &["master-key", "check"]);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success() && said.starts_with("The keys are this database's.\n"), "{checked:?}");
    assert_eq!(world.api().send(&notice()).await.status, 201);
}

#[tokio::test]
async fn a_database_from_before_this_knows_its_keys_by_what_was_sent() {
    let mut world = World::new().await;
    let rows = world.rows().await;
    rows.change("DELETE FROM key_probe").await;
    // There are a token that opens and an API's key that tells nothing.
    let unclear = run(&world, &[], &["master-key", "check"]);
    let said = String::from_utf8_lossy(&unclear.stdout);
    assert!(unclear.status.success() && said.starts_with("Nothing in this database tells yet"), "{said}");
    assert_eq!(rows.count("key_probe WHERE probe_sealed IS NOT NULL AND probe_hash IS NULL").await, 1);

    assert_eq!(world.api().send(&notice()).await.status, 201);
    rows.change("DELETE FROM key_probe").await;
    assert_refused(&world);
    assert_eq!(rows.count("key_probe WHERE probe_hash IS NOT NULL").await, 0);
    assert!(world.service.terminate());
    world.service = Service::start(&world.secrets).await;
    assert_eq!(rows.count("key_probe WHERE probe_sealed IS NOT NULL AND probe_hash IS NOT NULL").await, 1);
    assert_refused(&world);
}

#[tokio::test]
async fn another_hash_key_is_taken_when_an_operator_says_so() {
    let mut world = World::new().await;
    let settings = [("MESSAGING_HASH_KEY", OTHER_KEY)];
    assert!(run(&world, &settings, &["master-key", "adopt"]).status.success());
    assert!(world.service.terminate());
    let refused = run(&world, &[], &["serve"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    world.service = Service::start_with(&world.secrets, &settings).await;
    // What it did not hash it does not know.
    assert_eq!(world.api().send(&notice()).await.status, 401);
}
