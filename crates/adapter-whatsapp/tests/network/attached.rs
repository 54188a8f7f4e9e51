//! A file on its way to the network: uploaded, then named.

use std::sync::Arc;

use bytes::Bytes;
use domain::{
    attachments::{
        AttachmentKind, ContentType, ObjectKey, StoredAttachment,
        ports::{MediaError, MockObjectStore, StoredObject},
    },
    link::PhotoUrl,
    phone::PhoneNumber,
    sending::{
        FileMessage, PhotoMessage, Recipient, ReplyWindow,
        ports::{MessagingNetwork, SendFailure},
    },
};
use futures_util::{StreamExt, stream};
use network_simulator::{Config, Simulator, Window, demo_accounts};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{network_at, scripted::Scripted, token};

/// The demo's first number, by its id at the network.
const NUMBER: &str = "106540352242922";
const FILE: [&[u8]; 2] = [b"%PDF-1.4 ", b"the first page"];

fn a_file(kind: AttachmentKind, content_type: &str, title: Option<&str>) -> FileMessage {
    let content_type = ContentType::read(content_type);
    let key = format!("{}/{}.{}", Uuid::nil(), "0".repeat(64), content_type.extension());
    FileMessage {
        tag: Uuid::from_u128(7).into(),
        to: Recipient::Phone(PhoneNumber::from_e164("+9647701234567").unwrap()),
        kind,
        file: StoredAttachment {
            kind,
            key: ObjectKey::read(&key).unwrap(),
            content_type,
            bytes: 23,
            title: title.map(str::to_owned),
        },
        link: "https://files.example/a".to_owned(),
        uploaded: None,
        caption: Some("تفضلي".to_owned()),
        window: ReplyWindow::Within24h,
    }
}

/// Where [`FILE`] is kept.
fn kept() -> Arc<MockObjectStore> {
    let mut objects = MockObjectStore::new();
    objects.expect_open().returning(|_| {
        let chunks = FILE.map(|chunk| Ok::<_, MediaError>(Bytes::from_static(chunk)));
        Ok(Some(StoredObject { size: 23, bytes: stream::iter(chunks).boxed() }))
    });
    Arc::new(objects)
}

#[tokio::test]
async fn a_file_is_uploaded_byte_for_byte_and_sent_by_its_id() {
    let mut config = Config::new("app secret", "agreed");
    config.accounts = demo_accounts(&token()).unwrap();
    config.window = Window::Open;
    let simulator = Simulator::start(config).await.unwrap();
    let network = network_at(simulator.url()).with_files(kept());
    for (kind, content_type, title, name, content) in [
        (AttachmentKind::Image, "image/png", Some("a.png"), "image", json!({ "caption": "تفضلي" })),
        (
            AttachmentKind::Document,
            "application/pdf",
            Some("قائمة \"1\".pdf"),
            "document",
            json!({ "caption": "تفضلي", "filename": "قائمة \"1\".pdf" }),
        ),
        (
            AttachmentKind::Document,
            "application/pdf",
            None,
            "document",
            json!({ "caption": "تفضلي", "filename": "attachment.pdf" }),
        ),
    ] {
        let mut file = a_file(kind, content_type, title);
        let before = simulator.messages().len();
        file.uploaded = network.upload_file(NUMBER, &token(), &file.to, &file.file).await.unwrap();
        assert_eq!(simulator.messages().len(), before, "an upload reaches nobody");
        let sent = network.send_file(NUMBER, &token(), &file).await.unwrap();
        let message: Value = simulator.messages().pop().unwrap();
        assert_eq!(message["id"], sent.reveal());
        let mut shown = message["body"][name].clone();
        let media = shown.as_object_mut().unwrap().remove("id").unwrap();
        assert_eq!((&message["body"]["type"], &shown), (&json!(name), &content));
        let arrived = simulator.file(media.as_str().unwrap()).unwrap();
        assert_eq!(arrived, (content_type.to_owned(), FILE.concat()));
    }
}

#[tokio::test]
async fn a_file_that_was_not_uploaded_is_fetched_by_its_link() {
    let accepted = json!({ "messages": [{ "id": "wamid.A" }] }).to_string();
    let server = Scripted::start(vec![Some((200, accepted))]).await;
    let network = network_at(server.url.clone());
    let file = a_file(AttachmentKind::Image, "image/png", None);
    network.send_file("1065", &token(), &file).await.unwrap();
    let [asked] = &server.asked()[..] else { panic!("{:?}", server.asked()) };
    assert_eq!(asked.json()["image"]["link"], "https://files.example/a");
}

#[tokio::test]
async fn a_photo_that_lies_elsewhere_is_fetched_by_its_link_with_the_text_under_it() {
    for (caption, image) in [
        (Some("تفضلي"), json!({ "link": "https://shop.example/a.jpg", "caption": "تفضلي" })),
        (None, json!({ "link": "https://shop.example/a.jpg" })),
    ] {
        let accepted = json!({ "messages": [{ "id": "wamid.A" }] }).to_string();
        let server = Scripted::start(vec![Some((200, accepted))]).await;
        let FileMessage { tag, to, window, .. } = a_file(AttachmentKind::Image, "image/png", None);
        let photo = PhotoUrl::parse("https://shop.example/a.jpg").unwrap();
        let message = PhotoMessage { tag, to, photo, caption: caption.map(str::to_owned), window };
        network_at(server.url.clone()).send_photo("1065", &token(), &message).await.unwrap();
        let [asked] = &server.asked()[..] else { panic!("{:?}", server.asked()) };
        assert_eq!(asked.json()["image"], image);
    }
}

#[tokio::test]
async fn whatever_becomes_of_an_upload_nothing_was_sent() {
    let error = |code: i64| json!({ "error": { "message": "words", "code": code } }).to_string();
    for (status, body, refused) in [
        (400, error(131_053), true),
        (429, error(130_429), false),
        (500, error(131_000), false),
        (200, "{}".to_owned(), false),
        (502, "<html>".to_owned(), false),
    ] {
        let server = Scripted::start(vec![Some((status, body.clone()))]).await;
        let network = network_at(server.url.clone()).with_files(kept());
        let file = a_file(AttachmentKind::Image, "image/png", None);
        let failed = network.upload_file("1065", &token(), &file.to, &file.file).await.unwrap_err();
        let came_to = match failed {
            SendFailure::Refused { .. } => true,
            SendFailure::HeldBack { .. } | SendFailure::NotSent { .. } => false,
            SendFailure::Unknown { .. } => panic!("{status} {body}"),
        };
        assert_eq!((came_to, server.asked().len()), (refused, 1), "{status} {body}");
    }
    let mut objects = MockObjectStore::new();
    objects.expect_open().returning(|_| Ok(None));
    let nowhere = Scripted::start(Vec::new()).await;
    let network = network_at(nowhere.url.clone()).with_files(Arc::new(objects));
    let file = a_file(AttachmentKind::Image, "image/png", None);
    let lost = network.upload_file("1065", &token(), &file.to, &file.file).await.unwrap_err();
    assert!(matches!(lost, SendFailure::NotSent { .. }), "{lost:?}");
}
