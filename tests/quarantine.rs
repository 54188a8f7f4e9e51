//! Unreadable updates: stored, listed without a word of them, replayed when they can be read, dropped.

use std::sync::Arc;

use adapter_vault::{Keyring, MasterKey};
use domain::{channels::ChannelKind, clock::Clock, inbound::ports::Journal};
use graph_client::signature::sign;
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};
use server::{config::StoreConfig, system::SystemClock, wiring::Foundation};

use crate::support::{Api, World, command, eventually};

/// The shop's ordinary number, by its id at the network.
const NUMBER: &str = "106540352242922";

/// Posts a body, signed, as the network does.
async fn post(world: &World, body: impl Into<String>) {
    let body = body.into();
    let signature = sign(&SecretString::from(world.secrets.app_secret.as_str()), body.as_bytes());
    let api = Api::new(world.service.base_url(), "");
    let request = api.bare(Method::POST, "/networks/meta/webhook").header("x-hub-signature-256", signature);
    assert_eq!(request.body(body).send().await.unwrap().status(), 200);
}

fn written(words: &str) -> Value {
    let at = SystemClock.now().unix_timestamp().to_string();
    json!({ "object": "whatsapp_business_account", "entry": [{ "id": "1", "changes": [{
        "field": "messages",
        "value": {
            "messaging_product": "whatsapp",
            "metadata": { "display_phone_number": "9647700000000", "phone_number_id": NUMBER },
            "contacts": [{ "profile": { "name": "Sara" }, "wa_id": "9647715550101" }],
            "messages": [{ "from": "9647715550101", "id": "wamid.KEPT", "timestamp": at, "type": "text",
                           "text": { "body": words } }],
        },
    }] }] })
}

/// Stores a post as a version did that could not read it.
async fn keep(world: &World, post: &Value) {
    let key = MasterKey::parse(&world.secrets.master_key).unwrap();
    let config = StoreConfig {
        trust: tls_trust::Trust::default(),
        database_url: world.secrets.database_url.clone(),
        pool_size: 1,
        keys: Keyring::new(key, Vec::new()),
    };
    let foundation = Foundation::open(&config, Arc::new(SystemClock)).unwrap();
    let raw = post.to_string();
    foundation
        .stores
        .inbound
        .quarantine("meta", raw.as_bytes(), Some(ChannelKind::Whatsapp), "no JSON", SystemClock.now())
        .await
        .unwrap();
}

#[tokio::test]
async fn what_became_readable_is_handled_once_and_what_did_not_stays_until_it_is_dropped() {
    let world = World::new().await;
    let rows = world.rows().await;
    post(&world, "no JSON, but a secret").await;
    keep(&world, &written("Is it ready?")).await;
    keep(&world, &written("Is it ready?")).await;
    let listed = world.operator(&["quarantine", "list"]);
    let lines: Vec<&str> = listed.lines().skip(1).collect();
    let networks = [("-", Value::Null), ("whatsapp", "whatsapp".into()), ("whatsapp", "whatsapp".into())];
    assert_eq!(lines.len(), networks.len(), "{listed}");
    let objects: Value = serde_json::from_str(&world.operator(&["quarantine", "list", "--json"])).unwrap();
    assert_eq!(objects["nextAfter"], Value::Null);
    let objects = objects["rows"].as_array().unwrap();
    for ((line, object), (name, network)) in lines.iter().zip(objects).zip(networks) {
        let columns: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((columns[3], columns[4]), (name, "-"), "{line}");
        assert_eq!((&object["network"], &object["workspaceId"]), (&network, &Value::Null), "{object}");
        assert!(columns[0].parse().ok() == object["id"].as_i64() && object["bytes"].is_u64(), "{object}");
    }
    assert!(!listed.contains("secret") && !listed.contains("ready"), "{listed}");
    let first = lines[0].split_whitespace().next().unwrap();
    let paged = world.operator(&["quarantine", "list", "--limit", "1"]);
    let paged: Vec<&str> = paged.lines().collect();
    assert!(paged.len() == 3 && paged[0].starts_with("ID "), "{paged:?}");
    assert!(paged[1].split_whitespace().eq(lines[0].split_whitespace()), "{paged:?}");
    assert_eq!(paged[2], format!("next: --after {first}"));
    let paged = world.operator(&["quarantine", "list", "--limit", "1", "--json"]);
    let paged: Value = serde_json::from_str(&paged).unwrap();
    assert_eq!(paged["nextAfter"].to_string(), first, "{paged}");

    let replayed = world.operator(&["quarantine", "replay", "--all"]);
    assert!(replayed.ends_with("3 replayed, 1 of them stay\n"), "{replayed}");
    let received = world.receiver.next_of("message.received").await;
    assert_eq!(received.text("/data/message/content"), "Is it ready?");
    eventually("an empty journal", async || (rows.count("journal").await == 0).then_some(())).await;
    assert_eq!(rows.count("messages WHERE role = 'customer'").await, 1, "each message once");

    let stays = command(&world.secrets).args(["quarantine", "replay", first]).output().unwrap();
    assert_eq!(stays.status.code(), Some(1), "{stays:?}");
    let stays = String::from_utf8(stays.stdout).unwrap();
    assert!(stays.starts_with(&format!("{first}  journaled 0  passed over 0  stays: ")), "{stays}");
    assert_eq!(world.operator(&["quarantine", "list"]).lines().count(), 2);
    assert_eq!(world.operator(&["quarantine", "drop", first]), "dropped\n");
    assert_eq!(world.operator(&["quarantine", "list"]).trim(), "");
    let none: Value = serde_json::from_str(&world.operator(&["quarantine", "list", "--json"])).unwrap();
    assert_eq!(none, json!({ "rows": [], "nextAfter": null }));
    for again in ["drop", "replay"] {
        let refused = command(&world.secrets).args(["quarantine", again, first]).output().unwrap();
        assert!(String::from_utf8_lossy(&refused.stderr).contains("holds no such thing"));
    }
}

