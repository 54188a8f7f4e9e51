//! `webhooks` of the document: one for each event.

use domain::events::EventType;
use serde_json::{Value, json};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, ObjectBuilder, PathItem, Paths, Ref, RefOr, Required, ResponseBuilder,
    Schema, Type,
    extensions::Extensions,
    path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathsBuilder},
    request_body::RequestBodyBuilder,
    schema::Object,
};

const ID: &str = "0192f0c1-7a00-7000-8000-000000000001";

/// Describes every event's delivery, by the event's name.
pub(super) fn all() -> Paths {
    events().fold(PathsBuilder::new(), |paths, event| paths.path(event.as_str(), delivery(event))).build()
}

/// Lists every event's body, by the name of its schema.
pub(super) fn bodies() -> impl Iterator<Item = (String, RefOr<Schema>)> {
    events().map(|event| (body(event), Schema::from(envelope(event)).into()))
}

fn events() -> impl Iterator<Item = EventType> {
    EventType::SUBSCRIBABLE.iter().copied().chain([EventType::Ping])
}

/// Returns the name of the schema of an event's body, such as `MessageSentEvent`.
fn body(event: EventType) -> String {
    format!("{event:?}Event")
}

fn delivery(event: EventType) -> PathItem {
    let About { when, example, .. } = about(event);
    let by = emitted_by(event);
    let name = event.as_str();
    let example = json!({
        "id": "0192f0c1-7a00-7000-8000-000000000009", "type": name,
        "createdAt": "2026-11-21T10:00:45.000Z",
        "team": { "id": "0192f0c1-7a00-7000-8000-000000000002" }, "data": example,
    });
    let content =
        ContentBuilder::new().schema(Some(Ref::from_schema_name(body(event)))).example(Some(example));
    let body =
        RequestBodyBuilder::new().required(Some(Required::True)).content("application/json", content.build());
    // Generators of clients leave such an operation out: a client never makes this call.
    let not_called = Extensions::from_iter([("x-internal", json!(true))]);
    let operation = OperationBuilder::new()
        .extensions(Some(not_called))
        .tag("Webhooks")
        .operation_id(Some(name.replace('.', "_")))
        .summary(Some(name))
        .description(Some(format!("{when}\n\nEmitted by: {by}")))
        .securities(Some([]))
        .request_body(Some(body.build()))
        .response("2XX", ResponseBuilder::new().description("Taken. Answer within 10 seconds."))
        .response("410", ResponseBuilder::new().description("Stop: this delivery is not tried again."))
        .response("default", ResponseBuilder::new().description("Tried again, up to 7 attempts in all."));
    let headers = [
        ("X-Service-Event", "The event's type."),
        ("X-Service-Delivery", "The delivery's id, the same on every attempt."),
        ("X-Service-Signature", "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`."),
        ("User-Agent", "`Messaging-Service-Webhooks/1.0`."),
    ];
    let operation =
        headers.into_iter().fold(operation, |it, (name, about)| it.parameter(header(name, about)));
    PathItem::new(HttpMethod::Post, operation)
}

fn envelope(event: EventType) -> Object {
    let About { when, data, .. } = about(event);
    let kind = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([event.as_str()]));
    let id = Ref::builder()
        .ref_location_from_schema_name("Id")
        .description(Some("The delivery; the same id comes again on a retry."));
    let at = Ref::builder().ref_location_from_schema_name("Timestamp").description(Some("When it happened."));
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .description(Some(when))
        .property("id", id.build())
        .required("id")
        .property("type", kind)
        .required("type")
        .property("createdAt", at.build())
        .required("createdAt")
        .property("team", Ref::from_schema_name("EventTeam"))
        .required("team")
        .property("data", Ref::from_schema_name(data))
        .required("data")
        .build()
}

fn header(name: &str, about: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(about))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

/// Occasion of an event, the schema of its `data`, and an example.
struct About {
    when: &'static str,
    data: &'static str,
    example: Value,
}

