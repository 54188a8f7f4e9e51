//! The document of the dashboard's API, made from the same handlers and the table of its routes.

use std::{collections::BTreeMap, sync::LazyLock};

use actix_web::{HttpResponse, http::header::ContentType};
use serde_json::json;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder, Schema, Type,
        extensions::Extensions,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn},
        security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme},
    },
};

use super::text;
use crate::{
    dashboard::{self, Needs, PREFIX},
    problem::{DashboardCode, RefusalCode},
    schema::{
        operations::{operations, operations_by_method},
        values,
    },
    sending::refused::{REPLY, TEMPLATE},
};

#[derive(OpenApi)]
#[openapi(
    info(title = "Messaging Service: dashboard", version = "1.0.0", description = include_str!("description.md")),
    servers((url = "/", description = "Where this document was fetched from")),
    tags(
        (name = "Session", description = "Signing in and out."),
        (name = "Me", description = "Whoever is signed in."),
        (name = "Members", description = "The team."),
        (name = "Workspace", description = "Its settings."),
        (name = "Groups", description = "Who answers what."),
        (name = "API keys", description = "What other systems call the public API with."),
        (name = "Contacts", description = "Who writes."),
        (name = "Conversations", description = "What customers write, and who answers."),
        (name = "Broadcasts", description = "Approved templates to many people, once each."),
        (name = "Canned replies", description = "Short texts that members answer with."),
        (name = "Automations", description = "What happens by itself."),
        (name = "Channels", description = "Business accounts with their numbers and templates, pages, Instagram accounts."),
        (name = "Webhooks", description = "Where events go, and what became of them."),
        (name = "System", description = "The workspace's own system: products, orders, customers, free times."),
        (name = "Assistant", description = "What answers customers by itself."),
        (name = "Audit", description = "What was changed by whom."),
    ),
    paths(
        crate::dashboard::assistant::get, crate::dashboard::assistant::set,
        crate::dashboard::assistant::key::set, crate::dashboard::assistant::key::remove,
        crate::dashboard::assistant::try_out::try_out,
        crate::dashboard::assistant::turns::list, crate::dashboard::assistant::turns::usage,
        crate::dashboard::system::get, crate::dashboard::system::connect,
        crate::dashboard::system::disconnect, crate::dashboard::system::verify,
        crate::dashboard::system::calls,
        crate::dashboard::system::products::search, crate::dashboard::system::products::get,
        crate::dashboard::system::synonyms::get, crate::dashboard::system::synonyms::replace,
        crate::dashboard::conversations::customer::order, crate::dashboard::conversations::customer::record,
        crate::dashboard::conversations::customer::slots, crate::dashboard::conversations::leads::capture,
        crate::dashboard::conversations::booking_requests::request,
        crate::dashboard::conversations::drafts::list, crate::dashboard::conversations::drafts::propose,
        crate::dashboard::conversations::drafts::withdraw, crate::dashboard::conversations::products::show,
        crate::dashboard::sign_in::sign_in, crate::dashboard::sign_in::sign_out,
        crate::dashboard::invitations::open, crate::dashboard::invitations::accept,
        crate::dashboard::password_resets::ask, crate::dashboard::password_resets::open,
        crate::dashboard::password_resets::complete,
        crate::dashboard::me::me, crate::dashboard::me::change, crate::dashboard::password::change,
        crate::dashboard::second_factor::offer, crate::dashboard::second_factor::confirm,
        crate::dashboard::second_factor::disable, crate::dashboard::members::leave,
        crate::dashboard::refused_sign_ins::list,
        crate::dashboard::sessions::list, crate::dashboard::sessions::end_others,
        crate::dashboard::sessions::end,
        crate::dashboard::members::list, crate::dashboard::members::change_role,
        crate::dashboard::members::remove, crate::dashboard::members::made,
        crate::dashboard::members::former,
        crate::dashboard::invitations::list, crate::dashboard::invitations::invite,
        crate::dashboard::invitations::withdraw,
        crate::dashboard::workspace::get, crate::dashboard::workspace::change,
        crate::dashboard::password_resets::policy, crate::dashboard::password_resets::set_policy,
        crate::dashboard::groups::list, crate::dashboard::groups::add, crate::dashboard::groups::rename,
        crate::dashboard::groups::delete, crate::dashboard::groups::put, crate::dashboard::groups::take,
        crate::dashboard::usage::get, crate::dashboard::usage::days,
        crate::dashboard::api_keys::list, crate::dashboard::api_keys::make, crate::dashboard::api_keys::revoke,
        crate::dashboard::contacts::directory::list, crate::dashboard::contacts::directory::add,
        crate::dashboard::contacts::export::export, crate::dashboard::contacts::template::send,
        crate::dashboard::contacts::template::list,
        crate::dashboard::contacts::get, crate::dashboard::contacts::rename,
        crate::dashboard::conversations::inbox::list, crate::dashboard::conversations::inbox::counts,
        crate::dashboard::conversations::get, crate::dashboard::conversations::seen::mark,
        crate::dashboard::conversations::messages,
        crate::dashboard::attachments::upload,
        crate::dashboard::conversations::reply::reply, crate::dashboard::conversations::template::send,
        crate::dashboard::conversations::template::list,
        crate::dashboard::messages::search::everywhere, crate::dashboard::messages::search::within,
        crate::dashboard::messages::explain, crate::dashboard::messages::find, crate::dashboard::live::listen, crate::dashboard::conversations::moves::make,
        crate::dashboard::conversations::tags::in_use, crate::dashboard::conversations::tags::add, crate::dashboard::conversations::tags::remove,
        crate::dashboard::conversations::notes::list, crate::dashboard::conversations::notes::add,
        crate::dashboard::conversations::presence::list, crate::dashboard::conversations::presence::note,
        crate::dashboard::conversations::presence::leave,
        crate::dashboard::conversations::notes::mentions, crate::dashboard::conversations::notes::see,
        crate::dashboard::broadcasts::list, crate::dashboard::broadcasts::add,
        crate::dashboard::broadcasts::preview, crate::dashboard::broadcasts::get,
        crate::dashboard::broadcasts::replace, crate::dashboard::broadcasts::remove,
        crate::dashboard::broadcasts::state::start, crate::dashboard::broadcasts::state::pause,
        crate::dashboard::broadcasts::state::resume, crate::dashboard::broadcasts::state::cancel,
        crate::dashboard::broadcasts::people::list, crate::dashboard::broadcasts::export::export,
        crate::dashboard::broadcasts::skipped::list,
        crate::dashboard::broadcasts::lists::list, crate::dashboard::broadcasts::lists::add,
        crate::dashboard::broadcasts::lists::remove,
        crate::dashboard::broadcasts::prices::get, crate::dashboard::broadcasts::prices::set,
        crate::dashboard::broadcasts::marketing::get, crate::dashboard::broadcasts::marketing::set,
        crate::dashboard::canned_replies::list, crate::dashboard::canned_replies::add,
        crate::dashboard::canned_replies::replace, crate::dashboard::canned_replies::remove,
        crate::dashboard::automations::list, crate::dashboard::automations::add,
        crate::dashboard::automations::replace, crate::dashboard::automations::remove,
        crate::dashboard::automations::settings, crate::dashboard::automations::set,
        crate::dashboard::accounts::list, crate::dashboard::accounts::connect,
        crate::dashboard::accounts::disconnect, crate::dashboard::accounts::sync,
        crate::dashboard::accounts::set_send_only,
        crate::dashboard::pages::list, crate::dashboard::pages::connect, crate::dashboard::pages::disconnect,
        crate::dashboard::registration::register,
        crate::dashboard::receipts::get, crate::dashboard::receipts::set,
        crate::dashboard::tokens::open, crate::dashboard::tokens::connect,
        crate::dashboard::templates::list, crate::dashboard::templates::label,
        crate::dashboard::templates::write::create, crate::dashboard::templates::write::edit,
        crate::dashboard::templates::write::delete, crate::dashboard::templates::write::preview,
        crate::dashboard::webhooks::list, crate::dashboard::webhooks::add,
        crate::dashboard::webhooks::get, crate::dashboard::webhooks::change,
        crate::dashboard::webhooks::remove,
        crate::dashboard::webhooks::state::pause, crate::dashboard::webhooks::state::resume,
        crate::dashboard::webhooks::state::ping, crate::dashboard::webhooks::state::rotate,
        crate::dashboard::webhooks::resends::list, crate::dashboard::webhooks::resends::begin,
        crate::dashboard::webhooks::resends::get,
        crate::dashboard::deliveries::list, crate::dashboard::deliveries::search,
        crate::dashboard::deliveries::get,
        crate::dashboard::deliveries::resend,
        crate::dashboard::imports::import, crate::dashboard::imports::jobs::list,
        crate::dashboard::imports::jobs::get, crate::dashboard::audit::list
    ),
    components(schemas(values::Id, values::Timestamp)),
    modifiers(&Completed)
)]
struct Document;

