//! `GET /attachments/{workspace}/{file}`, and the links to it.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "test support")]

use std::time::Duration;

use bytes::Bytes;
use domain::{
    attachments::{
        AskedBytes, AttachmentKind, ContentType, ObjectKey, StoredAttachment,
        ports::{FoundPart, MediaError, StoredObject, StoredPart},
    },
    messages::ports::KeptMessage,
    testing::{a_message, a_vault, a_workspace},
};
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::{
    service::{Ports, Service},
    wire::answer,
};

/// A browser's own document around a film or a sound loads the file itself, and nothing else is loaded or
/// run.
const POLICY: &str =
    "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

const CONVERSATION: &str = "/v1/conversations/0192f0c1-7a00-7000-8000-00000000000a/messages";

fn key(content_type: &str) -> ObjectKey {
    let content_type = ContentType::read(content_type);
    ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, content_type)
}

/// A service that keeps one file, which is on a message.
fn service(content_type: &'static str) -> Service {
    let mut ports = Ports::new();
    ports.objects.expect_open().returning(move |asked| {
        let bytes = stream::iter([Ok(Bytes::from_static(b"a ")), Ok(Bytes::from_static(b"file"))]).boxed();
        Ok((*asked == key(content_type)).then_some(StoredObject { size: 6, bytes }))
    });
    ports.objects.expect_open_part().returning(|_, asked| Ok(Some(part(asked))));
    ports.messages.expect_list().returning(move |_, _, _| {
        let file = StoredAttachment {
            kind: AttachmentKind::Document,
            key: key(content_type),
            content_type: ContentType::read(content_type),
            bytes: 6,
            title: Some("فاتورة.pdf".to_owned()),
        };
        Ok(Some(vec![KeptMessage {
            message: a_message(),
            files: vec![file],
            missing: Vec::new(),
            awaited: Vec::new(),
            sending: None,
        }]))
    });
    ports.start()
}

/// Returns the requested part of the file.
fn part(asked: AskedBytes) -> FoundPart {
    let Some(range) = asked.of(6) else { return FoundPart::Beyond(6) };
    let kept = range.clone().map(|place| Ok(Bytes::from(vec![b"a file"[usize::try_from(place).unwrap()]])));
    let bytes = stream::iter(kept.collect::<Vec<_>>()).boxed();
    FoundPart::Of(StoredPart { size: 6, range, bytes })
}

