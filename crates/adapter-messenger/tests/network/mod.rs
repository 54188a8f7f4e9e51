//! Pages and Instagram accounts over loopback, at the stand-in.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::time::Duration;

use adapter_messenger::PageNetwork;
use domain::{
    attachments::{
        MediaSource,
        ports::{MediaError, MediaOrigin, NetworkMedia},
    },
    channels::{
        ChannelKind,
        ports::{ListedPage, NetworkError, NetworkPages},
    },
    contacts::{Identity, ports::NetworkProfiles},
    sending::{
        Recipient, ReplyWindow, TextMessage,
        ports::{MessagingNetwork, SendFailure},
    },
};
use futures_util::StreamExt;
use graph_client::{GraphClient, RetryPolicy, Surface};
use network_simulator::{Config, Simulator, demo_page};
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use url::Url;
use uuid::Uuid;

const PAGE: &str = "1234567890";
const INSTAGRAM: &str = "17841400000000001";

fn network_at(base_url: Url) -> PageNetwork {
    let graph = GraphClient::new(graph_client::Config {
        base_url,
        version: "v25.0".to_owned(),
        app_secret: Some(SecretString::from("app-secret")),
        surface: Surface::Messenger,
        timeout: Duration::from_secs(20),
        retry: RetryPolicy { attempts: 1, ..RetryPolicy::default() },
    });
    PageNetwork::new(graph.unwrap())
}

struct World {
    network: PageNetwork,
    simulator: Simulator,
    token: SecretString,
}

impl World {
    async fn start() -> Self {
        let token = SecretString::from("page-token");
        let mut config = Config::new("app-secret", "verify-token");
        config.pages = vec![demo_page(&token)];
        let simulator = Simulator::start(config).await.unwrap();
        Self { network: network_at(simulator.url()), simulator, token }
    }

    /// Lets `person` write, so that they are known there.
    async fn meet(&self, channel: &str, person: &str) {
        let hello =
            json!({ "channelId": channel, "from": person, "name": "Sara K", "message": { "text": "Hello" } });
        self.simulator.person_writes(&hello).await.unwrap();
    }

    async fn send(&self, from: &str, to: Identity, text: &str) -> Result<String, SendFailure> {
        let message = TextMessage {
            tag: Uuid::from_u128(7).into(),
            to: Recipient::of(to),
            text: text.to_owned(),
            buttons: Vec::new(),
            window: ReplyWindow::Within24h,
        };
        let sent = self.network.send_text(from, &self.token, &message).await?;
        Ok(sent.reveal().to_owned())
    }
}

fn messenger(id: &str) -> Identity {
    Identity::MessengerUser(id.to_owned())
}

fn instagram(id: &str) -> Identity {
    Identity::InstagramUser(id.to_owned())
}

#[tokio::test]
async fn a_text_leaves_a_page_and_an_instagram_account_under_the_id_that_its_echo_has() {
    let world = World::start().await;
    world.meet(PAGE, "2481").await;
    world.meet(INSTAGRAM, "1785").await;
    let to_page = world.send(PAGE, messenger("2481"), "أهلا").await.unwrap();
    let to_account = world.send(INSTAGRAM, instagram("1785"), "أهلا").await.unwrap();
    let seen = world.simulator.messages();
    let sent: Vec<(&Value, &Value)> =
        seen.iter().map(|message| (&message["id"], &message["channel"])).collect();
    assert_eq!(sent, [(&json!(to_page), &json!("messenger")), (&json!(to_account), &json!("instagram"))]);
    assert_eq!(seen[0]["body"]["message"]["metadata"], Uuid::from_u128(7).to_string());
}

#[tokio::test]
async fn each_kind_of_failure_says_whether_it_was_sent() {
    let world = World::start().await;
    world.meet(PAGE, "2481").await;
    let stranger = world.send(PAGE, messenger("1"), "Hello").await;
    assert!(matches!(stranger, Err(SendFailure::Refused { code: 100, .. })), "{stranger:?}");
    for (fault, not_sent, unknown) in [
        (json!({ "kind": "error", "code": 613, "subcode": 2_534_040 }), true, false),
        (json!({ "kind": "throttle", "code": 4 }), true, false),
        (json!({ "kind": "error", "code": 1, "subcode": 1_357_046 }), false, true),
        (json!({ "kind": "cut_after_accept" }), false, true),
        (json!({ "kind": "garbled_answer" }), false, true),
        (json!({ "kind": "error", "code": 10, "subcode": 2_018_278 }), false, false),
        (json!({ "kind": "error", "code": 551 }), false, false),
        (json!({ "kind": "error", "code": 190, "subcode": 460 }), false, false),
    ] {
        world.simulator.set_faults(&json!([fault])).unwrap();
        let failure = world.send(PAGE, messenger("2481"), "Hello").await.unwrap_err();
        assert_eq!(matches!(failure, SendFailure::NotSent { .. }), not_sent, "{fault}: {failure:?}");
        assert_eq!(matches!(failure, SendFailure::Unknown { .. }), unknown, "{fault}: {failure:?}");
    }
}

