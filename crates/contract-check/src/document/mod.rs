//! The contract as a document (OpenAPI 3.1), for generators of code or tests.
//!
//! The examples are those of the page for people. Tests compare the document with what the reference shop
//! answers, and with what the service sends and reads.

mod examples;
mod operation;
mod routes;
mod schemas;

use serde_json::{Value, json};

const ABOUT: &str = "\
What the service asks of a customer's own system, live while a customer is chatting. Implement the routes of the \
capabilities that you declare in the answer of `GET /verify`.

**Address.** Paths are appended to the base that the owner registers: https on a public host, without query or fragment.

**Secret.** Every request carries `Authorization: Bearer <secret>` and `Accept: application/json`. Compare the whole \
secret on every route before anything else, and answer 401 where it is another or missing.

**Limits.** An answer is complete within 10 seconds and holds at most 5 MB (5,000,000 bytes); what is longer is dropped. \
At most three redirects are followed, within the base's origin; a POST follows only 307 and 308. Nothing is compressed \
unless the request asks for it.

**Retries.** A creation that met a timeout or a 5xx is asked once more with the same key, a read once more as it was. \
Nothing else is asked twice.

**What is wrong** in a product, line, slot or field costs only that one. Fields that this document does not name are \
ignored. Whatever is none of these routes, and every other method, answers 404, neither a redirect nor a web page.";

/// Returns the document as it is committed.
pub fn openapi() -> String {
    let mut document = whole();
    // Sorted by name, so that the order of construction does not matter.
    document.sort_all_objects();
    format!("{document:#}\n")
}

fn whole() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Contract for customers' own systems",
            "version": "2",
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{
            "url": "https://{host}/{path}",
            "description": "The base that is registered",
            "variables": { "host": { "default": "shop.example" }, "path": { "default": "service" } },
        }],
        "security": [{ "secret": [] }],
        "tags": [
            { "name": "connection", "description": "Every system has it, whatever its capabilities." },
            { "name": "catalog", "description": "Prices, availability and photos." },
            { "name": "orders", "description": "Orders paid on delivery." },
            { "name": "customers", "description": "What you know of a customer, and leads for you." },
            { "name": "appointments", "description": "Free times, and booking one." },
        ],
        "paths": routes::paths(),
        "components": {
            "securitySchemes": {
                "secret": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The secret that you issued and the owner registered.",
                },
            },
            "parameters": {
                "ContractVersion": {
                    "name": "X-Service-Contract",
                    "in": "header",
                    "required": true,
                    "description": "The version of the contract that the request keeps.",
                    "schema": { "const": "2" },
                },
                "IdempotencyKey": {
                    "name": "Idempotency-Key",
                    "in": "header",
                    "required": true,
                    "description": "The same as `idempotencyKey` in the body. A key that was seen makes nothing: what was \
                                    made then is answered, with 200. The second request may come while the first is \
                                    still being worked on.",
                    "schema": { "type": "string", "minLength": 1 },
                },
            },
            "responses": operation::refusals(),
            "schemas": schemas::all(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(value: &Value, into: &mut Vec<Value>) {
        match value {
            Value::Object(object) => {
                into.extend(object.get("example").cloned());
                object.values().for_each(|value| examples(value, into));
            }
            Value::Array(items) => items.iter().for_each(|value| examples(value, into)),
            _ => {}
        }
    }

    #[test]
    fn every_body_has_an_example_and_every_example_of_the_page_is_used() {
        let (document, mut shown) = (whole(), Vec::new());
        examples(&document, &mut shown);
        assert!(shown.iter().all(|example| !example.is_null()), "{shown:#?}");
        let page = examples::blocks(examples::PAGE);
        assert!(page.len() > 8, "{page:?}");
        for block in page {
            let block: Value = serde_json::from_str(block).unwrap();
            assert!(shown.contains(&block), "the document does not show {block:#}");
        }
    }
}
