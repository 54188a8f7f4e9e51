//! A message as it looks on a phone, from either side and over any network.

use serde::Serialize;
use serde_json::{Map, Value};
use url::form_urlencoded::byte_serialize;

use crate::core::Core;

/// A message as a phone draws it.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Bubble {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) footer: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<Shown>,
    /// Answers to choose from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) choices: Vec<Choice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) links: Vec<Link>,
    /// Id of the message that it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) about: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Shown {
    /// `image`, `video`, `audio`; anything else is offered for download.
    pub(super) kind: String,
    /// Path of the simulator's, or an address of somebody else's.
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
}

/// A button, a row of a list, or a quick reply.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Choice {
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<String>,
    /// The `message` that `POST /control/inbound` takes.
    pub(super) reply: Value,
}

/// A button that opens an address.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Link {
    pub(super) title: String,
    pub(super) url: String,
}

/// Returns a text at `pointer`, unless it is missing or empty.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Lists the items at `pointer`; none if there is no list.
pub(super) fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the path of a stored file.
pub(super) fn kept(id: &str) -> String {
    format!("/control/files/{}", byte_serialize(id.as_bytes()).collect::<String>())
}

/// Returns the file that a part of a WhatsApp message names, by id or address.
pub(super) fn whatsapp_file(kind: &str, part: &Value) -> Option<Shown> {
    let url = text(part, "/id").map(|id| kept(&id)).or_else(|| text(part, "/link"))?;
    Some(Shown { kind: kind.to_owned(), url, name: text(part, "/filename") })
}

/// Lists the attachments of a page's message. A file that the simulator serves is shown by its path, so that
/// it opens under any name of the page's host.
pub(super) fn page_files(core: &Core, message: &Map<String, Value>) -> Vec<Shown> {
    let attachments = message.get("attachments").and_then(Value::as_array).into_iter().flatten();
    attachments
        .filter_map(|attachment| {
            let url = text(attachment, "/payload/url")?;
            let own = url.strip_prefix(core.base_url.as_str()).map(|path| format!("/{path}"));
            Some(Shown { kind: text(attachment, "/type")?, url: own.unwrap_or(url), name: None })
        })
        .collect()
}
