//! The ten routes.

use serde_json::{Map, Value, json};

use super::{
    examples::under,
    operation::{Body, Operation},
};

const FOUND: &[(u16, &str)] = &[(200, "What was asked for.")];
const MADE: &[(u16, &str)] =
    &[(200, "What was made, now or when the key was first seen."), (201, "What was made now.")];

pub(super) fn paths() -> Value {
    let mut paths = Map::new();
    for operation in all() {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(operation.method.to_owned(), operation.document());
        }
    }
    Value::Object(paths)
}

fn all() -> Vec<Operation> {
    [vec![verify()], catalogue(), orders(), customers(), appointments()].into_iter().flatten().collect()
}

fn parameter(place: &str, name: &str, required: bool, schema: &Value, about: &str) -> Value {
    json!({ "name": name, "in": place, "required": required, "schema": schema, "description": about })
}

fn query(name: &str, required: bool, about: &str) -> Value {
    parameter("query", name, required, &json!({ "type": "string" }), about)
}

fn in_path(name: &str, about: &str) -> Value {
    parameter("path", name, true, &json!({ "type": "string" }), about)
}

fn key() -> Value {
    json!({ "$ref": "#/components/parameters/IdempotencyKey" })
}

fn verify() -> Operation {
    Operation {
        method: "get",
        path: "/verify",
        id: "verify",
        tag: "connection",
        summary: "Say who you are",
        description: "Asked when the system is registered, and whenever the connection has to be proven again.",
        parameters: vec![],
        request: None,
        answer: Body("Introduction", under("GET /verify", 0)),
        succeeds: FOUND,
        refuses: &[],
    }
}

fn catalogue() -> Vec<Operation> {
    let page = under("GET /products", 0);
    let product = page.pointer("/products/0").cloned().unwrap_or_default();
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": 50 });
    vec![
        Operation {
            method: "get",
            path: "/products",
            id: "searchProducts",
            tag: "catalog",
            summary: "Search products",
            description: "Search as you do best: the service orders what you return, and asks with other words where \
                          little is found. Return only what a customer may buy now or hear about.",
            parameters: vec![
                query("q", true, "What the customer asked for, often in Arabic."),
                parameter("query", "limit", true, &limit, "A hint."),
                query("category", false, "One of your categories."),
            ],
            request: None,
            answer: Body("Products", page),
            succeeds: FOUND,
            refuses: &[],
        },
        Operation {
            method: "get",
            path: "/products/{id}",
            id: "getProduct",
            tag: "catalog",
            summary: "Show one product",
            description: "The product itself, with its variants, not wrapped.",
            parameters: vec![in_path("id", "The product's id, as one percent-encoded segment.")],
            request: None,
            answer: Body("Product", product),
            succeeds: FOUND,
            refuses: &[("404", "NotFound")],
        },
    ]
}

fn orders() -> Vec<Operation> {
    let reference = || in_path("reference", "The order's number without a leading #, or its id.");
    let order = || under("POST /orders", 1);
    vec![
        Operation {
            method: "post",
            path: "/orders",
            id: "placeOrder",
            tag: "orders",
            summary: "Place an order",
            description: "The customer has seen what is ordered, its total and the address, and has said yes.",
            parameters: vec![key()],
            request: Some(Body("OrderForm", under("POST /orders", 0))),
            answer: Body("Order", order()),
            succeeds: MADE,
            refuses: &[("409", "Conflict"), ("422", "Invalid")],
        },
        Operation {
            method: "get",
            path: "/orders/{reference}",
            id: "getOrder",
            tag: "orders",
            summary: "Show an order",
            description: "Shown only to who writes from `customerPhone`; to nobody where that is missing.",
            parameters: vec![reference()],
            request: None,
            answer: Body("LookedUpOrder", order()),
            succeeds: FOUND,
            refuses: &[("404", "NotFound")],
        },
        Operation {
            method: "post",
            path: "/orders/{reference}/cancel",
            id: "cancelOrder",
            tag: "orders",
            summary: "Cancel an order",
            description: "Answer with success only once the order is cancelled.",
            parameters: vec![reference()],
            request: Some(Body("Cancellation", under("POST /orders/{reference}/cancel", 0))),
            answer: Body("Cancelled", order()),
            succeeds: &[(200, "The order is cancelled."), (204, "The order is cancelled.")],
            refuses: &[("404", "NotFound"), ("409", "Conflict")],
        },
    ]
}

fn customers() -> Vec<Operation> {
    let phone = json!({ "$ref": "#/components/schemas/Phone" });
    vec![
        Operation {
            method: "get",
            path: "/customers/lookup",
            id: "lookUpCustomer",
            tag: "customers",
            summary: "Tell what you know of a customer",
            description: "The assistant repeats the fields to the customer. Where there is no record, `customer` is null.",
            parameters: vec![parameter(
                "query",
                "phone",
                true,
                &phone,
                "The number that the service has verified, never one that somebody typed; its + comes as %2B.",
            )],
            request: None,
            answer: Body("Lookup", under("GET /customers/lookup", 0)),
            succeeds: FOUND,
            refuses: &[("422", "Invalid")],
        },
        Operation {
            method: "post",
            path: "/customers",
            id: "pushLead",
            tag: "customers",
            summary: "Take a lead",
            description: "Sent once for each lead. Make a record, or update the one of that phone.",
            parameters: vec![],
            request: Some(Body("Lead", under("POST /customers", 0))),
            answer: Body("LeadKept", json!({ "customer": { "id": 2 } })),
            succeeds: &[(200, "The record was updated, or made."), (201, "The record was made.")],
            refuses: &[("422", "Invalid")],
        },
    ]
}

fn appointments() -> Vec<Operation> {
    vec![
        Operation {
            method: "get",
            path: "/appointments/slots",
            id: "listSlots",
            tag: "appointments",
            summary: "List free times",
            description: "Asked before the assistant offers a time; it never invents one.",
            parameters: vec![
                query("from", true, "ISO 8601, a date or a datetime."),
                query("to", true, "ISO 8601, a date or a datetime; a date includes its whole day."),
                query("service", false, "One of your services."),
            ],
            request: None,
            answer: Body("Slots", under("GET /appointments/slots", 0)),
            succeeds: FOUND,
            refuses: &[("422", "Invalid")],
        },
        Operation {
            method: "post",
            path: "/appointments",
            id: "bookAppointment",
            tag: "appointments",
            summary: "Book a slot",
            description: "The customer has seen service, date and time, and has said yes.",
            parameters: vec![key()],
            request: Some(Body("Booking", under("POST /appointments", 0))),
            answer: Body("Booked", under("POST /appointments", 1)),
            succeeds: MADE,
            refuses: &[("404", "NotFound"), ("409", "Conflict"), ("422", "Invalid")],
        },
    ]
}
