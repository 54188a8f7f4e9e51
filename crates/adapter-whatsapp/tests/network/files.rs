//! People's files over loopback, in two hops.

use std::time::Duration;

use domain::{
    attachments::{
        MediaSource,
        ports::{Fetched, MediaError, MediaOrigin, NetworkMedia},
    },
    channels::ChannelKind,
};
use futures_util::StreamExt;
use network_simulator::{Config, Simulator, demo_accounts};
use secrecy::SecretString;
use serde_json::json;

use super::{network_at, token};

const NUMBER: &str = "106540352242922";

async fn start(change: impl FnOnce(&mut Config)) -> Simulator {
    let mut config = Config::new("app-secret", "verify-token");
    config.accounts = demo_accounts(&token()).unwrap();
    change(&mut config);
    Simulator::start(config).await.unwrap()
}

fn origin(token: &str) -> MediaOrigin {
    MediaOrigin {
        channel: ChannelKind::Whatsapp,
        channel_network_id: NUMBER.to_owned(),
        token: SecretString::from(token.to_owned()),
    }
}

/// A file that somebody sent.
fn text_file(simulator: &Simulator) -> MediaSource {
    let file = json!({ "channelId": NUMBER, "contentType": "text/plain", "base64": "SGVsbG8=" });
    let file = simulator.put_file(&file).unwrap();
    MediaSource::Id(file["id"].as_str().unwrap().to_owned())
}

async fn bytes(fetched: Fetched) -> Result<Vec<u8>, MediaError> {
    let chunks: Vec<_> = fetched.bytes.collect().await;
    let chunks: Result<Vec<_>, _> = chunks.into_iter().collect();
    Ok(chunks?.concat())
}

#[tokio::test]
async fn a_file_is_fetched_with_what_the_network_says_of_it() {
    let simulator = start(|_| ()).await;
    let source = text_file(&simulator);
    let network = network_at(simulator.url());
    let fetched = network.fetch(&origin("a-token"), &source).await.unwrap();
    assert_eq!(fetched.content_type.as_deref(), Some("text/plain"));
    assert_eq!(fetched.sha256.as_ref().map(Vec::len), Some(32));
    assert_eq!(bytes(fetched).await.unwrap(), b"Hello");
}

#[tokio::test]
async fn a_file_whose_id_fails_is_had_at_its_address() {
    let simulator = start(|_| ()).await;
    let file = json!({ "channelId": NUMBER, "contentType": "text/plain", "base64": "SGVsbG8=" });
    let file = simulator.put_file(&file).unwrap();
    let text = |field: &str| file[field].as_str().unwrap().to_owned();
    let network = network_at(simulator.url());
    let had = async |source: MediaSource| network.fetch(&origin("a-token"), &source).await;
    for (kind, code) in [("server_error_html", None), ("error", Some(100))] {
        let fault = json!({ "kind": kind, "on": "reads" });
        let fault =
            code.map_or_else(|| fault.clone(), |code| json!({ "kind": kind, "code": code, "on": "reads" }));
        simulator.set_faults(&json!([fault])).unwrap();
        assert!(had(MediaSource::Id(text("id"))).await.is_err(), "{fault}");
        let either = MediaSource::IdOrUrl { id: text("id"), url: text("url") };
        assert_eq!(bytes(had(either).await.unwrap()).await.unwrap(), b"Hello", "{fault}");
    }
    // What may still come to something decides.
    let elsewhere = "http://169.254.169.254/latest".to_owned();
    for (id, wanted) in [(text("id"), true), ("77".to_owned(), false)] {
        let faults = if wanted { json!([{ "kind": "server_error_html", "on": "reads" }]) } else { json!([]) };
        simulator.set_faults(&faults).unwrap();
        let Err(error) = had(MediaSource::IdOrUrl { id, url: elsewhere.clone() }).await else {
            panic!("had")
        };
        assert_eq!(error.may_pass(), wanted, "{error}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_final_and_anything_else_may_pass() {
    let simulator = start(|_| ()).await;
    let source = text_file(&simulator);
    let network = network_at(simulator.url());
    let is_final = async |token: &str, source: &MediaSource| match network.fetch(&origin(token), source).await
    {
        Ok(_) => panic!("fetched"),
        Err(MediaError::Final(reason)) => (true, reason),
        Err(MediaError::Passing(reason)) => (false, reason),
    };
    assert!(is_final("a-token", &MediaSource::Id("77".to_owned())).await.0);
    assert!(!is_final("another", &source).await.0, "a token may be put right");
    let elsewhere = MediaSource::Url("http://169.254.169.254/latest".to_owned());
    assert!(is_final("a-token", &elsewhere).await.0);
    for fault in [
        json!({ "kind": "server_error_html", "on": "files" }),
        json!({ "kind": "cut_before_accept", "on": "files" }),
        json!({ "kind": "throttle", "on": "files" }),
        json!({ "kind": "server_error_html", "on": "reads" }),
    ] {
        simulator.set_faults(&json!([fault])).unwrap();
        let (is_final, reason) = is_final("a-token", &source).await;
        assert!(!is_final && !reason.contains("http"), "{fault} {reason}");
    }
    simulator
        .set_faults(&json!([{ "kind": "error", "code": 100, "httpStatus": 404, "on": "files", "times": 1 }]))
        .unwrap();
    network.fetch(&origin("a-token"), &source).await.unwrap();

    let hasty = start(|config| config.media_address_life = Duration::ZERO).await;
    let source = text_file(&hasty);
    let late = network_at(hasty.url()).fetch(&origin("a-token"), &source).await;
    assert!(matches!(late, Err(MediaError::Final(_))), "a second address, expired as well");
}
