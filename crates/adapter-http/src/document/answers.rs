//! Answers that all routes share: errors, and the headers of every answer.

use utoipa::{
    Modify,
    openapi::{
        Header, ObjectBuilder, OpenApi, Ref, RefOr, Response, Schema, Type,
        header::HeaderBuilder,
        path::{Operation, Parameter, ParameterIn},
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use crate::{
    problem::RefusalCode,
    schema::{
        operations::operations,
        problems::{self, plain},
    },
};

/// Completion of every operation, and of the components it points to.
pub(super) struct SharedAnswers;

impl Modify for SharedAnswers {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        components.schemas.extend(problems::schemas());
        components.responses.extend(shared());
        components.headers.extend(headers());
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("msk_…")
            .description(Some("An API key. It names the workspace and holds scopes; an owner makes it."));
        components.security_schemes.insert("key".to_owned(), SecurityScheme::Http(bearer.build()).into());
        for operation in document.paths.paths.values_mut().flat_map(operations) {
            complete(operation);
            components.schemas.extend(name_bodies(operation));
        }
    }
}

/// Names each error body that is written out in the operation, and returns those schemas: generators of
/// clients find no good name themselves.
fn name_bodies(operation: &mut Operation) -> Vec<(String, RefOr<Schema>)> {
    let mut named = Vec::new();
    let id = operation.operation_id.clone().unwrap_or_default();
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        for content in response.content.values_mut() {
            let RefOr::T(content) = content else { continue };
            if let Some(RefOr::T(_)) = &content.schema {
                let status = status.parse().unwrap_or_default();
                let name = [id.as_str(), problems::phrase(status), "Problem"].join(" ");
                let name: String = name.split(' ').map(capitalized).collect();
                let schema = content.schema.replace(Ref::from_schema_name(&name).into());
                named.extend(schema.map(|schema| (name, schema)));
            }
        }
    }
    named
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Lists the responses that routes share, by name.
fn shared() -> Vec<(String, RefOr<Response>)> {
    let mut responses = vec![
        (
            "BadRequest",
            plain(
                400,
                "A field or a parameter breaks a rule; the message says which.",
                "`limit` must be 1 to 100",
            ),
        ),
        (
            "Unauthorized",
            plain(401, "No key, a revoked one, or none that is known.", "this needs a valid API key"),
        ),
        (
            "Forbidden",
            plain(403, "The key lacks the route's scope; the message names it.", "this key lacks the scope"),
        ),
        ("NotFound", plain(404, "It is not in this workspace.", "there is no such conversation")),
        ("RequestTimeout", plain(408, "The body came too slowly.", "the body did not arrive in time")),
        ("PayloadTooLarge", plain(413, "The body is over 1 MiB.", "the body has more than 1048576 bytes")),
        (
            "TooManyRequests",
            plain(429, "Too many requests; wait `Retry-After` seconds.", "too many requests"),
        ),
        ("InternalError", plain(500, "A fault of the service.", "something went wrong on our side")),
        ("Unavailable", plain(503, "Not now; wait `Retry-After` seconds.", "try again shortly")),
    ];
    for (name, response) in &mut responses {
        let own: &[&str] = match *name {
            "Unauthorized" => &["WWW-Authenticate"],
            "TooManyRequests" | "Unavailable" => &["Retry-After"],
            _ => &[],
        };
        carry(response, own);
        // A request without a valid key has no window.
        if *name != "Unauthorized" {
            carry(response, WINDOW);
        }
        carry(response, &["X-Request-Id"]);
    }
    responses.into_iter().map(|(name, response)| (name.to_owned(), response.into())).collect()
}

/// Code of the 409 that passes by itself, as examples name it.
const IN_FLIGHT: &str = RefusalCode::RequestInFlight.as_str();

const WINDOW: &[&str] = &["X-RateLimit-Limit", "X-RateLimit-Remaining"];

fn headers() -> Vec<(String, RefOr<Header>)> {
    let table = [
        ("X-RateLimit-Limit", Type::Integer, "Requests that the key may make in a minute."),
        ("X-RateLimit-Remaining", Type::Integer, "How many of them are left in this minute."),
        ("X-Request-Id", Type::String, "This request, as the service's log names it."),
        ("Retry-After", Type::Integer, "Seconds to wait."),
        ("WWW-Authenticate", Type::String, "`Bearer`."),
    ];
    let header = |kind, description: &str| {
        let schema = ObjectBuilder::new().schema_type(kind);
        HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build()
    };
    table.into_iter().map(|(name, kind, about)| (name.to_owned(), header(kind, about).into())).collect()
}

/// Adds headers, which are components, to the response.
fn carry(response: &mut Response, names: &[&str]) {
    for name in names {
        let header = RefOr::Ref(Ref::new(format!("#/components/headers/{name}")));
        response.headers.insert((*name).to_owned(), header);
    }
}

fn complete(operation: &mut Operation) {
    // A handler's comment is broken into lines; a summary is one.
    operation.summary = operation.summary.take().map(|summary| summary.replace('\n', " "));
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if response.content.is_empty()
            && let Ok(status) = status.parse()
        {
            response.content = plain(status, &response.description, &response.description).content;
        }
        let mut contents = response.content.values();
        let in_flight = contents.any(|it| matches!(it, RefOr::T(it) if it.examples.contains_key(IN_FLIGHT)));
        if status == "503" || in_flight {
            carry(response, &["Retry-After"]);
        }
        carry(response, WINDOW);
        carry(response, &["X-Request-Id"]);
    }
    let takes = |place: ParameterIn| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.any(|it| matches!(it, RefOr::T(Parameter { parameter_in, .. }) if *parameter_in == place))
    };
    let has_body = operation.request_body.is_some();
    let shared = [
        ("400", "BadRequest", true),
        ("401", "Unauthorized", true),
        ("403", "Forbidden", true),
        ("404", "NotFound", takes(ParameterIn::Path)),
        ("408", "RequestTimeout", has_body),
        ("413", "PayloadTooLarge", has_body),
        ("429", "TooManyRequests", true),
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
