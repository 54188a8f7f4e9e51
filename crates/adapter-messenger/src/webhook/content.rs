//! Content of a message: its text, its files, and texts that describe anything else.

use domain::{
    attachments::{AttachmentKind, MediaSource},
    inbound::InboundMedia,
    messages::Product,
};
use graph_client::webhook;
use serde_json::Value;

/// Text and files of a message.
#[derive(Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) words: String,
    pub(super) media: Vec<InboundMedia>,
    /// Files that the network named without an address.
    pub(super) lost: Vec<AttachmentKind>,
    /// First product that it is about.
    pub(super) product: Option<Box<Product>>,
}

/// Parses the content of a message. One that contains nothing we know says so in brackets: that somebody
/// wrote must not be lost.
pub(super) fn content(message: &Value) -> Content {
    let text = webhook::text(message.get("text"));
    let mut words: Vec<String> = text.iter().cloned().collect();
    let (mut media, mut lost, mut product) = (Vec::new(), Vec::new(), None);
    for attachment in message.get("attachments").and_then(Value::as_array).into_iter().flatten() {
        product = product.or_else(|| product_of(attachment));
        match said(attachment) {
            Said::File(file) => media.push(file),
            // The text beside the file stands for it.
            Said::Lost(kind) if text.is_some() => lost.push(kind),
            Said::Lost(kind) => {
                words.push(kind.stand_in());
                lost.push(kind);
            }
            // A preview of a link in the text repeats it.
            Said::Words(said) => words.extend(said.into_iter().filter(|line| !holds(text.as_deref(), line))),
        }
    }
    if words.is_empty() && media.is_empty() {
        words.push("[unsupported]".to_owned());
    }
    Content { words: words.join("\n"), media, lost, product }
}

/// Returns the first product of a template that shows products.
fn product_of(attachment: &Value) -> Option<Box<Product>> {
    let shown = attachment.get("payload")?.get("product")?;
    let first = shown.get("elements").and_then(|elements| elements.get(0)).unwrap_or(shown);
    let text = |name: &str| webhook::text(first.get(name));
    let id = text("retailer_id").or_else(|| webhook::network_id(first.get("id")))?;
    let catalog_id = webhook::network_id(shown.get("catalog_id").or(first.get("catalog_id")));
    Some(Box::new(Product { id, catalog_id, title: text("title"), subtitle: text("subtitle") }))
}

/// Renders a template or another rich part, element by element: its title, the line under it, and the
/// business's id of the product.
fn of_template(payload: &Value) -> Vec<String> {
    let held = ["product", "generic"].into_iter().find_map(|kind| payload.get(kind)).unwrap_or(payload);
    let elements = held.get("elements").and_then(Value::as_array);
    let of_element = |element: &Value| {
        let text = |name: &str| webhook::text(element.get(name));
        let said = [text("title"), text("subtitle"), text("retailer_id")];
        said.into_iter().flatten().collect::<Vec<_>>()
    };
    let said: Vec<String> = elements.into_iter().flatten().flat_map(of_element).collect();
    if said.is_empty() { webhook::words(held) } else { said }
}

fn holds(text: Option<&str>, line: &str) -> bool {
    text.is_some_and(|text| text.contains(line))
}

enum Said {
    File(InboundMedia),
    Lost(AttachmentKind),
    Words(Vec<String>),
}

