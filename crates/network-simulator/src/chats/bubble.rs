//! A message as it looks on a phone, from either side and over any network.

use serde::Serialize;
use serde_json::Value;
use url::form_urlencoded::byte_serialize;

/// A message as a phone draws it.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Bubble {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) footer: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<Shown>,
    /// Answers to choose from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) choices: Vec<Choice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) links: Vec<Link>,
    /// Id of the message that it quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) about: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct Shown {
    /// `image`, `video`, `audio`; anything else is offered for download.
    pub(crate) kind: String,
    /// Path of the simulator's, or an address of somebody else's.
    pub(crate) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// A button, a row of a list, or a quick reply.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Choice {
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// The `message` that `POST /control/inbound` takes.
    pub(crate) reply: Value,
}

/// A button that opens an address.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Link {
    pub(crate) title: String,
    pub(crate) url: String,
}

/// Returns a text at `pointer`, unless it is missing or empty.
pub(crate) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Lists the items at `pointer`; none if there is no list.
pub(crate) fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the path of a stored file.
pub(crate) fn kept(id: &str) -> String {
    format!("/control/files/{}", byte_serialize(id.as_bytes()).collect::<String>())
}

/// Returns the file that a part of a WhatsApp message names, by id or address.
pub(crate) fn whatsapp_file(kind: &str, part: &Value) -> Option<Shown> {
    let url = text(part, "/id").map(|id| kept(&id)).or_else(|| text(part, "/link"))?;
    Some(Shown { kind: kind.to_owned(), url, name: text(part, "/filename") })
}
