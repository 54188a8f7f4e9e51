//! Error answers: the one shape, every code with its details, and the responses made of them.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use serde_json::{Value, json};
use utoipa::openapi::{
    Array, Content, ContentBuilder, ObjectBuilder, OneOfBuilder, Ref, RefOr, Response, ResponseBuilder,
    Schema, Type, example::ExampleBuilder, extensions::Extensions, schema::Object,
};

use crate::problem::RefusalCode;

const JSON: &str = "application/json";

/// Name of the schema of an error without a code.
const PLAIN: &str = "Problem";

/// Lists every schema of an error, by its name.
pub(crate) fn schemas() -> Vec<(String, RefOr<Schema>)> {
    // With a code it is one of the others, so that exactly one schema fits an answer.
    let code = json!({ "properties": { "code": {} }, "required": ["code"] });
    let no_code = Extensions::from_iter([("not", code)]);
    let plain = shape("An error without a code. `message` is for the developer, not for a customer.", None)
        .extensions(Some(no_code));
    let codes = RefusalCode::ALL.iter().map(|code| (name(*code), refusal(*code).into()));
    codes.chain([(PLAIN.to_owned(), plain.build().into())]).collect()
}

/// Makes the responses of these codes, one for each status; it says if the status also comes without a code.
pub(crate) fn refusals(codes: &[RefusalCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<RefusalCode>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.status().as_u16()).or_default().push(*code);
    }
    by_status
        .into_iter()
        .map(|(status, codes)| (status.to_string(), refused(status, &codes).into()))
        .collect()
}

/// Makes a response in the plain shape.
pub(crate) fn plain(status: u16, description: &str, message: &str) -> Response {
    let example = json!({ "statusCode": status, "message": message, "error": phrase(status) });
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(PLAIN))).example(Some(example));
    ResponseBuilder::new().description(description).content(JSON, content.build()).build()
}

fn refused(status: u16, codes: &[RefusalCode]) -> Response {
    // A field that breaks a rule of shape, and a store that cannot be reached, have no code.
    let also_plain = matches!(status, 400 | 503);
    let mut schemas = Vec::new();
    let mut examples = Vec::new();
    for code in codes {
        schemas.push(Ref::from_schema_name(name(*code)));
        let example = ExampleBuilder::new().summary(code.meaning()).value(Some(example(*code))).build();
        examples.push((code.as_str(), example));
    }
    // Last, so that a client that takes the first schema that fits reads the code.
    schemas.extend(also_plain.then(|| Ref::from_schema_name(PLAIN)));
    let description = match status {
        400 => "A field breaks a rule; the message says which.",
        404 => "It is not in this workspace.",
        409 => "Not possible now.",
        422 => "The network refused it, or the key was used for another request.",
        503 => "Not now; nothing was sent. Wait `Retry-After` seconds.",
        504 => "The outcome is not known, and may stay so.",
        _ => phrase(status),
    };
    let content: Content =
        ContentBuilder::new().schema(Some(either(schemas))).examples_from_iter(examples).build();
    ResponseBuilder::new().description(description).content(JSON, content).build()
}

/// Makes a schema that allows any of these.
fn either(mut schemas: Vec<Ref>) -> RefOr<Schema> {
    match (schemas.len(), schemas.pop()) {
        (1, Some(only)) => only.into(),
        (_, last) => {
            let schemas = schemas.into_iter().chain(last);
            Schema::from(schemas.fold(OneOfBuilder::new(), OneOfBuilder::item).build()).into()
        }
    }
}

fn shape(description: &str, status: Option<u16>) -> ObjectBuilder {
    let number = ObjectBuilder::new().schema_type(Type::Integer).enum_values(status.map(|status| [status]));
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some(description))
        .property("statusCode", number)
        .required("statusCode")
        .property("message", text("For the developer, never to be shown to a customer."))
        .required("message")
        .property("error", text("The status in words."))
        .required("error")
}

fn refusal(code: RefusalCode) -> Schema {
    let word = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([code.as_str()]));
    shape(code.meaning(), Some(code.status().as_u16()))
        .property("code", word)
        .required("code")
        .property("details", details(code))
        .required("details")
        .build()
        .into()
}