fn said(attachment: &Value) -> Said {
    let kind = attachment.get("type").and_then(Value::as_str).unwrap_or("attachment");
    let payload = attachment.get("payload").unwrap_or(&Value::Null);
    let field = |name: &str| webhook::text(payload.get(name)).or_else(|| webhook::text(attachment.get(name)));
    let file = match kind {
        "image" if payload.get("sticker_id").is_some() => Some(AttachmentKind::Sticker),
        "image" => Some(AttachmentKind::Image),
        "video" => Some(AttachmentKind::Video),
        "audio" => Some(AttachmentKind::Audio),
        "sticker" => Some(AttachmentKind::Sticker),
        // A mention shows a picture or a film of the person's own; which of them is not told.
        "file" | "story_mention" => Some(AttachmentKind::File),
        _ => None,
    };
    if let Some(kind) = file {
        return field("url").map_or(Said::Lost(kind), |url| Said::File(of_person(kind, url)));
    }
    let words = match kind {
        "like_heart" => Some("❤".to_owned()),
        "location" => payload.get("coordinates").and_then(coordinates),
        _ => field("url"),
    };
    let mut words: Vec<String> = field("title").into_iter().chain(words).collect();
    if words.is_empty() {
        words = of_template(payload);
    }
    if words.is_empty() {
        words.push(format!("[{}]", webhook::shown_name(kind)));
    }
    Said::Words(words)
}

/// Builds a file behind an address. Speech comes as `audio`; other sounds come as `file`.
fn of_person(kind: AttachmentKind, url: String) -> InboundMedia {
    InboundMedia {
        kind,
        source: MediaSource::Url(url),
        content_type: None,
        title: None,
        sha256: None,
        voice: kind == AttachmentKind::Audio,
    }
}

fn coordinates(place: &Value) -> Option<String> {
    let figure = |name: &str| match place.get(name)? {
        Value::Number(number) => Some(number.to_string()),
        text => webhook::text(Some(text)),
    };
    Some(format!("{}, {}", figure("lat")?, figure("long")?))
}

#[cfg(test)]
mod tests {
    use domain::{
        attachments::{AttachmentKind, MediaSource},
        messages::Product,
    };
    use serde_json::{Value, json};

    use super::content;

    fn words(message: &Value) -> String {
        let read = content(message);
        assert_eq!(read.media, [], "{message}");
        read.words
    }

    #[test]
    fn a_file_without_an_address_is_said_to_be_lost() {
        use AttachmentKind::{Audio, File, Image};
        let of = |kind: &str| json!({ "type": kind, "payload": {} });
        for (message, wanted, lost) in [
            (json!({ "attachments": [of("image")] }), "[image]", vec![Image]),
            (json!({ "attachments": [of("image"), of("audio")] }), "[image]\n[audio]", vec![Image, Audio]),
            (json!({ "text": "These", "attachments": [of("image")] }), "These", vec![Image]),
            (json!({ "attachments": [of("story_mention")] }), "[file]", vec![File]),
            (json!({ "attachments": [of("ephemeral")] }), "[ephemeral]", vec![]),
        ] {
            let read = content(&message);
            assert_eq!((read.words.as_str(), read.lost), (wanted, lost), "{message}");
        }
    }

