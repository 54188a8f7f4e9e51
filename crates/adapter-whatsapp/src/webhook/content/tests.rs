use domain::{
    attachments::{AttachmentKind, MediaSource},
    inbound::InboundMedia,
};
use serde_json::{Value, json};

use super::{Content, content};

fn words(message: &Value) -> String {
    let read = content(message, message["type"].as_str().unwrap());
    assert_eq!(read.media, [], "{message}");
    read.words
}

#[test]
fn what_is_no_text_is_put_into_words() {
    for (message, wanted) in [
        (json!({ "type": "text", "text": { "body": "مرحبا\u{0} 😀" } }), "مرحبا 😀"),
        (
            json!({ "type": "location", "location": { "latitude": 33.3152, "longitude": 44.3661,
                    "name": "Rafidain Shop", "address": "شارع الرشيد", "url": "https://shop.example" } }),
            "Rafidain Shop\nشارع الرشيد\n33.3152, 44.3661\nhttps://shop.example",
        ),
        (json!({ "type": "location", "location": { "latitude": "33.3", "longitude": 44 } }), "33.3, 44"),
        (
            json!({ "type": "contacts", "contacts": [
                { "name": { "formatted_name": "Ali Hasan", "first_name": "Ali" }, "org": { "company": "Example" },
                  "phones": [{ "phone": "+964 770 765 4321", "wa_id": "9647707654321" }, { "wa_id": "9647800000000" }],
                  "emails": [{ "email": "ali@example.com" }], "urls": [{ "url": "https://example.com" }],
                  "addresses": [{ "street": "14 Ramadan", "city": "Baghdad", "country_code": "iq", "zip": "" }, {}],
                  "birthday": "1990-05-01" },
                { "name": { "first_name": "Sara", "last_name": "K" } }, {}, 5] }),
            "Ali Hasan\nExample\n+964 770 765 4321\n9647800000000\nali@example.com\nhttps://example.com\n\
             14 Ramadan, Baghdad\n1990-05-01\n\nSara K",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "button_reply",
                    "button_reply": { "id": "yes", "title": "نعم" } } }),
            "نعم",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "list_reply",
                    "list_reply": { "id": "2", "title": "Monday 10:00", "description": "Branch Karrada" } } }),
            "Monday 10:00\nBranch Karrada",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply", "nfm_reply": { "name": "flow",
                    "body": "Sent", "response_json": "{\"flow_token\":\"t\",\"day\":\"Monday\",\"guests\":2}" } } }),
            "day: Monday\nguests: 2",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply",
                    "nfm_reply": { "name": "flow", "body": "Sent", "response_json": "يوم الأحد" } } }),
            "يوم الأحد",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply", "nfm_reply": { "body": "Sent",
                    "response_json": "{\"flow_token\":\"t\",\"sizes\":[\"M\",\"L\"],\"when\":{\"day\":\"Monday\"},\"z\":null}" } } }),
            "sizes: M, L\nwhen: day: Monday",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply",
                    "nfm_reply": { "name": "flow", "body": "Sent", "response_json": "" } } }),
            "Sent",
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "product_inquiry", "product_inquiry": {
                    "product": { "title": "سماعة بلوتوث", "price": "25,000 د.ع", "retailer_id": "SKU-9" } } } }),
            "سماعة بلوتوث\n25,000 د.ع\nSKU-9",
        ),
        (
            json!({ "type": "contacts", "contacts": [{ "vcard":
                    "BEGIN:VCARD\r\nFN:Ali Hasan\r\nitem1.TEL;type=CELL:+964 770 765 4321\r\nEND:VCARD" }] }),
            "Ali Hasan\n+964 770 765 4321",
        ),
        (
            json!({ "type": "poll", "poll": { "text": "أي لون؟", "options": [{ "name": "أسود" }] } }),
            "أي لون؟\nأسود",
        ),
        (
            json!({ "type": "unsupported", "errors": [{ "code": 131_060, "title": "This message is unavailable" }] }),
            "[to be opened on the phone]",
        ),
        (json!({ "type": "interactive" }), "[interactive]"),
        (json!({ "type": "button", "button": { "payload": "confirm:A", "text": "تأكيد" } }), "تأكيد"),
        (
            json!({ "type": "order", "order": { "catalog_id": "1", "text": "بدون بصل", "product_items": [
                { "product_retailer_id": "SKU-7", "quantity": 2, "item_price": 12_500.000_000_000_002, "currency": "IQD" },
                { "product_retailer_id": "SKU-9", "quantity": "1", "item_price": 4.5 },
                { "product_retailer_id": 88, "item_price": "1,500" }, {}] } }),
            "2 × SKU-7 · 12500 IQD\n1 × SKU-9 · 4.5\n1 × 88 · 1,500\nبدون بصل",
        ),
        (json!({ "type": "unsupported", "unsupported": { "type": "poll_creation" } }), "[poll_creation]"),
        (json!({ "type": "unsupported", "errors": [{ "code": 131_051 }] }), "[unsupported]"),
        (json!({ "type": "unknown" }), "[unknown]"),
        (json!({ "type": "not yet\nknown" }), "[unnamed]"),
        (json!({ "type": "text", "text": { "body": 5 } }), "[text]"),
        (json!({ "type": "image", "errors": [{ "code": 131_052 }] }), "[image]"),
    ] {
        assert_eq!(words(&message), wanted, "{message}");
    }
}

