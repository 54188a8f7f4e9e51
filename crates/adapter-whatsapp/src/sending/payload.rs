//! Bodies of sends on the wire (docs/run/networks.md, "Template sends").

use domain::{
    attachments::AttachmentKind,
    messages::ReplyButton,
    sending::{
        BodyValue, ButtonValue, FileMessage, HeaderValue, Location, PhotoMessage, Recipient, TemplateMessage,
        TextMessage,
    },
};
use serde_json::{Map, Value, json};

/// Builds the body of a plain text. Links get no preview, which would be fetched from the customer's site.
/// With buttons it is a message of another type (docs/run/networks.md, "Buttons under a text").
pub(super) fn text(message: &TextMessage) -> Value {
    let (field, to) = addressed(&message.to);
    let (kind, content) = if message.buttons.is_empty() {
        ("text", json!({ "body": message.text, "preview_url": false }))
    } else {
        let button = |ReplyButton { id, title }: &ReplyButton| json!({ "type": "reply", "reply": { "id": id, "title": title } });
        let buttons: Vec<Value> = message.buttons.iter().map(button).collect();
        let action = json!({ "buttons": buttons });
        ("interactive", json!({ "type": "button", "body": { "text": message.text }, "action": action }))
    };
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        field: to,
        "type": kind,
        "biz_opaque_callback_data": message.tag.to_string(),
        kind: content,
    })
}

/// Builds the body of a photo, which the network fetches by its link.
pub(super) fn photo(message: &PhotoMessage) -> Value {
    let (field, to) = addressed(&message.to);
    let mut image = Map::from_iter([("link".to_owned(), json!(message.photo.as_str()))]);
    if let Some(caption) = &message.caption {
        image.insert("caption".to_owned(), json!(caption));
    }
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        field: to,
        "type": "image",
        "biz_opaque_callback_data": message.tag.to_string(),
        "image": image,
    })
}

/// Builds the body of a file, which the network has by its id or fetches by its link. Only a document shows
/// its name (docs/run/networks.md, "Template sends").
pub(super) fn file(message: &FileMessage) -> Value {
    let (field, to) = addressed(&message.to);
    let kind = match message.kind {
        AttachmentKind::File => AttachmentKind::Document.as_str(),
        kind => kind.as_str(),
    };
    let (named, media) = match &message.uploaded {
        Some(uploaded) => ("id", uploaded.id()),
        None => ("link", message.link.as_str()),
    };
    let mut content = Map::from_iter([(named.to_owned(), json!(media))]);
    if let Some(caption) = &message.caption {
        content.insert("caption".to_owned(), json!(caption));
    }
    if kind == AttachmentKind::Document.as_str() {
        let generic = format!("attachment.{}", message.file.content_type.extension());
        content.insert("filename".to_owned(), json!(message.file.title.as_ref().unwrap_or(&generic)));
    }
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        field: to,
        "type": kind,
        "biz_opaque_callback_data": message.tag.to_string(),
        kind: content,
    })
}

fn addressed(to: &Recipient) -> (&'static str, &str) {
    match to {
        Recipient::Phone(phone) => ("to", phone.digits()),
        Recipient::User(user) => ("recipient", user.value()),
    }
}

/// Builds the body of a template send.
pub(super) fn payload(message: &TemplateMessage) -> Value {
    let name = &message.template.name;
    let language = json!({ "code": message.template.language });
    let components = components(message);
    let template = if components.is_empty() {
        json!({ "name": name, "language": language })
    } else {
        json!({ "name": name, "language": language, "components": components })
    };
    json!({
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": message.to.digits(),
        "type": "template",
        "biz_opaque_callback_data": message.tag.to_string(),
        "template": template,
    })
}

/// Lists the parts that contain a value: the network refuses the others.
fn components(message: &TemplateMessage) -> Vec<Value> {
    let header = message.header.iter().map(|value| component("header", &[header(value)]));
    let values: Vec<Value> =
        message.body.iter().map(|BodyValue { label, text }| named(label, text)).collect();
    let body = (!values.is_empty()).then(|| component("body", &values));
    header.chain(body).chain(message.buttons.iter().map(button)).collect()
}

fn component(kind: &str, parameters: &[Value]) -> Value {
    json!({ "type": kind, "parameters": parameters })
}

fn header(value: &HeaderValue) -> Value {
    match value {
        HeaderValue::Text { label, text } => named(label, text),
        HeaderValue::Image(link) => json!({ "type": "image", "image": { "link": link } }),
        HeaderValue::Video(link) => json!({ "type": "video", "video": { "link": link } }),
        HeaderValue::Document { link, filename: None } => {
            json!({ "type": "document", "document": { "link": link } })
        }
        HeaderValue::Document { link, filename: Some(filename) } => {
            json!({ "type": "document", "document": { "link": link, "filename": filename } })
        }
        HeaderValue::Location(place) => json!({ "type": "location", "location": location(place) }),
    }
}

fn location(place: &Location) -> Value {
    let named = [("name", &place.name), ("address", &place.address)];
    let mut fields = Map::from_iter([
        ("latitude".to_owned(), json!(place.latitude)),
        ("longitude".to_owned(), json!(place.longitude)),
    ]);
    fields.extend(
        named.into_iter().filter_map(|(field, text)| Some((field.to_owned(), json!(text.as_ref()?)))),
    );
    Value::Object(fields)
}