    #[test]
    fn what_is_no_text_is_put_into_words() {
        let with = |attachment: Value| json!({ "attachments": [attachment] });
        for (message, wanted) in [
            (json!({ "text": "مرحبا\u{0} 😀" }), "مرحبا 😀"),
            (json!({ "text": "Yes", "quick_reply": { "payload": "YES" } }), "Yes"),
            (
                with(json!({ "type": "location", "title": "Sara's place",
                             "payload": { "coordinates": { "lat": 33.3152, "long": "44.3661" } } })),
                "Sara's place\n33.3152, 44.3661",
            ),
            (
                json!({ "text": "Look: https://shop.example/7", "attachments": [{ "type": "fallback",
                        "payload": { "url": "https://shop.example/7", "title": "Product 7" } }] }),
                "Look: https://shop.example/7\nProduct 7",
            ),
            (
                with(
                    json!({ "type": "fallback", "title": "Product 7", "url": "https://shop.example/7", "payload": null }),
                ),
                "Product 7\nhttps://shop.example/7",
            ),
            (
                with(json!({ "type": "share", "payload": { "url": "https://l.example/p" } })),
                "https://l.example/p",
            ),
            (
                with(
                    json!({ "type": "ig_reel", "payload": { "title": "A reel", "url": "https://l.example/r" } }),
                ),
                "A reel\nhttps://l.example/r",
            ),
            (with(json!({ "type": "template", "payload": { "template_type": "generic" } })), "[template]"),
            (
                json!({ "text": "بكم هذا؟", "attachments": [{ "type": "template", "payload": { "product": { "elements": [
                        { "id": "771", "retailer_id": "SKU-9", "image_url": "https://s.example/a.jpg",
                          "title": "سماعة بلوتوث", "subtitle": "25,000 د.ع" }, { "title": "شاحن" }] } } }] }),
                "بكم هذا؟\nسماعة بلوتوث\n25,000 د.ع\nSKU-9\nشاحن",
            ),
            (
                with(json!({ "type": "template", "payload": { "generic": { "elements": [
                        { "title": "عرض اليوم", "subtitle": "خصم", "default_action": { "url": "https://l.example" } }] } } })),
                "عرض اليوم\nخصم",
            ),
            (
                with(
                    json!({ "type": "template", "payload": { "template_type": "button", "text": "اختر", "buttons": [
                        { "type": "postback", "title": "نعم", "payload": "YES" }] } }),
                ),
                "اختر\nنعم",
            ),
            (with(json!({ "type": "like_heart" })), "❤"),
            (with(json!({ "type": "ephemeral" })), "[ephemeral]"),
            (with(json!({ "type": "a new\none" })), "[unnamed]"),
            (with(json!({ "type": "image", "payload": {} })), "[image]"),
            (with(json!(5)), "[attachment]"),
            (json!({ "is_unsupported": true }), "[unsupported]"),
            (json!({ "text": " ", "attachments": "none" }), "[unsupported]"),
        ] {
            assert_eq!(words(&message), wanted, "{message}");
        }
    }

    #[test]
    fn the_product_that_is_asked_about_is_told_as_one() {
        let product = |id: &str, title: Option<&str>| {
            Some(Box::new(Product {
                id: id.to_owned(),
                title: title.map(str::to_owned),
                ..Product::default()
            }))
        };
        for (payload, wanted) in [
            (
                json!({ "product": { "elements": [{ "id": "771", "retailer_id": "SKU-9", "title": "A" }, { "id": 5 }] } }),
                product("SKU-9", Some("A")),
            ),
            (json!({ "product": { "elements": [{ "id": 771 }] } }), product("771", None)),
            (json!({ "product": { "elements": [] } }), None),
            (json!({ "generic": { "elements": [{ "id": "1" }] } }), None),
            (Value::Null, None),
        ] {
            let message = json!({ "attachments": [{ "type": "template", "payload": payload }] });
            assert!(content(&message).product == wanted, "{message}");
        }
    }

    #[test]
    fn files_are_named_by_their_addresses() {
        for (attachment, kind) in [
            (json!({ "type": "image", "payload": { "url": "https://s.example/f" } }), AttachmentKind::Image),
            (
                json!({ "type": "image", "payload": { "url": "https://s.example/f", "sticker_id": 3 } }),
                AttachmentKind::Sticker,
            ),
            (
                json!({ "type": "sticker", "payload": { "url": "https://s.example/f" } }),
                AttachmentKind::Sticker,
            ),
            (json!({ "type": "video", "payload": { "url": "https://s.example/f" } }), AttachmentKind::Video),
            (json!({ "type": "audio", "payload": { "url": "https://s.example/f" } }), AttachmentKind::Audio),
            (json!({ "type": "file", "payload": { "url": "https://s.example/f" } }), AttachmentKind::File),
            (
                json!({ "type": "story_mention", "payload": { "url": "https://s.example/f" } }),
                AttachmentKind::File,
            ),
        ] {
            let read = content(&json!({ "text": "These", "attachments": [attachment, attachment] }));
            assert_eq!((read.words.as_str(), read.media.len()), ("These", 2));
            assert_eq!(read.media[0].kind, kind);
            assert_eq!(read.media[0].source, MediaSource::Url("https://s.example/f".to_owned()));
            assert_eq!(read.media[0].voice, kind == AttachmentKind::Audio);
        }
    }
}