fn about(event: EventType) -> About {
    use EventType as Event;
    let (when, data, example) = match event {
        Event::ConversationCreated => (
            "A customer wrote for the first time, or came back after the conversation was closed.",
            "ConversationData",
            conversation("bot", &json!({ "reopened": false })),
        ),
        Event::ConversationAssigned => (
            "A person of the team took the conversation, or the assistant handed it over.",
            "ConversationData",
            conversation("open", &json!({ "reason": "ai_escalation: asks for a person" })),
        ),
        Event::ConversationClosed => (
            "The conversation was closed.",
            "ConversationData",
            conversation("closed", &json!({ "reason": "manual" })),
        ),
        Event::ConversationReturned => (
            "The conversation went back to the assistant.",
            "ConversationData",
            conversation("bot", &json!({ "reason": "manual" })),
        ),
        Event::ConversationSentToGroup => (
            "The conversation was sent to a team, into its inbox or straight to one member; then \
             `conversation.assigned` comes as well.",
            "ConversationData",
            conversation("open", &json!({ "reason": "automation:billing" })),
        ),
        Event::MessageReceived => {
            ("The customer sent something.", "MessageData", message("customer", "هل الطلب جاهز؟"))
        }
        Event::MessageSent => (
            "The assistant, a person of the team, or a template send sent something, and the network took it.",
            "MessageData",
            message("team", "مرحبا سارة، طلبك A-1042 جاهز."),
        ),
        Event::MessageDelivered => (
            "The network put a message on the customer's phone.",
            "DeliveryData",
            status("delivered", &Value::Null),
        ),
        Event::MessageRead => {
            ("The customer opened a message.", "DeliveryData", status("read", &Value::Null))
        }
        Event::MessageFailed => (
            "The network could not deliver a message; `data.error` says why. `message.delivered` or `message.read` may follow, \
             where a customer has several devices: then it arrived.",
            "DeliveryData",
            status("failed", &json!({ "code": 131_026, "message": "Message undeliverable" })),
        ),
        Event::LeadCaptured => (
            "A member of the team, or the assistant, wrote down somebody to follow up with. `phone` is the number that \
             the network has told of whoever writes in the conversation.",
            "LeadData",
            about_customer("lead", &json!({ "name": "سارة", "phone": "+9647701234567", "need": "a fridge" })),
        ),
        Event::BookingRequested => (
            "The assistant took a booking request, or booked in the workspace's own system.",
            "BookingData",
            about_customer(
                "booking",
                &json!({
                    "name": "سارة", "phone": "+9647701234567", "service": "cleaning",
                    "preferredTime": "Sunday morning",
                }),
            ),
        ),
        Event::OrderPlaced => {
            ("The assistant placed an order in the connected store.", "OrderData", order("pending"))
        }
        Event::OrderCancelled => {
            ("The assistant cancelled an order, as the customer asked.", "OrderData", order("cancelled"))
        }
        Event::Ping => (
            "The test button. It goes to an address whatever that subscribes to.",
            "PingData",
            json!({ "message": "This is a test of your webhook address." }),
        ),
    };
    About { when, data, example }
}

