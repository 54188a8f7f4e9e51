//! The other side: samples of every kind, files in two hops, bursts, batches, disorder, duplicates,
//! forgeries.

use std::collections::BTreeSet;

use data_encoding::{BASE64, HEXLOWER};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use crate::support::{INSTAGRAM, NUMBER, PAGE, PERSON, TOKEN, World, config};

#[tokio::test(flavor = "multi_thread")]
async fn every_sample_can_be_written_and_leaves_nothing_open() {
    let world = World::start().await;
    let samples = world.get("control/samples").await.body;
    for (network, to) in [("whatsapp", NUMBER), ("messenger", PAGE), ("instagram", INSTAGRAM)] {
        let samples = samples[network].as_object().unwrap();
        assert!(samples.len() > 15, "{network}");
        for name in samples.keys() {
            let wrote = json!({ "channelId": to, "from": PERSON, "name": "Sara", "sample": name });
            let answer = world.drive("inbound", wrote).await;
            assert_eq!(answer["webhook"], json!({ "status": 200 }), "{network} {name}");
            let post = world.callback.next().await.json().to_string();
            assert!(!post.contains("\"$"), "{network} {name}: {post}");
        }
    }
    let unknown = json!({ "channelId": NUMBER, "from": PERSON, "sample": "poem" });
    assert_eq!(
        world.post("control/inbound", &unknown).await.body["error"],
        "there is no sample poem of whatsapp"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_networks_own_messages_name_nobody_and_samples_are_about_earlier_ones() {
    let world = World::start().await;
    let wrote =
        |sample: &str| json!({ "channelId": NUMBER, "from": PERSON, "name": "Sara", "sample": sample });
    let first = world.drive("inbound", wrote("text")).await["id"].clone();
    world.callback.next().await;
    world.drive("inbound", wrote("edit")).await;
    let edit = world.callback.next().await.value();
    assert_eq!(edit["messages"][0]["edit"]["original_message_id"], first);
    let sent = world.send_plain("tag").await;
    world.statuses(3).await;
    world.drive("inbound", wrote("reaction")).await;
    let reaction = world.callback.next().await.value();
    assert_eq!(reaction["messages"][0]["reaction"]["message_id"], sent);
    world.drive("inbound", wrote("number_changed")).await;
    let system = world.callback.next().await.value();
    assert!(system.get("contacts").is_none());
    assert_eq!(system["messages"][0]["type"], "system");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_comes_in_two_hops_with_the_same_bearer_and_never_late() {
    let world = World::start().await;
    let wrote = json!({ "channelId": NUMBER, "from": PERSON, "sample": "image" });
    world.drive("inbound", wrote).await;
    let image = world.callback.next().await.value()["messages"][0]["image"].clone();
    let id = image["id"].as_str().unwrap();
    let found = world.get(&format!("v25.0/{id}?phone_number_id={NUMBER}")).await.body;
    assert_eq!((&found["mime_type"], &found["id"]), (&json!("image/png"), &image["id"]));
    let url = found["url"].as_str().unwrap();
    let file = world.client.get(url).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "image/png");
    let bytes = file.bytes().await.unwrap();
    let hash = digest(&SHA256, &bytes);
    assert_eq!(found["sha256"], HEXLOWER.encode(hash.as_ref()));
    assert_eq!(image["sha256"], BASE64.encode(hash.as_ref()), "base64 in the webhook");
    assert_eq!(found["file_size"], bytes.len());
    assert_eq!(world.client.get(url).send().await.unwrap().status(), 401, "without a token");
    let other = world.client.get(url).bearer_auth("token-2").send().await.unwrap();
    assert_eq!(other.status(), 404, "with a token that does not see the number");
    let forged = url.replace("hash=", "hash=0");
    assert_eq!(world.client.get(forged).bearer_auth(TOKEN).send().await.unwrap().status(), 404);
    assert_eq!(world.get("v25.0/77").await.body["error"]["error_subcode"], 33);

    let mut hasty = config();
    hasty.media_address_life = std::time::Duration::ZERO;
    let world = World::with(hasty).await;
    let own = json!({ "channelId": NUMBER, "contentType": "text/plain", "base64": BASE64.encode(b"Hi") });
    let put = world.drive("files", own).await;
    let found = world.get(&format!("v25.0/{}", put["id"].as_str().unwrap())).await.body;
    let late = world.client.get(found["url"].as_str().unwrap()).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(late.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_on_a_page_has_a_public_address_that_may_fail() {
    let world = World::start().await;
    world.drive("inbound", json!({ "channelId": PAGE, "from": "2481", "sample": "audio" })).await;
    let element = world.callback.next().await.element();
    let url = element["message"]["attachments"][0]["payload"]["url"].as_str().unwrap();
    world.faults(json!([{ "kind": "server_error_html", "on": "files", "times": 1 }])).await;
    assert_eq!(world.client.get(url).send().await.unwrap().status(), 500);
    let file = world.client.get(url).send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "audio/ogg; codecs=opus");
    assert!(file.bytes().await.unwrap().starts_with(b"OggS"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_team_writes_from_the_networks_own_app() {
    let world = World::start().await;
    let wrote = |to: &str, message: Value| json!({ "channelId": to, "to": PERSON, "message": message });
    let text = json!({ "type": "text", "text": { "body": "Hello" } });
    let id = world.drive("echoes", wrote(NUMBER, text)).await["id"].clone();
    let post = world.callback.next().await;
    assert_eq!(post.json()["entry"][0]["changes"][0]["field"], "smb_message_echoes");
    let echo = post.value()["message_echoes"][0].clone();
    assert_eq!((&echo["id"], &echo["to"]), (&id, &json!(PERSON)));
    world.drive("echoes", wrote(PAGE, json!({ "text": "Hello" }))).await;
    let echo = world.callback.next().await.element();
    assert_eq!(echo["message"]["app_id"], 26_390_203_743_090_u64);
}

/// The ids of the messages in each post.
async fn posts(world: &World, count: usize) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for _ in 0..count {
        let post = world.callback.next().await.json();
        let mut ids = Vec::new();
        for entry in post["entry"].as_array().unwrap() {
            let elements = entry["messaging"].as_array().into_iter().flatten();
            ids.extend(elements.map(|element| element["message"]["mid"].as_str().unwrap().to_owned()));
            for change in entry["changes"].as_array().into_iter().flatten() {
                let messages = change["value"]["messages"].as_array().unwrap();
                ids.extend(messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()));
            }
        }
        all.push(ids);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_is_everybodys_messages_once_or_as_often_as_asked() {
    let world = World::start().await;
    let burst = json!({ "channelIds": [NUMBER, PAGE, INSTAGRAM], "people": 4, "messages": 3 });
    let answer = world.drive("traffic", burst).await;
    assert_eq!((&answer["posts"], &answer["taken"]), (&json!(36), &json!(36)));
    let got: BTreeSet<String> = posts(&world, 36).await.concat().into_iter().collect();
    let ids: BTreeSet<String> = serde_json::from_value(answer["ids"].clone()).unwrap();
    assert_eq!((got.len(), got), (36, ids));

    let copies = json!({ "channelIds": [NUMBER], "people": 2, "copies": 3 });
    assert_eq!(world.drive("traffic", copies).await["posts"], 6);
    let got = posts(&world, 6).await.concat();
    assert_eq!(got.iter().collect::<BTreeSet<_>>().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_comes_in_one_post_for_each_kind_of_object() {
    let world = World::start().await;
    let batch = json!({ "channelIds": [NUMBER, "556", PAGE], "people": 100, "messages": 3, "perPost": 1000 });
    let answer = world.drive("traffic", batch).await;
    assert_eq!(answer["posts"], 2);
    let mut sizes: Vec<usize> = posts(&world, 2).await.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [300, 600], "two business accounts share a post");
}

#[tokio::test(flavor = "multi_thread")]
async fn disorder_is_the_same_for_the_same_seed_and_a_forgery_is_posted_once() {
    let world = World::start().await;
    let order = async |seed: u64| {
        let traffic = json!({ "channelIds": [NUMBER], "people": 20, "shuffled": true, "seed": seed,
                              "concurrency": 1 });
        let ids: Vec<String> =
            serde_json::from_value(world.drive("traffic", traffic).await["ids"].clone()).unwrap();
        let got = posts(&world, 20).await.concat();
        got.iter().map(|id| ids.iter().position(|one| one == id).unwrap()).collect::<Vec<_>>()
    };
    let first = order(7).await;
    assert_eq!(first, order(7).await);
    assert_ne!(first, order(8).await);
    assert_ne!(first, (0..20).collect::<Vec<_>>());

    world.callback.answers(&[403, 403]);
    let forged = json!({ "channelIds": [NUMBER], "people": 0, "forged": 1 });
    world.drive("traffic", forged).await;
    let missing = json!({ "channelId": NUMBER, "from": PERSON, "sample": "text", "signature": "missing" });
    assert_eq!(world.drive("inbound", missing).await["webhook"], json!({ "status": 403 }));
    let (one, two) = (world.callback.next().await, world.callback.next().await);
    assert!(one.signature.starts_with("sha256=") && two.signature.is_empty());
    world.simulator.acknowledged().await;
    assert!(world.callback.is_quiet().await, "what is not signed rightly is not posted again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_taken_comes_again_also_when_the_callback_was_away() {
    let mut patient = config();
    patient.webhook_retries = vec![std::time::Duration::from_millis(5); 10_000];
    let world = World::with(patient).await;
    let url = world.callback.url.clone();
    world.put("control/webhook", &json!({ "url": "http://127.0.0.1:9/hook" })).await;
    let burst = json!({ "channelIds": [NUMBER], "people": 20 });
    assert_eq!(world.drive("traffic", burst).await["taken"], 0);
    world.put("control/webhook", &json!({ "url": url })).await;
    assert_eq!(world.drive("settle", json!({ "acknowledged": true })).await, json!({ "settled": true }));
    let got: BTreeSet<String> = posts(&world, 20).await.concat().into_iter().collect();
    assert_eq!(got.len(), 20);
}