/// Describes the details of a refusal.
fn details(code: RefusalCode) -> Object {
    use RefusalCode as Code;
    let (name, schema): (&str, Schema) = match code {
        Code::VariablesMismatch => ("variables", texts("The names wanted, in order.").into()),
        Code::VariableEmpty => ("variable", text("The name of the one that is blank.").into()),
        Code::UnknownSender => {
            let phone = Ref::from_schema_name("Phone");
            let mut numbers = Array::new(RefOr::<Schema>::Ref(phone));
            numbers.description = Some("The connected numbers.".to_owned());
            ("connected", numbers.into())
        }
        Code::TemplateNotApproved => {
            let states = ["approved", "pending", "rejected", "paused"];
            return ObjectBuilder::new()
                .schema_type(Type::Object)
                .property("status", words("What the network says of the template.", &states))
                .required("status")
                .property("reason", text("Why it is not sent although it is approved, and what to do."))
                .build();
        }
        Code::PlanLimit => {
            let reasons = ["active_customer_limit", "subscription_paused"];
            ("reason", words("Which end of the plan was reached.", &reasons).into())
        }
        Code::TemplateNotFound => {
            let languages = texts("Where there is one of that name in other languages, those.");
            return ObjectBuilder::new().schema_type(Type::Object).property("languages", languages).build();
        }
        Code::NoWhatsappChannel => {
            let reasons = ["account_restricted", "account_disabled", "account_deleted"];
            let reason = words(
                "Where the network does not let the business account send: how it stands there.",
                &reasons,
            );
            return ObjectBuilder::new().schema_type(Type::Object).property("reason", reason).build();
        }
        Code::WhatsappRejected => {
            let number = ObjectBuilder::new().schema_type(Type::Integer);
            ("whatsappCode", number.description(Some("The network's own code.")).build().into())
        }
        Code::OutcomeUnknown => {
            let id = text("The send, as its delivery events will name it.");
            let details = ObjectBuilder::new().schema_type(Type::Object).property("id", id).required("id");
            return details.property("since", Ref::from_schema_name("Timestamp")).required("since").build();
        }
        Code::InvalidPhone
        | Code::CodeRequired
        | Code::InvalidCode
        | Code::HeaderRequired
        | Code::HeaderNotAllowed
        | Code::ButtonVariablesMismatch
        | Code::AuthorLeft
        | Code::TemplateNotOnNumber
        | Code::NoChannel
        | Code::RequestInFlight
        | Code::IdempotencyKeyReused
        | Code::HeldBack
        | Code::NetworkUnavailable => return ObjectBuilder::new().schema_type(Type::Object).build(),
    };
    ObjectBuilder::new().schema_type(Type::Object).property(name, schema).required(name).build()
}

fn example(code: RefusalCode) -> Value {
    use RefusalCode as Code;
    let details = match code {
        Code::VariablesMismatch => json!({ "variables": ["name", "order"] }),
        Code::VariableEmpty => json!({ "variable": "order" }),
        Code::UnknownSender => json!({ "connected": ["+9647700000001"] }),
        Code::TemplateNotApproved => json!({ "status": "paused" }),
        Code::TemplateNotFound => json!({ "languages": ["ar", "en_US"] }),
        Code::PlanLimit => json!({ "reason": "active_customer_limit" }),
        Code::WhatsappRejected => json!({ "whatsappCode": 131_026 }),
        Code::OutcomeUnknown => json!({
            "id": "0192f0c1-7a00-7000-8000-000000000001", "since": "2026-11-21T10:00:45.000Z",
        }),
        _ => json!({}),
    };
    let status = code.status().as_u16();
    json!({
        "statusCode": status, "message": code.meaning(), "error": phrase(status),
        "code": code.as_str(), "details": details,
    })
}

/// Returns the name of a code's schema.
fn name(code: RefusalCode) -> String {
    format!("{code:?}Problem")
}

pub(crate) fn phrase(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Error")
}

fn text(description: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description)).build()
}

fn texts(description: &str) -> Array {
    let mut texts = Array::new(Object::with_type(Type::String));
    texts.description = Some(description.to_owned());
    texts
}

fn words(description: &str, words: &[&str]) -> Object {
    let words = words.iter().copied();
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(words))
        .build()
}