/// Names what in the service makes an event happen.
fn emitted_by(event: EventType) -> &'static str {
    use EventType as Event;
    match event {
        Event::ConversationCreated => {
            "a customer's message over a connected number, page or Instagram account, when they have no conversation \
             there or a closed one. A send makes none."
        }
        Event::ConversationAssigned => {
            "a member's move at the dashboard (`take`, `assign`, `handOver`, `sendToMember`), a rule's `assign`, the \
             removal or departure of whoever held it, and the assistant's hand-over, once an assistant is connected."
        }
        Event::ConversationClosed => {
            "a member's `close` at the dashboard, a rule's `close`, and the closing of idle conversations, where the \
             workspace has set a time for it."
        }
        Event::ConversationReturned => {
            "a member's `return` at the dashboard, a rule's `return`, and the return of conversations in which a \
             customer waits unanswered, where the workspace has set a time for it."
        }
        Event::ConversationSentToGroup => {
            "a member's `sendToGroup` or `sendToMember` at the dashboard, and a rule's `sendToGroup`."
        }
        Event::MessageReceived => {
            "what a customer writes over a connected number, page or Instagram account. With files it is told once \
             their outcome is known, within a minute. Nothing is told of what is written to a send-only number."
        }
        Event::MessageSent => {
            "what the network has taken of `POST /v1/messages`, of a notice by `POST /v1/messages/template`, of a \
             member's reply or template at the dashboard, of a rule's reply, of what the team writes in the \
             network's own app, and of the assistant's answers, once an assistant is connected. One-time codes and \
             send-only numbers emit none."
        }
        Event::MessageDelivered | Event::MessageRead | Event::MessageFailed => {
            "the network's report on a message that the service has sent, one-time codes and send-only numbers \
             included."
        }
        Event::LeadCaptured => {
            "a member's `POST /dashboard/api/conversations/{id}/leads`, and the assistant, once one is connected. It \
             comes whether or not the workspace's own system can be told."
        }
        Event::BookingRequested => {
            "a booking that a customer has confirmed, once the workspace's own system has made it; and, where that has no \
             calendar, a member's `POST /dashboard/api/conversations/{id}/booking-requests`. The assistant's, once one is \
             connected, as well."
        }
        Event::OrderPlaced | Event::OrderCancelled => {
            "what a customer has confirmed of a member's `POST /dashboard/api/conversations/{id}/drafts`, or of the \
             assistant's, once one is connected, as soon as the workspace's own system has done it."
        }
        Event::Ping => {
            "an owner's `POST /dashboard/api/webhooks/{id}/ping`, or an operator's `webhook ping`."
        }
    }
}

fn customer() -> Value {
    json!({ "id": "0192f0c1-7a00-7000-8000-000000000004", "name": "سارة", "phone": "+9647701234567" })
}

fn conversation(status: &str, besides: &Value) -> Value {
    let mut data = json!({
        "conversation": {
            "id": "0192f0c1-7a00-7000-8000-000000000003", "channel": "whatsapp", "status": status,
            "assignedTo": null, "group": null, "customerId": "0192f0c1-7a00-7000-8000-000000000004",
            "lastMessageAt": "2026-11-21T10:00:44.000Z", "createdAt": "2026-11-20T08:12:03.000Z",
        },
        "customer": customer(),
    });
    if let (Some(data), Some(besides)) = (data.as_object_mut(), besides.as_object()) {
        data.extend(besides.clone());
    }
    data
}

fn message(role: &str, content: &str) -> Value {
    about_customer(
        "message",
        &json!({
            "id": ID, "role": role, "content": content, "attachments": [],
            "transcription": null, "createdAt": "2026-11-21T10:00:44.000Z",
        }),
    )
}

fn status(status: &str, error: &Value) -> Value {
    json!({
        "conversationId": "0192f0c1-7a00-7000-8000-000000000003", "messageId": ID, "status": status,
        "providerMessageId": "wamid.HBgMOTY0NzcwMTIzNDU2NxUCABEYEjAyRkQ", "reference": "order-1042",
        "template": { "name": "order_ready", "language": "ar" }, "error": error,
        "occurredAt": "2026-11-21T10:00:45.000Z", "customer": customer(),
    })
}

fn order(state: &str) -> Value {
    about_customer(
        "order",
        &json!({
            "id": "9911", "number": "A-1042", "state": state, "total": 45_000, "currency": "IQD",
            "placedAt": "2026-11-21T10:00:40Z", "trackingUrl": null,
            "lines": [{ "title": "Kettle", "quantity": 1, "price": 45_000 }],
        }),
    )
}

fn about_customer(name: &str, value: &Value) -> Value {
    json!({
        "conversationId": "0192f0c1-7a00-7000-8000-000000000003", name: value, "customer": customer(),
    })
}