/// Returns the path of the link on the listed message.
async fn link(service: &Service) -> String {
    let listed = answer(service.call("GET", CONVERSATION)).await;
    let attachment = &listed.body["data"][0]["attachments"][0];
    let url = attachment["url"].as_str().unwrap();
    let mut rest = attachment.clone();
    rest.as_object_mut().unwrap().remove("url");
    let content_type = attachment["contentType"].clone();
    let wanted =
        json!({ "kind": "document", "contentType": content_type, "bytes": 6, "title": "فاتورة.pdf" });
    assert_eq!(rest, wanted);
    url.strip_prefix("http://files.example").unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_opens_its_file_without_a_key_and_with_safe_headers() {
    for (content_type, disposition) in [
        ("image/png", "inline; filename=\"attachment.png\""),
        ("video/mp4", "inline; filename=\"attachment.mp4\""),
        ("application/pdf", "attachment; filename=\"attachment.pdf\""),
        ("application/octet-stream", "attachment; filename=\"attachment.bin\""),
    ] {
        let service = service(content_type);
        let link = link(&service).await;
        let answer = service.bare("GET", &link).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        for (header, wanted) in [
            ("content-type", content_type),
            ("content-length", "6"),
            ("content-disposition", disposition),
            ("content-security-policy", POLICY),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "private, no-store"),
            ("accept-ranges", "bytes"),
        ] {
            assert_eq!(answer.headers()[header], wanted, "{header}");
        }
        assert_eq!(answer.bytes().await.unwrap().as_ref(), b"a file");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_part_of_a_file_is_had_by_itself() {
    let service = service("audio/ogg");
    let link = link(&service).await;
    for (asked, said, bytes) in [
        ("bytes=0-1", "bytes 0-1/6", "a "),
        ("bytes=2-99", "bytes 2-5/6", "file"),
        ("bytes=2-", "bytes 2-5/6", "file"),
        ("bytes=0-", "bytes 0-5/6", "a file"),
        ("bytes=-3", "bytes 3-5/6", "ile"),
    ] {
        let answer = service.bare("GET", &link).header("range", asked).send().await.unwrap();
        assert_eq!(answer.status(), 206, "{asked}");
        for (header, wanted) in [
            ("content-range", said),
            ("content-length", &bytes.len().to_string()),
            ("accept-ranges", "bytes"),
            ("content-type", "audio/ogg"),
            ("content-security-policy", POLICY),
        ] {
            assert_eq!(answer.headers()[header], wanted, "{asked}: {header}");
        }
        assert_eq!(answer.text().await.unwrap(), bytes, "{asked}");
    }
    for asked in ["bytes=6-", "bytes=6-7", "bytes=-0"] {
        let refused = service.bare("GET", &link).header("range", asked).send().await.unwrap();
        assert_eq!(refused.status(), 416, "{asked}");
        assert_eq!(refused.headers()["content-range"], "bytes */6", "{asked}");
    }
    let whole = |name: &'static str, value: &'static str| {
        service.bare("GET", &link).header("range", "bytes=0-1").header(name, value)
    };
    let mut odd: Vec<_> = ["bytes=0-0,2-3", "bytes=3-1", "items=0-1", "bytes=x"]
        .map(|asked| service.bare("GET", &link).header("range", asked))
        .into();
    odd.push(whole("if-range", "\"a-tag\""));
    odd.push(whole("range", "bytes=2-3"));
    for request in odd {
        let answer = request.send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.headers().get("content-range")), (200, None));
        assert_eq!(answer.text().await.unwrap(), "a file");
    }
    // A part opens to nobody else.
    let forged = link.replace("signature=", "signature=0");
    let refused = answer(service.bare("GET", &forged).header("range", "bytes=0-1")).await;
    refused.assert_error(403, "Forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_or_expired_link_opens_nothing() {
    let service = service("image/png");
    let link = link(&service).await;
    let (path, query) = link.split_once('?').unwrap();
    for changed in [
        path.to_owned(),
        format!("{path}?expires=99999999999"),
        link.replace("expires=", "expires=1"),
        link.replace("signature=", "signature=0"),
        format!("{}?{query}", path.replace(".png", ".pdf")),
    ] {
        let refused = answer(service.bare("GET", &changed)).await;
        refused.assert_error(403, "Forbidden");
    }
    for unknown in [path.replace(".png", ".html"), path.replace('-', ""), format!("{path}/more")] {
        answer(service.bare("GET", &format!("{unknown}?{query}"))).await.assert_error(404, "Not Found");
    }
    answer(service.call("GET", &link)).await.assert_error(401, "Unauthorized");
    answer(service.bare("POST", &link)).await.assert_error(405, "Method Not Allowed");
    service.clock.advance(Duration::from_hours(24));
    let expired = answer(service.bare("GET", &link)).await;
    expired.assert_error(403, "Forbidden");
    assert!(expired.message().contains("expired"), "{expired:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_says_nothing_of_why() {
    let mut ports = Ports::new();
    let kept = StoredAttachment {
        kind: AttachmentKind::Image,
        key: key("image/png"),
        content_type: ContentType::read("image/png"),
        bytes: 6,
        title: None,
    };
    ports.messages.expect_list().return_once(move |_, _, _| {
        Ok(Some(vec![KeptMessage {
            message: a_message(),
            files: vec![kept],
            missing: Vec::new(),
            awaited: Vec::new(),
            sending: None,
        }]))
    });
    ports.objects.expect_open().returning(|_| Err(MediaError::Passing("a secret of the store".to_owned())));
    let service = ports.start();
    let listed = answer(service.call("GET", CONVERSATION)).await;
    let url = listed.body["data"][0]["attachments"][0]["url"].as_str().unwrap().to_owned();
    let failed = answer(service.bare("GET", url.strip_prefix("http://files.example").unwrap())).await;
    failed.assert_error(503, "Service Unavailable");
    assert!(!failed.message().contains("secret"), "{failed:?}");
}