#[tokio::test]
async fn the_page_behind_a_token_is_found_and_subscribed() {
    let world = World::start().await;
    let page = world.network.page(&world.token).await.unwrap();
    let wanted = ListedPage {
        network_id: PAGE.to_owned(),
        name: Some("Rafidain Shop".to_owned()),
        instagram_network_id: Some(INSTAGRAM.to_owned()),
    };
    assert_eq!(page, wanted);
    world.network.subscribe_page(PAGE, &world.token).await.unwrap();
    let wrong = SecretString::from("another-token");
    let refused = world.network.page(&wrong).await;
    assert!(matches!(refused, Err(NetworkError::Refused { code: 190, .. })), "{refused:?}");
    let elsewhere = world.network.subscribe_page("77", &world.token).await;
    assert!(matches!(elsewhere, Err(NetworkError::Refused { code: 100, .. })), "{elsewhere:?}");
}

#[tokio::test]
async fn people_are_named_where_the_network_tells_it() {
    let world = World::start().await;
    world.meet(PAGE, "2481").await;
    world.meet(INSTAGRAM, "1785").await;
    for person in [messenger("2481"), instagram("1785")] {
        let profile = world.network.profile(&person, &world.token).await.unwrap();
        assert_eq!(profile.name.as_deref(), Some("Sara K"));
        let portrait = format!("{}cdn/portrait-{}", world.simulator.url(), person.value());
        assert_eq!(profile.avatar_url, Some(portrait));
    }
    let unknown = world.network.profile(&messenger("1"), &world.token).await;
    assert!(matches!(unknown, Err(NetworkError::Refused { code: 100, .. })), "{unknown:?}");
}

#[tokio::test]
async fn a_file_is_fetched_from_its_address_and_from_nowhere_else() {
    let world = World::start().await;
    let file = json!({ "channelId": INSTAGRAM, "contentType": "image/jpeg", "base64": "SGVsbG8=" });
    let url = world.simulator.put_file(&file).unwrap()["url"].as_str().unwrap().to_owned();
    let origin = MediaOrigin {
        channel: ChannelKind::Instagram,
        channel_network_id: INSTAGRAM.to_owned(),
        token: world.token.clone(),
    };
    let fetched = world.network.fetch(&origin, &MediaSource::Url(url.clone())).await.unwrap();
    assert_eq!(fetched.content_type.as_deref(), Some("image/jpeg"));
    let chunks: Vec<_> = fetched.bytes.map(Result::unwrap).collect().await;
    assert_eq!(chunks.concat(), b"Hello");
    for (source, is_final) in [
        (MediaSource::Url(format!("{url}0")), true),
        (MediaSource::Url("http://169.254.169.254/latest".to_owned()), true),
        (MediaSource::Url("https://scontent.example.org/x".to_owned()), true),
        (MediaSource::Id("7".to_owned()), true),
        (MediaSource::Url(url), false),
    ] {
        world.simulator.set_faults(&json!([{ "kind": "server_error_html", "on": "files" }])).unwrap();
        if is_final {
            world.simulator.set_faults(&json!([])).unwrap();
        }
        let failed = world.network.fetch(&origin, &source).await.err().unwrap();
        assert_eq!(matches!(failed, MediaError::Final(_)), is_final, "{failed:?}");
    }
}

/// With the token of its page an Instagram account has no path of its own.
#[tokio::test]
async fn marks_and_typing_go_by_the_path_that_leads_to_either_network() {
    for action in ["mark_seen", "typing_on"] {
        acts(action).await;
    }
}

#[expect(clippy::unwrap_used, reason = "test support")]
async fn acts(action: &'static str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = Vec::new();
        while !String::from_utf8_lossy(&read).contains(action) {
            assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "all of the request");
        }
        let answer = r#"{"recipient_id":"1785"}"#;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length";
        let answer = format!("{head}: {}\r\n\r\n{answer}", answer.len());
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8_lossy(&read).into_owned()
    });
    let (token, person) = (SecretString::from("page-token"), "1785".to_owned().into());
    let network = network_at(base_url);
    match action {
        "typing_on" => network.show_typing(&token, &person).await.unwrap(),
        _ => network.mark_seen(&token, &person).await.unwrap(),
    }
    let asked = asked.await.unwrap();
    assert!(asked.starts_with("POST /v25.0/me/messages"), "{asked}");
}
