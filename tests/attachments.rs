//! Files that come with messages: kept, linked, and told of; or left out when the network does not give them.

use std::{net::TcpListener, time::Duration};

use actix_web::{App, HttpResponse, HttpServer, dev::ServerHandle, web};
use domain::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use server::config::Role;

use crate::support::{Answer, Api, InProcess, Service, World, command, eventually};

const NUMBER_ID: &str = "106540352242922";

/// A person writes a message of this kind.
async fn write(world: &World, sample: &str) {
    let body =
        json!({ "phoneNumberId": NUMBER_ID, "from": "+9647709876543", "name": "Zahra", "sample": sample });
    let written = world.control(Method::POST, "inbound", &body).await;
    assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
}

async fn messages(api: &Api) -> Vec<Value> {
    let conversations = api.get("/v1/conversations").await;
    let Some(conversation) = conversations.body["data"][0]["id"].as_str() else { return Vec::new() };
    let messages = api.get(&format!("/v1/conversations/{conversation}/messages")).await;
    messages.body["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_picture_is_told_of_with_a_link_that_opens_it_for_a_day() {
    let world = World::new().await;
    write(&world, "image").await;
    let told = world.receiver.next_of("message.received").await;
    let attachment = &told.body["data"]["message"]["attachments"][0];
    assert_eq!((&attachment["kind"], &attachment["contentType"]), (&json!("image"), &json!("image/png")));

    let link = attachment["url"].as_str().unwrap();
    let path = link.strip_prefix(world.service.base_url()).unwrap();
    let api = world.api();
    let opened = api.bare(Method::GET, path).send().await.unwrap();
    assert_eq!(
        (opened.status().as_u16(), &opened.headers()["content-type"]),
        (200, &"image/png".parse().unwrap())
    );
    let bytes = opened.bytes().await.unwrap();
    assert!(bytes.starts_with(b"\x89PNG"));
    assert_eq!(attachment["bytes"], json!(bytes.len()));

    let forged = path.replace("signature=", "signature=0");
    Answer::to(api.bare(Method::GET, &forged)).await.assert_error(403, "a changed link");
    let listed = messages(&api).await;
    let kept = &listed[0]["attachments"][0];
    for field in ["kind", "contentType", "bytes", "title"] {
        assert_eq!(kept[field], attachment[field], "{field}");
    }

    let process = InProcess::over(&world.secrets);
    process.clock.advance(Duration::from_hours(24));
    let later = process.serve(&[Role::Api]);
    let expired = Api::new(&later.base_url, &world.key).bare(Method::GET, path);
    Answer::to(expired).await.assert_error(403, "an old link");
    later.stop().await;
}

#[tokio::test]
async fn a_picture_that_the_network_does_not_give_costs_its_message_a_minute_and_is_shown_when_it_comes() {
    let mut world = World::new().await;
    world.service.kill();
    let process = InProcess::over(&world.secrets);
    let serving = process.serve(&[Role::Api, Role::Worker, Role::Dispatcher]);
    world.simulator.set_webhook_url(Some(serving.network_webhook())).unwrap();
    world.simulator.set_faults(&json!([{ "kind": "throttle", "on": "files" }])).unwrap();
    let api = Api::new(&serving.base_url, &world.key);

    let began = process.clock.now();
    write(&world, "image").await;
    let message = eventually("the message", async || messages(&api).await.pop()).await;
    assert_eq!((&message["attachments"], &message["content"]), (&json!([]), &json!("هذه القطعة")));
    assert!(message.get("context").is_none(), "its file is still waited for: {message}");
    let told = eventually("the event", async || {
        process.clock.advance(Duration::from_millis(500));
        let events = world.receiver.rest().await;
        events.into_iter().find(|event| event.kind() == "message.received")
    })
    .await;
    assert_eq!(told.body["data"]["message"]["attachments"], json!([]));
    assert_eq!(told.body["data"]["message"]["id"], message["id"]);
    assert_eq!(told.body["data"]["message"]["context"], json!({ "unavailable": ["image"] }));
    let waited = process.clock.now() - began;
    assert!(waited >= Duration::from_secs(50), "given up after {waited}");
    let shown = messages(&api).await.pop().unwrap();
    assert_eq!(
        (&shown["attachments"], &shown["context"]),
        (&json!([]), &json!({ "unavailable": ["image"] }))
    );

    world.simulator.set_faults(&json!([])).unwrap();
    let come = eventually("the picture", async || {
        process.clock.advance(Duration::from_secs(1));
        messages(&api).await.pop().filter(|message| message["attachments"] != json!([]))
    })
    .await;
    assert!(come.get("context").is_none(), "it lacks nothing any more: {come}");
    write(&world, "image").await;
    let next = eventually("the next", async || {
        process.clock.advance(Duration::from_millis(500));
        let events = world.receiver.rest().await;
        events.into_iter().find(|event| event.kind() == "message.received")
    })
    .await;
    assert_ne!(next.body["data"]["message"]["id"], come["id"], "a late picture is not told of again");
    serving.stop().await;
}

#[tokio::test]
async fn files_of_an_hour_in_which_none_could_be_kept_are_shown_afterwards() {
    let mut world = World::new().await;
    world.service.kill();
    let process = InProcess::over(&world.secrets);
    let serving = process.serve(&[Role::Api, Role::Worker, Role::Dispatcher]);
    world.simulator.set_webhook_url(Some(serving.network_webhook())).unwrap();
    let api = Api::new(&serving.base_url, &world.key);
    let kept = world.secrets.files_folder.path().to_owned();
    let away = kept.with_extension("away");
    std::fs::rename(&kept, &away).unwrap();
    std::fs::write(&kept, "no folder").unwrap();

    write(&world, "sticker").await;
    let told = eventually("the event", async || {
        process.clock.advance(Duration::from_millis(500));
        let events = world.receiver.rest().await;
        events.into_iter().find(|event| event.kind() == "message.received")
    })
    .await;
    let told = &told.body["data"]["message"];
    assert_eq!((&told["content"], &told["attachments"]), (&json!("[sticker]"), &json!([])));
    assert_eq!(told["context"], json!({ "unavailable": ["sticker"] }));
    let shown = messages(&api).await.pop().unwrap();
    for field in ["id", "content", "attachments", "context"] {
        assert_eq!(shown[field], told[field], "{field}");
    }
    process.clock.advance(Duration::from_hours(1));

    std::fs::remove_file(&kept).unwrap();
    std::fs::rename(&away, &kept).unwrap();
    let come = eventually("the file", async || {
        process.clock.advance(Duration::from_secs(1));
        messages(&api).await.pop().filter(|message| message["attachments"] != json!([]))
    })
    .await;
    assert_eq!((&come["content"], &come["id"]), (&json!(""), &told["id"]));
    assert!(come.get("context").is_none(), "{come}");
    serving.stop().await;
}

#[tokio::test]
async fn a_start_with_a_bucket_that_cannot_be_used_says_why_and_one_that_is_down_is_waited_for() {
    let mut world = World::new().await;
    world.service.kill();
    let denying = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", denying.local_addr().unwrap());
    let deny = async || HttpResponse::Forbidden().body("<Error><Code>AccessDenied</Code></Error>");
    let server = HttpServer::new(move || App::new().default_service(web::to(deny)));
    let server = server.workers(1).disable_signals().listen(denying).unwrap().run();
    let handle = server.handle();
    tokio::spawn(server);
    let bucket = |address: &str| {
        [
            ("MESSAGING_S3_ENDPOINT", address.to_owned()),
            ("MESSAGING_S3_BUCKET", "files".to_owned()),
            ("MESSAGING_S3_REGION", "me-central-1".to_owned()),
            ("MESSAGING_S3_ACCESS_KEY_ID", "an-id".to_owned()),
            ("MESSAGING_S3_SECRET_ACCESS_KEY", "a-secret".to_owned()),
        ]
    };
    let mut denied = command(&world.secrets);
    denied.arg("serve").envs(bucket(&address)).env("MESSAGING_LISTEN", "127.0.0.1:0");
    denied.env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0");
    let ended = tokio::task::spawn_blocking(move || denied.output().unwrap()).await.unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        !ended.status.success() && said.contains("MESSAGING_S3_BUCKET") && said.contains("access is denied"),
        "{said}"
    );
    handle.stop(false).await;

    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = bucket(&format!("http://{nobody}"));
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let service = Service::start_with(&world.secrets, &settings).await;
    let admin = Api::new(service.admin_url(), "");
    let said = eventually("the first check", async || {
        let answer = admin.bare(Method::GET, "/readyz").send().await.unwrap();
        assert_eq!(answer.status(), 200);
        Some(answer.text().await.unwrap()).filter(|said| said.lines().count() > 1)
    })
    .await;
    assert_eq!(said, "ready\nfiles cannot be kept: it is down: no connection to it comes about\n");
    let metrics = admin.bare(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("messaging_files_store_up 0"), "{metrics}");
}

