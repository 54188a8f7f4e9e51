//! The API's document (OpenAPI 3.1), made from the wire types and handlers, and the page that shows it.
//!
//! A noun's folder describes its own routes: `#[utoipa::path]` on the handler, `ToSchema` on bodies. What the
//! domain serialises itself is described here. Tests compare both with the actual answers.

mod answers;
pub(crate) mod automations;
pub(crate) mod contacts;
pub(crate) mod conversations;
mod dashboard;
mod events;
pub(crate) mod messages;
pub(crate) mod page;
pub(crate) mod problems;
mod samples;
pub(crate) mod values;
mod webhooks;

use std::sync::LazyLock;

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType};
use serde_json::Value;
use utoipa::OpenApi;

use crate::{problem::Problem, query::known};
use answers::SharedAnswers;

pub(crate) use answers::operations_by_method;
pub use dashboard::dashboard_openapi;
pub(crate) use dashboard::{dashboard_document, dashboard_whole};

/// Keys under which a document holds an example value.
const SAMPLES: [&str; 3] = ["example", "value", "x-codeSamples"];

#[derive(OpenApi)]
#[openapi(
    info(title = "Messaging Service", version = "1.0.0", description = include_str!("overview.md")),
    servers((url = "/", description = "Where this document was fetched from")),
    tags(
        (name = "Key", description = "What a key is."),
        (name = "Contacts", description = "People that the workspace knows."),
        (name = "Conversations", description = "Conversations and what was written in them."),
        (name = "Messages", description = "Sending, and what became of what was sent."),
        (name = "Templates", description = "What can be sent to anybody."),
        (name = "Webhooks", description = "What the service tells your server, signed."),
    ),
    paths(
        crate::access::me, crate::contacts::list, crate::contacts::get, crate::contacts::add,
        crate::contacts::rename, crate::conversations::list, crate::conversations::get, crate::messages::list,
        crate::messages::find::get, crate::messages::find::list, crate::sending::reply::send_reply, crate::sending::send_template, crate::templates::list
    ),
    components(schemas(
        values::Id, values::Phone, values::Timestamp, messages::Message, events::EventTeam,
        events::ConversationData, events::MessageData, events::DeliveryData, events::LeadData,
        events::BookingData, events::OrderData, events::PingData
    )),
    modifiers(&SharedAnswers)
)]
struct Document;

static TEXT: LazyLock<String> = LazyLock::new(|| written(&whole()));

/// Formats a document: JSON, indented, ending in a line break.
pub(crate) fn written(document: &utoipa::openapi::OpenApi) -> String {
    // Every key is a string and every value a plain one, so that writing it cannot fail.
    let mut document = serde_json::to_value(document).unwrap_or_default();
    sort_samples(&mut document);
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Sorts the keys of example values, however they were made. The document's own keys keep their order.
fn sort_samples(document: &mut Value) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                if SAMPLES.contains(&name.as_str()) {
                    value.sort_all_objects();
                } else {
                    sort_samples(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(sort_samples),
        _ => {}
    }
}

/// Returns the document as it is served and committed: JSON, indented, ending in a line break.
pub fn openapi() -> &'static str {
    &TEXT
}

/// Returns the document as a value.
pub(crate) fn whole() -> utoipa::openapi::OpenApi {
    let mut document = Document::openapi();
    document.webhooks = Some(webhooks::all());
    document.components.get_or_insert_default().schemas.extend(webhooks::bodies());
    samples::add(&mut document);
    document
}

/// `GET /v1/openapi.json`, for everybody.
pub(crate) async fn document(request: HttpRequest) -> Result<HttpResponse, Problem> {
    known::check(&request)?;
    Ok(HttpResponse::Ok().content_type(ContentType::json()).body(openapi()))
}

#[cfg(test)]
pub(crate) mod tests;
