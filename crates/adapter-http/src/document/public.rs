//! The document of the public API.

use std::sync::LazyLock;

use actix_web::{HttpRequest, HttpResponse, http::header::ContentType};
use utoipa::OpenApi;

use super::{answers::SharedAnswers, events, samples, text, webhooks};
use crate::{
    problem::Problem,
    query::known,
    schema::{messages, values},
};

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

static TEXT: LazyLock<String> = LazyLock::new(|| text::format(&whole()));

/// Returns the document as it is served and committed: JSON, indented, ending in a line break.
pub fn openapi() -> &'static str {
    &TEXT
}

/// Returns the document as a value.
pub(super) fn whole() -> utoipa::openapi::OpenApi {
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