/// A service that hears the same words in everything; its address.
fn speech() -> (String, ServerHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let heard = async || HttpResponse::Ok().json(json!({ "text": "أريد موعداً غداً" }));
    let server = HttpServer::new(move || App::new().route("/v1/audio/transcriptions", web::post().to(heard)));
    let server = server.workers(1).disable_signals().listen(listener).unwrap().run();
    let handle = server.handle();
    tokio::spawn(server);
    (address, handle)
}

#[tokio::test]
async fn what_is_spoken_is_told_and_shown_as_words_and_other_sounds_are_not() {
    let mut world = World::new().await;
    let (address, handle) = speech();
    world.service = Service::start_with(&world.secrets, &[("MESSAGING_TRANSCRIPTION_URL", &address)]).await;
    world.simulator.set_webhook_url(Some(world.service.network_webhook())).unwrap();
    for (sample, words) in [("voice", json!("أريد موعداً غداً")), ("audio", Value::Null)] {
        write(&world, sample).await;
        let told = world.receiver.next_of("message.received").await;
        let message = &told.body["data"]["message"];
        assert_eq!((&message["transcription"], &message["content"]), (&words, &json!("")), "{sample}");
        assert_eq!(message["attachments"][0]["kind"], "audio");
        assert_eq!(messages(&world.api()).await[0]["transcription"], words, "{sample}");
    }
    handle.stop(false).await;
}
