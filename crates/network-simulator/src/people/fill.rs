//! Ids, times and files for what a message leaves open.

use data_encoding::BASE64;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::files::{File, sample};
use crate::graph::media;
use crate::log::KnownPerson;

/// Values of a sample's placeholders.
pub(super) struct Known {
    /// An earlier message of either side.
    pub(super) about: String,
    /// An earlier message of the person's own.
    pub(super) own: String,
    /// Last message that the person got.
    pub(super) got: String,
    /// Id of the message being written.
    pub(super) new: String,
    /// Milliseconds.
    pub(super) now: i64,
}

/// Replaces the placeholders wherever they stand.
pub(super) fn placeholders(value: &mut Value, known: &Known) {
    match value {
        Value::String(text) => {
            let found = match text.as_str() {
                "$about" => json!(known.about),
                "$own" => json!(known.own),
                "$got" => json!(known.got),
                "$new" => json!(known.new),
                "$now" => json!(known.now),
                _ => return,
            };
            *value = found;
        }
        Value::Array(items) => items.iter_mut().for_each(|item| placeholders(item, known)),
        Value::Object(fields) => fields.values_mut().for_each(|field| placeholders(field, known)),
        _ => {}
    }
}

/// Adds a sample file to a media message of WhatsApp that has no id.
pub(super) fn whatsapp_file(core: &Core, number_id: &str, message: &mut Map<String, Value>) {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some((content_type, bytes)) = sample(&kind) else { return };
    let Some(fields) = message.get_mut(&kind).and_then(Value::as_object_mut) else { return };
    if fields.contains_key("id") {
        return;
    }
    let hash = BASE64.encode(digest(&SHA256, &bytes).as_ref());
    let file = File {
        id: core.ids.media(),
        channel_id: number_id.to_owned(),
        content_type: content_type.to_owned(),
        bytes,
    };
    let file = core.files().put(file);
    fields.insert("id".to_owned(), json!(file.id));
    fields.insert("mime_type".to_owned(), json!(content_type));
    fields.insert("sha256".to_owned(), json!(hash));
    fields.insert("url".to_owned(), json!(media::address(core, &file)));
}

/// Adds sample files to the attachments of a page's message that have neither address nor place.
pub(super) fn page_files(core: &Core, channel_id: &str, message: &mut Map<String, Value>) {
    let attachments = message.get_mut("attachments").and_then(Value::as_array_mut);
    for attachment in attachments.into_iter().flatten() {
        let kind = attachment.get("type").and_then(Value::as_str).unwrap_or_default();
        let Some((content_type, bytes)) = sample(kind) else { continue };
        let Some(payload) = attachment.get_mut("payload").and_then(Value::as_object_mut) else { continue };
        if payload.contains_key("url") {
            continue;
        }
        let file = File {
            id: core.ids.media(),
            channel_id: channel_id.to_owned(),
            content_type: content_type.to_owned(),
            bytes,
        };
        let file = core.files().put(file);
        payload.insert("url".to_owned(), json!(media::public_address(core, &file)));
    }
}

impl Known {
    /// Takes the values from what is known of a person; a missing one is the new message itself.
    pub(super) fn new(person: &KnownPerson, about: Option<&str>, new: &str, now: i64) -> Self {
        let own = about.or(person.wrote.as_deref()).unwrap_or(new);
        let got = about.or(person.got.as_deref()).unwrap_or(own);
        Self { about: got.to_owned(), own: own.to_owned(), got: got.to_owned(), new: new.to_owned(), now }
    }
}
