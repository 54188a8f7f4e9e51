//! Files that come with messages: kept, linked, and told of; or left out when the network does not give them.

use std::{net::TcpListener, time::Duration};

use actix_web::{App, HttpResponse, HttpServer, dev::ServerHandle, web};
use domain::clock::Clock;
use reqwest::Method;
use serde_json::{Value, json};
use server::config::Role;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::support::{Answer, Api, InProcess, Service, World, eventually};

const NUMBER_ID: &str = "106540352242922";

/// A person writes a message of this kind.
async fn write(world: &World, sample: &str) {
    let body =
        json!({ "phoneNumberId": NUMBER_ID, "from": "+9647709876543", "name": "Zahra", "sample": sample });
    let written = world.control(Method::POST, "inbound", &body).await;
    assert_eq!(written["webhook"], json!({ "status": 200 }), "{written}");
}

async fn messages(api: &Api) -> Vec<Value> {
    let threads = api.get("/v1/conversations").await;
    let Some(thread) = threads.body["data"][0]["id"].as_str() else { return Vec::new() };
    let messages = api.get(&format!("/v1/conversations/{thread}/messages")).await;
    messages.body["data"].as_array().unwrap().clone()
}

fn time_of(text: &Value) -> OffsetDateTime {
    OffsetDateTime::parse(text.as_str().unwrap(), &Rfc3339).unwrap()
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
async fn a_picture_that_the_network_does_not_give_costs_its_message_a_minute_and_not_the_message() {
    let mut world = World::new().await;
    world.service.kill();
    let process = InProcess::over(&world.secrets);
    let serving = process.serve(&[Role::Api, Role::Worker, Role::Dispatcher]);
    world.simulator.set_webhook_url(Some(serving.network_webhook())).unwrap();
    world.simulator.set_faults(&json!([{ "kind": "throttle", "on": "files" }])).unwrap();
    let api = Api::new(&serving.base_url, &world.key);

    // As events are stamped: in whole milliseconds.
    let began = process.clock.now().truncate_to_millisecond();
    write(&world, "image").await;
    let message = eventually("the message", async || messages(&api).await.pop()).await;
    assert_eq!(message["attachments"], json!([]));
    let told = eventually("the event", async || {
        process.clock.advance(Duration::from_millis(500));
        let events = world.receiver.rest().await;
        events.into_iter().find(|event| event.kind() == "message.received")
    })
    .await;
    assert_eq!(told.body["data"]["message"]["attachments"], json!([]));
    assert_eq!(told.body["data"]["message"]["id"], message["id"]);
    let waited = time_of(&told.body["createdAt"]) - began;
    assert!(waited >= Duration::from_secs(50), "given up after {waited}");

    world.simulator.set_faults(&json!([])).unwrap();
    write(&world, "image").await;
    let next = eventually("the next", async || {
        process.clock.advance(Duration::from_millis(500));
        let events = world.receiver.rest().await;
        events.into_iter().find(|event| event.kind() == "message.received")
    })
    .await;
    assert_ne!(next.body["data"]["message"]["attachments"], json!([]));
    assert_eq!(messages(&api).await.last().unwrap()["attachments"], json!([]), "it stays without");
    serving.stop().await;
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