#[tokio::test]
async fn what_cannot_be_read_says_why_and_what_is_none_of_ours_is_only_counted() {
    let world = World::new().await;
    let mut broken = written("Is it ready?");
    broken["entry"][0]["changes"][0]["value"]["messages"][0]["id"] = Value::Null;
    let mut of_nobody = broken.clone();
    of_nobody["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = json!("1065");
    post(&world, of_nobody.to_string()).await;
    assert_eq!(world.operator(&["quarantine", "list"]).trim(), "");
    post(&world, broken.to_string()).await;
    let listed = world.operator(&["quarantine", "list"]);
    assert!(listed.contains("  cannot be read: a message without an id, a time, a sender"), "{listed}");
    let metrics = Api::new(world.service.admin_url(), "").bare(Method::GET, "/metrics").send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    for line in [
        r#"messaging_network_unreadable_posts_total{kept="no"} 1"#,
        r#"messaging_network_unreadable_posts_total{kept="yes"} 1"#,
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
}

#[tokio::test]
async fn an_update_that_failed_for_good_goes_back_into_the_journal() {
    let mut world = World::new().await;
    let rows = world.rows().await;
    // The store refuses every message for a while. A node tries half a minute before it lets an update out of its
    // hands; the next node takes it up with its last attempt.
    rows.change("ALTER TABLE messages ADD CONSTRAINT closed CHECK (role <> 'customer') NOT VALID").await;
    post(&world, written("Anybody there?").to_string()).await;
    assert!(world.service.terminate());
    rows.change("UPDATE journal SET attempts = 299, due_at = now()").await;
    world.restart().await;
    eventually("an update in the quarantine", async || (rows.count("quarantine").await == 1).then_some(()))
        .await;
    let listed = world.operator(&["quarantine", "list"]);
    assert!(listed.contains(&format!("  whatsapp  {}  ", world.workspace)), "{listed}");
    let objects: Value = serde_json::from_str(&world.operator(&["quarantine", "list", "--json"])).unwrap();
    let object = &objects["rows"][0];
    assert_eq!(
        (&object["network"], &object["workspaceId"]),
        (&json!("whatsapp"), &json!(world.workspace)),
        "{object}"
    );

    rows.change("ALTER TABLE messages DROP CONSTRAINT closed").await;
    let replayed = world.operator(&["quarantine", "replay", &object["id"].to_string()]);
    assert!(replayed.contains("journaled 1"), "{replayed}");
    let received = world.receiver.next_of("message.received").await;
    assert_eq!(received.text("/data/message/content"), "Anybody there?");
    assert_eq!(rows.count("quarantine").await, 0);
}