static TEXT: LazyLock<String> = LazyLock::new(|| text::format(&whole()));

/// Returns the document as a value.
pub(super) fn whole() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// Returns the dashboard's document as it is served and committed.
pub fn dashboard_openapi() -> &'static str {
    &TEXT
}

/// `GET /dashboard/api/openapi.json`, for everybody.
pub(crate) async fn dashboard_document() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(dashboard_openapi())
}

/// Completion of each operation with its required role and the answers that all routes share.
struct Completed;

impl Modify for Completed {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let needs: BTreeMap<(String, String), Needs> = dashboard::api()
            .iter()
            .flat_map(|guarded| {
                let path = format!("{PREFIX}{}", guarded.path());
                let of = move |(method, needs): &(actix_web::http::Method, Needs)| {
                    ((path.clone(), method.as_str().to_owned()), *needs)
                };
                guarded.needs().iter().map(of).collect::<Vec<_>>()
            })
            .collect();
        let components = document.components.get_or_insert_default();
        components.schemas.insert("Problem".to_owned(), problem());
        components.responses.extend(shared());
        let about = "The cookie that signing in sets.";
        let cookie = ApiKey::Cookie(ApiKeyValue::with_description("__Host-session", about));
        components.security_schemes.insert("session".to_owned(), SecurityScheme::ApiKey(cookie).into());
        for (path, item) in &mut document.paths.paths {
            let methods: Vec<_> = operations_by_method(item).map(|(method, _)| method).collect();
            for (method, operation) in methods.into_iter().zip(operations(item)) {
                if let Some(needs) = needs.get(&(path.clone(), method.to_owned())) {
                    complete(operation, method, *needs);
                }
            }
        }
    }
}

