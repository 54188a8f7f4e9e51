//! Content of a message: its text, its files, and texts that describe anything else (docs/run/networks.md,
//! "What a message says").

use domain::{
    attachments::{AttachmentKind, MediaSource},
    inbound::InboundMedia,
    money::Money,
};
use graph_client::webhook;
use serde_json::Value;

use crate::hash;

/// Text and files of a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) words: String,
    pub(super) media: Vec<InboundMedia>,
    /// A file that the network could not hand over.
    pub(super) lost: Option<AttachmentKind>,
}

impl Content {
    fn of(words: Option<String>) -> Option<Self> {
        words.map(|words| Self { words, ..Self::default() })
    }
}

/// Parses the content of a message of this type. A type that is unknown, or without content, becomes its own
/// name in brackets: that somebody wrote must not be lost.
pub(super) fn content(message: &Value, kind: &str) -> Content {
    let body = message.get(kind).unwrap_or(&Value::Null);
    let read = match kind {
        "text" => Content::of(webhook::text(body.get("body"))),
        "image" => Some(media(body, AttachmentKind::Image, false)),
        "video" => Some(media(body, AttachmentKind::Video, false)),
        "audio" => {
            let voice = body.get("voice").and_then(Value::as_bool) == Some(true);
            Some(media(body, AttachmentKind::Audio, voice))
        }
        "voice" => Some(media(body, AttachmentKind::Audio, true)),
        "document" => Some(media(body, AttachmentKind::Document, false)),
        "sticker" => Some(media(body, AttachmentKind::Sticker, false)),
        "location" => Content::of(location(body)),
        "contacts" => Content::of(cards(body)),
        "interactive" => Content::of(interactive(body)),
        "button" => {
            Content::of(webhook::text(body.get("text")).or_else(|| webhook::text(body.get("payload"))))
        }
        "order" => Content::of(order(body)),
        "unsupported" | "unknown" if is_for_the_phone(message) => {
            Content::of(Some("[to be opened on the phone]".to_owned()))
        }
        _ => {
            let file = kind_of_unknown(body).map(|kind| media(body, kind, false));
            file.or_else(|| Content::of(lines(webhook::words(body).into_iter().map(Some))))
        }
    };
    read.unwrap_or_else(|| {
        // The network tells the type of what it does not hand over.
        let named = message.get("unsupported").and_then(|unsupported| unsupported.get("type"));
        let name = named.and_then(Value::as_str).unwrap_or(kind);
        Content { words: format!("[{}]", webhook::shown_name(name)), ..Content::default() }
    })
}

/// Returns whether the network says that a message can only be opened on the phone.
fn is_for_the_phone(message: &Value) -> bool {
    let mut errors = message.get("errors").and_then(Value::as_array).into_iter().flatten();
    errors.any(|error| webhook::integer(error.get("code")) == Some(131_060))
}

/// Returns the kind of a file of an unknown type; `None` if it is no file.
fn kind_of_unknown(body: &Value) -> Option<AttachmentKind> {
    webhook::network_id(body.get("id"))?;
    let mime_type = webhook::text(body.get("mime_type"))?;
    Some(match mime_type.split_once('/')?.0 {
        "image" => AttachmentKind::Image,
        "video" => AttachmentKind::Video,
        "audio" => AttachmentKind::Audio,
        _ => AttachmentKind::File,
    })
}

/// Parses a file, by its id and its address, with its caption.
fn media(body: &Value, kind: AttachmentKind, voice: bool) -> Content {
    let caption = webhook::text(body.get("caption"));
    let source = MediaSource::told(webhook::network_id(body.get("id")), webhook::text(body.get("url")));
    let Some(source) = source else {
        let words = caption.unwrap_or_else(|| kind.stand_in());
        return Content { words, lost: Some(kind), ..Content::default() };
    };
    let media = InboundMedia {
        kind,
        source,
        content_type: webhook::text(body.get("mime_type")),
        title: webhook::text(body.get("filename")),
        sha256: body.get("sha256").and_then(Value::as_str).and_then(hash::read),
        voice,
    };
    Content { words: caption.unwrap_or_default(), media: vec![media], lost: None }
}

/// Renders name, address, coordinates and page on lines of their own.
fn location(body: &Value) -> Option<String> {
    let place = [body.get("name"), body.get("address")].map(webhook::text);
    let coordinates = match (figure(body.get("latitude")), figure(body.get("longitude"))) {
        (Some(latitude), Some(longitude)) => Some(format!("{latitude}, {longitude}")),
        _ => None,
    };
    lines(place.into_iter().chain([coordinates, webhook::text(body.get("url"))]))
}

/// Renders each card's name, company, numbers, addresses and birthday on lines of their own, with an empty
/// line between two cards.
fn cards(body: &Value) -> Option<String> {
    let cards = body.as_array().map_or(std::slice::from_ref(body), Vec::as_slice);
    let cards: Vec<String> = cards.iter().filter_map(card).collect();
    (!cards.is_empty()).then(|| cards.join("\n\n"))
}