#[test]
fn files_are_named_by_their_ids() {
    let file = |kind, source, content_type: &str| InboundMedia {
        kind,
        source,
        content_type: Some(content_type.to_owned()),
        title: None,
        sha256: None,
        voice: false,
    };
    let id = || MediaSource::Id("1037543291543636".to_owned());
    let either = MediaSource::IdOrUrl {
        id: "1037543291543636".to_owned(),
        url: "https://lookaside.fbsbx.com/x".to_owned(),
    };
    let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    let bytes = crate::hash::read(base64).unwrap();
    for (message, wanted, media) in [
        (
            json!({ "type": "image", "image": { "id": "1037543291543636", "mime_type": "image/jpeg",
                    "sha256": base64, "caption": "هذه القطعة", "url": "https://lookaside.fbsbx.com/x" } }),
            "هذه القطعة",
            InboundMedia { sha256: Some(bytes), ..file(AttachmentKind::Image, either, "image/jpeg") },
        ),
        (
            json!({ "type": "audio", "audio": { "id": "1037543291543636", "mime_type": "audio/ogg; codecs=opus",
                    "voice": true, "sha256": "?" } }),
            "",
            InboundMedia { voice: true, ..file(AttachmentKind::Audio, id(), "audio/ogg; codecs=opus") },
        ),
        (
            json!({ "type": "voice", "voice": { "id": "1037543291543636", "mime_type": "audio/ogg" } }),
            "",
            InboundMedia { voice: true, ..file(AttachmentKind::Audio, id(), "audio/ogg") },
        ),
        (
            json!({ "type": "video_note", "video_note": { "id": "1037543291543636", "mime_type": "video/mp4" } }),
            "",
            file(AttachmentKind::Video, id(), "video/mp4"),
        ),
        (
            json!({ "type": "model", "model": { "id": "1037543291543636", "mime_type": "model/gltf+json" } }),
            "",
            file(AttachmentKind::File, id(), "model/gltf+json"),
        ),
        (
            json!({ "type": "document", "document": { "id": 1_037_543_291_543_636_u64,
                    "mime_type": "application/pdf", "filename": "فاتورة.pdf" } }),
            "",
            InboundMedia {
                title: Some("فاتورة.pdf".to_owned()),
                ..file(AttachmentKind::Document, id(), "application/pdf")
            },
        ),
        (
            json!({ "type": "sticker", "sticker": { "id": "1037543291543636", "mime_type": "image/webp" } }),
            "",
            file(AttachmentKind::Sticker, id(), "image/webp"),
        ),
        (
            json!({ "type": "video", "video": { "url": "https://lookaside.fbsbx.com/v", "mime_type": "video/mp4" } }),
            "",
            file(
                AttachmentKind::Video,
                MediaSource::Url("https://lookaside.fbsbx.com/v".to_owned()),
                "video/mp4",
            ),
        ),
    ] {
        let read = content(&message, message["type"].as_str().unwrap());
        assert_eq!(read, Content { words: wanted.to_owned(), media: vec![media], lost: None }, "{message}");
    }
}

#[test]
fn a_file_that_the_network_lost_is_said_to_be_lost() {
    for (message, wanted, lost) in [
        (json!({ "type": "image", "errors": [{ "code": 131_052 }] }), "[image]", Some(AttachmentKind::Image)),
        (json!({ "type": "voice", "voice": {} }), "[audio]", Some(AttachmentKind::Audio)),
        (json!({ "type": "video", "video": { "caption": "See" } }), "See", Some(AttachmentKind::Video)),
        (json!({ "type": "model", "model": { "id": "7" } }), "[model]", None),
        (json!({ "type": "model", "model": { "mime_type": "model/gltf+json" } }), "[model]", None),
    ] {
        let read = content(&message, message["type"].as_str().unwrap());
        assert_eq!(read, Content { words: wanted.to_owned(), lost, ..Content::default() }, "{message}");
    }
}