fn complete(operation: &mut Operation, method: &str, needs: Needs) {
    operation.summary = operation.summary.take().map(|summary| summary.replace('\n', " "));
    let word = Extensions::from_iter([("x-needs", json!(needs.as_str()))]);
    operation.extensions.get_or_insert_default().merge(word);
    // Also set on a route that needs none: without it a reader cannot tell that from an omission.
    let session =
        (needs != Needs::Anyone).then(|| SecurityRequirement::new::<_, [&str; 0], &str>("session", []));
    operation.security = Some(session.into_iter().collect());
    let changes = method != "GET";
    if changes {
        let header = ParameterBuilder::new()
            .name("X-Dashboard")
            .parameter_in(ParameterIn::Header)
            .required(utoipa::openapi::Required::True)
            .description(Some("Any value: shows that the request is no other site's."))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).examples(["1"])));
        operation.parameters.get_or_insert_default().push(header.build().into());
    }
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if response.content.is_empty() && status.parse::<u16>().is_ok_and(|status| status >= 400) {
            response.content = plain(&response.description).content;
        }
    }
    let takes = |place: ParameterIn| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.any(|it| matches!(it, RefOr::T(Parameter { parameter_in, .. }) if *parameter_in == place))
    };
    let has_body = operation.request_body.is_some();
    let shared = [
        ("400", "BadRequest", true),
        ("401", "Unauthorized", true),
        ("403", "Forbidden", changes || needs == Needs::Owner),
        ("404", "NotFound", takes(ParameterIn::Path)),
        ("408", "RequestTimeout", has_body),
        ("413", "PayloadTooLarge", has_body),
        ("500", "InternalError", true),
        ("503", "Unavailable", true),
    ];
    for (status, name, applies) in shared {
        if applies {
            let response = || Ref::from_response_name(name).into();
            operation.responses.responses.entry(status.to_owned()).or_insert_with(response);
        }
    }
}

/// Lists the responses that routes share, by name.
fn shared() -> Vec<(String, RefOr<Response>)> {
    let table = [
        ("BadRequest", "A field or a parameter breaks a rule; the message says which."),
        ("Unauthorized", "`not_signed_in`, or an API key, which opens nothing here."),
        ("Forbidden", "`owner_only`, or `not_from_dashboard` for a change without its header."),
        ("NotFound", "It is not in this workspace."),
        ("RequestTimeout", "The body came too slowly."),
        ("PayloadTooLarge", "The body is over 1 MiB."),
        ("InternalError", "A fault of the service."),
        ("Unavailable", "Not now; wait `Retry-After` seconds."),
    ];
    table.into_iter().map(|(name, about)| (name.to_owned(), plain(about).into())).collect()
}

fn plain(description: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem")));
    ResponseBuilder::new().description(description).content("application/json", content.build()).build()
}

/// Describes the one shape of an error.
fn problem() -> RefOr<Schema> {
    let text = |about: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(about));
    let own = DashboardCode::ALL.iter().map(|code| (code.as_str(), code.meaning()));
    let sending = REPLY.iter().chain(&TEMPLATE).chain([&RefusalCode::UnknownSender]);
    let codes: Vec<_> = own.chain(sending.map(|code| (code.as_str(), code.meaning()))).collect();
    let words: Vec<&str> = codes.iter().map(|(word, _)| *word).collect();
    let meanings = codes.iter().map(|(word, meaning)| format!("`{word}`: {meaning}"));
    let meanings = meanings.collect::<Vec<_>>().join("\n\n");
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some("An error."))
        .property("statusCode", ObjectBuilder::new().schema_type(Type::Integer))
        .required("statusCode")
        .property("message", text("For whoever builds the page."))
        .required("message")
        .property("error", text("The status in words."))
        .required("error")
        .property("code", text(&meanings).enum_values(Some(words)))
        .property("details", ObjectBuilder::new().schema_type(Type::Object))
        .build()
        .into()
}

#[cfg(test)]
mod tests;