fn card(card: &Value) -> Option<String> {
    let named = card.get("name");
    let part = |name: &str| webhook::text(named.and_then(|named| named.get(name)));
    let whole = part("formatted_name");
    let parts =
        || [part("first_name"), part("last_name")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let written = card.get("vcard").and_then(Value::as_str).unwrap_or_default();
    let name = whole
        .or_else(|| Some(parts()).filter(|name| !name.is_empty()))
        .or_else(|| webhook::text(named))
        .or_else(|| of_vcard(written, "FN").into_iter().next());
    let company = webhook::text(card.get("org").and_then(|org| org.get("company")));
    let each = |list: &str, field: &str| -> Vec<Option<String>> {
        let items = card.get(list).and_then(Value::as_array).into_iter().flatten();
        items.map(|item| webhook::text(item.get(field))).collect()
    };
    let numbers = card.get("phones").and_then(Value::as_array).into_iter().flatten();
    let numbers =
        numbers.map(|phone| webhook::text(phone.get("phone")).or_else(|| webhook::text(phone.get("wa_id"))));
    let mut numbers: Vec<String> = numbers.flatten().collect();
    if numbers.is_empty() {
        numbers = of_vcard(written, "TEL");
    }
    let homes = card.get("addresses").and_then(Value::as_array).into_iter().flatten().map(home);
    let all = [name, company].into_iter().chain(numbers.into_iter().map(Some)).chain(each("emails", "email"));
    lines(all.chain(each("urls", "url")).chain(homes).chain([webhook::text(card.get("birthday"))]))
}

/// Returns the values of a card's property, from lines such as `TEL;type=CELL:+964 770 765 4321`.
fn of_vcard(card: &str, property: &str) -> Vec<String> {
    let value = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let name = name.split(';').next()?.rsplit('.').next()?;
        name.eq_ignore_ascii_case(property).then(|| value.trim().replace('\0', ""))
    };
    card.lines().filter_map(value).filter(|value| !value.is_empty()).collect()
}

/// Renders a postal address on one line.
fn home(address: &Value) -> Option<String> {
    let part = |name: &str| webhook::text(address.get(name));
    let parts: Vec<String> =
        ["street", "city", "state", "zip", "country"].into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Renders the title of the chosen button or row, a row's description below it; or the answers of a form.
fn interactive(body: &Value) -> Option<String> {
    let kind = body.get("type").and_then(Value::as_str);
    match kind.and_then(|kind| Some((kind, body.get(kind)?))) {
        Some(("nfm_reply", chosen)) => form(chosen),
        Some(("button_reply" | "list_reply", chosen)) => {
            lines([chosen.get("title"), chosen.get("description")].map(webhook::text))
        }
        _ => lines(webhook::words(body).into_iter().map(Some)),
    }
}

/// Renders the fields of a form; its token means nothing to a reader.
fn form(reply: &Value) -> Option<String> {
    let answers = match reply.get("response_json") {
        // Text that is no JSON was written by a person.
        Some(Value::String(json)) => {
            serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.clone()))
        }
        other => other.cloned().unwrap_or_default(),
    };
    let said = match &answers {
        Value::Object(fields) => lines(
            fields
                .iter()
                .filter(|(name, _)| *name != "flow_token")
                .map(|(name, answer)| answer_of(answer).map(|answer| format!("{name}: {answer}"))),
        ),
        other => answer_of(other),
    };
    let said = said.map(|said| said.replace('\0', "")).filter(|said| !said.trim().is_empty());
    said.or_else(|| webhook::text(reply.get("body"))).or_else(|| webhook::text(reply.get("name")))
}

/// Renders one answer of a form; several ticked ones are joined on one line.
fn answer_of(answer: &Value) -> Option<String> {
    let joined = |parts: Vec<String>| (!parts.is_empty()).then(|| parts.join(", "));
    match answer {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(answer.to_string()),
        Value::Array(answers) => joined(answers.iter().filter_map(answer_of).collect()),
        Value::Object(fields) => joined(
            fields
                .iter()
                .filter_map(|(name, answer)| Some(format!("{name}: {}", answer_of(answer)?)))
                .collect(),
        ),
    }
}

/// Renders a line for each article with quantity and price, and the customer's note.
fn order(body: &Value) -> Option<String> {
    let items = body.get("product_items").and_then(Value::as_array).into_iter().flatten();
    let items = items.filter_map(|item| {
        let article = figure(item.get("product_retailer_id"))?;
        let quantity = figure(item.get("quantity")).unwrap_or_else(|| "1".to_owned());
        let price = figure(item.get("item_price"));
        let price = price.map(|price| match webhook::text(item.get("currency")) {
            Some(currency) => format!(" · {} {currency}", in_currency(price, &currency)),
            None => format!(" · {price}"),
        });
        Some(format!("{quantity} × {article}{}", price.unwrap_or_default()))
    });
    lines(items.map(Some).chain([webhook::text(body.get("text"))]))
}

/// Returns a number, also one in a string.
fn figure(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Number(number) => Some(number.to_string()),
        text => webhook::text(Some(text)),
    }
}

/// Formats a price in the digits of its currency; unchanged if either cannot be parsed.
fn in_currency(price: String, currency: &str) -> String {
    match (Money::of_number(&price), currency.parse()) {
        (Some(money), Ok(currency)) => money.in_currency(currency).as_str().to_owned(),
        _ => price,
    }
}

fn lines(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

#[cfg(test)]
mod tests;