/// Builds the text for a variable: a numbered one is known by its position, any other by its name.
fn named(label: &str, text: &str) -> Value {
    if label.bytes().all(|byte| byte.is_ascii_digit()) {
        json!({ "type": "text", "text": text })
    } else {
        json!({ "type": "text", "parameter_name": label, "text": text })
    }
}

/// Builds the end of a button's link. The button of a one-time code is a link to the network, too.
fn button(ButtonValue { position, text }: &ButtonValue) -> Value {
    json!({
        "type": "button",
        "sub_type": "url",
        "index": position.to_string(),
        "parameters": [{ "type": "text", "text": text }],
    })
}

#[cfg(test)]
mod tests {
    use domain::{
        messages::TemplateRef,
        phone::PhoneNumber,
        sending::{BodyValue, ButtonValue, HeaderValue, Location, TemplateMessage},
    };
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::payload;

    fn message(
        header: Option<HeaderValue>,
        body: &[(&str, &str)],
        buttons: &[(usize, &str)],
    ) -> TemplateMessage {
        let body_value =
            |(label, text): &(&str, &str)| BodyValue { label: (*label).to_owned(), text: (*text).to_owned() };
        TemplateMessage {
            tag: Uuid::from_u128(7).into(),
            to: PhoneNumber::from_e164("+9647701234567").unwrap(),
            template: TemplateRef { name: "order_ready".to_owned(), language: "ar".to_owned() },
            header,
            body: body.iter().map(body_value).collect(),
            buttons: buttons
                .iter()
                .map(|(position, text)| ButtonValue { position: *position, text: (*text).to_owned() })
                .collect(),
            priority: domain::sending::Priority::Ordinary,
        }
    }

    fn components(message: &TemplateMessage) -> Value {
        payload(message)["template"]["components"].clone()
    }

    #[test]
    fn a_template_without_variables_has_no_components() {
        assert_eq!(
            payload(&message(None, &[], &[])),
            json!({
                "messaging_product": "whatsapp",
                "recipient_type": "individual",
                "to": "9647701234567",
                "type": "template",
                "biz_opaque_callback_data": "00000000-0000-0000-0000-000000000007",
                "template": { "name": "order_ready", "language": { "code": "ar" } },
            })
        );
    }

    #[test]
    fn numbered_values_go_by_their_place_and_named_ones_by_their_name() {
        assert_eq!(
            components(&message(None, &[("1", "سارة"), ("2", "A-1042")], &[])),
            json!([{ "type": "body", "parameters": [
                { "type": "text", "text": "سارة" },
                { "type": "text", "text": "A-1042" },
            ] }])
        );
        assert_eq!(
            components(&message(None, &[("customer_name", "سارة"), ("order2", "A-1042")], &[])),
            json!([{ "type": "body", "parameters": [
                { "type": "text", "parameter_name": "customer_name", "text": "سارة" },
                { "type": "text", "parameter_name": "order2", "text": "A-1042" },
            ] }])
        );
    }

    #[test]
    fn each_header_has_its_own_parameter() {
        let link = || "https://f.example/i".to_owned();
        let text = |label: &str| HeaderValue::Text { label: label.to_owned(), text: "سارة".to_owned() };
        for (header, parameter) in [
            (text("1"), json!({ "type": "text", "text": "سارة" })),
            (text("who"), json!({ "type": "text", "parameter_name": "who", "text": "سارة" })),
            (HeaderValue::Image(link()), json!({ "type": "image", "image": { "link": link() } })),
            (HeaderValue::Video(link()), json!({ "type": "video", "video": { "link": link() } })),
            (
                HeaderValue::Document { link: link(), filename: None },
                json!({ "type": "document", "document": { "link": link() } }),
            ),
            (
                HeaderValue::Document { link: link(), filename: Some("i.pdf".to_owned()) },
                json!({ "type": "document", "document": { "link": link(), "filename": "i.pdf" } }),
            ),
            (
                HeaderValue::Location(Location {
                    latitude: 33.3152,
                    longitude: 44.3661,
                    ..Location::default()
                }),
                json!({ "type": "location", "location": { "latitude": 33.3152, "longitude": 44.3661 } }),
            ),
            (
                HeaderValue::Location(Location {
                    latitude: -1.5,
                    longitude: 0.0,
                    name: Some("العيادة".to_owned()),
                    address: Some("شارع السعدون".to_owned()),
                }),
                json!({ "type": "location", "location": {
                    "latitude": -1.5, "longitude": 0.0, "name": "العيادة", "address": "شارع السعدون",
                } }),
            ),
        ] {
            assert_eq!(
                components(&message(Some(header), &[], &[])),
                json!([{ "type": "header", "parameters": [parameter] }])
            );
        }
    }

    #[test]
    fn link_buttons_name_their_place_among_all_buttons() {
        assert_eq!(
            components(&message(None, &[], &[(1, "A-1042"), (3, "B-7")])),
            json!([
                { "type": "button", "sub_type": "url", "index": "1",
                  "parameters": [{ "type": "text", "text": "A-1042" }] },
                { "type": "button", "sub_type": "url", "index": "3",
                  "parameters": [{ "type": "text", "text": "B-7" }] },
            ])
        );
    }

    #[test]
    fn a_one_time_code_fills_the_body_and_the_button() {
        assert_eq!(
            components(&message(None, &[("1", "483920")], &[(0, "483920")])),
            json!([
                { "type": "body", "parameters": [{ "type": "text", "text": "483920" }] },
                { "type": "button", "sub_type": "url", "index": "0",
                  "parameters": [{ "type": "text", "text": "483920" }] },
            ])
        );
    }
}
