//! Schemas of requests and answers.

use serde_json::{Value, json};

fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn list_of(name: &str, about: &str, most: Option<u32>) -> Value {
    let mut list = json!({ "type": "array", "items": named(name), "description": about });
    if let (Some(most), Some(list)) = (most, list.as_object_mut()) {
        list.insert("maxItems".to_owned(), json!(most));
    }
    list
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn or_null(kind: &str, about: &str) -> Value {
    json!({ "type": [kind, "null"], "description": about })
}

fn id(about: &str) -> Value {
    json!({ "type": ["string", "number"], "description": about })
}

fn price(about: &str) -> Value {
    json!({ "type": "number", "minimum": 0, "description": about })
}

fn link(about: &str) -> Value {
    json!({ "type": ["string", "null"], "format": "uri", "description": about })
}

fn currency(about: &str) -> Value {
    json!({ "type": "string", "pattern": "^[A-Z]{3}$", "description": about })
}

fn moment(about: &str) -> Value {
    json!({ "type": "string", "format": "date-time", "description": about })
}

fn object(about: &str, required: &[&str], properties: &Value) -> Value {
    json!({ "type": "object", "description": about, "required": required, "properties": properties })
}

/// Describes an object with one member.
fn wrapped(about: &str, name: &str, inner: &Value) -> Value {
    json!({ "type": "object", "description": about, "required": [name], "properties": { name: inner } })
}

pub(super) fn all() -> Value {
    let mut all = shared();
    for part in [catalogue(), orders(), customers(), appointments()] {
        if let (Value::Object(all), Value::Object(part)) = (&mut all, part) {
            all.extend(part);
        }
    }
    all
}

fn shared() -> Value {
    let capability = json!({ "enum": ["catalog", "orders", "customers", "appointments"] });
    json!({
        "Refusal": object("Why it cannot be done. The team reads it in its log; customers never see it.", &[], &json!({
            "message": text("In your words; 500 characters of it are kept."),
        })),
        "Phone": { "type": "string", "pattern": "^\\+[1-9][0-9]{6,14}$", "description": "E.164." },
        "Introduction": object("Who you are and what you implement.", &["name", "currency"], &json!({
            "name": text("What the shop is called."),
            "currency": currency("ISO 4217."),
            "capabilities": {
                "type": "array",
                "items": capability,
                "minItems": 1,
                "description": "What you implement. Left out, as in version 1, it means catalog and orders.",
            },
        })),
    })
}

fn catalogue() -> Value {
    let quantity = or_null(
        "integer",
        "Never shown to customers: below 4 they hear that few are left. Null where it is not counted.",
    );
    let in_stock = json!({ "type": "boolean", "description": "Whether it can be sold right now." });
    let options = json!({
        "type": "object",
        "additionalProperties": { "type": ["string", "number", "boolean"] },
        "description": "An option's name with its value.",
    });
    json!({
        "Products": wrapped("Products that fit.", "products", &list_of("Product", "The best first, if you can.", Some(50))),
        "Product": object("What is sold.", &["id", "title", "price", "inStock"], &json!({
            "id": id("Stable. Orders name it where there are no variants."),
            "title": text("What it is called."),
            "price": price("Without unit or formatting."),
            "inStock": in_stock,
            "quantity": quantity,
            "description": or_null("string", "Plain text; 400 characters of it are read."),
            "compareAtPrice": { "type": ["number", "null"], "description": "The old price; a discount is shown only where it is higher than the price." },
            "currency": currency("ISO 4217; the shop's where it is left out."),
            "imageUrl": link("The whole https address of a photo, on a public host."),
            "url": link("Where the customer can see it."),
            "categories": { "type": "array", "items": { "type": "string" } },
            "variants": list_of("Variant", "Where there are any, orders name one of them.", None),
        })),
        "Variant": object("One of the kinds in which a product is sold.", &["id", "title", "price", "inStock"], &json!({
            "id": id("What orders name."),
            "title": text("What makes it different, such as the size."),
            "price": price("Also where it is the product's."),
            "inStock": in_stock,
            "quantity": quantity,
            "options": options,
        })),
    })
}

fn orders() -> Value {
    let person = object(
        "Who receives it.",
        &["name", "phone", "email"],
        &json!({
            "name": text("As the customer gave it."), "phone": named("Phone"), "email": or_null("string", "Null where none was given."),
        }),
    );
    let address = object(
        "Where it goes.",
        &["line1", "city", "province", "country", "notes"],
        &json!({
            "line1": text("Street and house."),
            "city": text("Town."),
            "province": text("Governorate."),
            "country": { "type": "string", "pattern": "^[A-Z]{2}$", "description": "Two letters." },
            "notes": or_null("string", "For the driver."),
        }),
    );
    let wanted = object(
        "So many of one thing.",
        &["variantId", "quantity"],
        &json!({
            "variantId": id("A variant's id, or that of a product without variants, as it came."),
            "quantity": { "type": "integer", "minimum": 1 },
        }),
    );
    json!({
        "OrderForm": object("An order to be made.", &["idempotencyKey", "lines", "customer", "address", "note", "source"], &json!({
            "idempotencyKey": text("The service's key for this order."),
            "lines": { "type": "array", "items": wanted, "minItems": 1 },
            "customer": person,
            "address": address,
            "note": text("The customer's remark; empty where there is none."),
            "source": named("Source"),
        })),
        "Source": { "const": "messaging-service", "description": "Names the service as the originator." },
        "Order": object("An order as it stands.", &["id", "number", "status", "total"], &json!({
            "id": id("Your own id."),
            "number": id("What the customer sees on the receipt."),
            "status": text("pending (or new), confirmed, processing (preparing), shipped (out_for_delivery), delivered (completed), cancelled (canceled), refunded; whatever else is taken as unknown."),
            "total": { "type": "number" },
            "customerPhone": or_null("string", "The number that it was placed under, spelt as it came."),
            "currency": currency("ISO 4217; the shop's where it is left out."),
            "placedAt": { "type": ["string", "null"], "format": "date-time" },
            "trackingUrl": link("Where the customer can follow it."),
            "lines": list_of("OrderLine", "What was ordered.", None),
        })),
        "OrderLine": object("So many of one thing.", &["title", "quantity", "price"], &json!({
            "title": text("What it is called."), "quantity": { "type": "number" }, "price": { "type": "number" },
        })),
        "LookedUpOrder": { "allOf": [named("Order"), { "required": ["customerPhone"] }] },
        "Cancellation": object("Why it is cancelled.", &["reason"], &json!({ "reason": text("In the customer's words.") })),
        "Cancelled": {
            "description": "The order, as it is or wrapped; nothing has to be said.",
            "anyOf": [named("Order"), wrapped("The order.", "order", &named("Order"))],
        },
    })
}

fn customers() -> Value {
    let value = json!({ "type": ["string", "number", "boolean", "null"], "maxLength": 300 });
    json!({
        "Lookup": {
            "type": "object",
            "required": ["customer"],
            "properties": { "customer": { "anyOf": [named("CustomerRecord"), { "type": "null" }] } },
        },
        "CustomerRecord": object("What you know of a customer.", &["fields"], &json!({
            "id": { "type": ["string", "number", "null"] },
            "name": { "type": ["string", "null"] },
            "fields": {
                "type": "object",
                "maxProperties": 30,
                "additionalProperties": value,
                "description": "Labels with values that the customer may hear.",
            },
        })),
        "Lead": object("Somebody who is interested.", &["name", "phone", "note", "conversationId", "source"], &json!({
            "name": text("Empty where it is not known."),
            "phone": named("Phone"),
            "note": text("What they want; empty where they did not say."),
            "conversationId": { "type": "string", "format": "uuid" },
            "source": named("Source"),
        })),
        "LeadKept": wrapped("The record.", "customer", &named("CustomerReference")),
        "CustomerReference": object("The record that was made or updated.", &["id"], &json!({ "id": id("The record's id.") })),
    })
}

fn appointments() -> Value {
    let person = object(
        "Who comes.",
        &["name", "phone"],
        &json!({
            "name": text("As the customer gave it."), "phone": named("Phone"),
        }),
    );
    let starts = || moment("With its UTC offset.");
    json!({
        "Slots": object("Free times.", &["slots"], &json!({
            "services": { "type": "array", "items": { "type": "string" }, "description": "All that can be booked." },
            "slots": list_of("Slot", "The earliest.", Some(30)),
        })),
        "Slot": object("A free time.", &["id", "startsAt", "endsAt", "service"], &json!({
            "id": id("What a booking names."),
            "startsAt": starts(),
            "endsAt": starts(),
            "service": text("What is booked, in the customer's words."),
        })),
        "Booking": object("A slot to be booked.", &["idempotencyKey", "slotId", "service", "customer", "note", "source"], &json!({
            "idempotencyKey": text("The service's key for this booking."),
            "slotId": id("The slot's id, as it came."),
            "service": text("The slot's service."),
            "customer": person,
            "note": or_null("string", "The customer's remark."),
            "source": named("Source"),
        })),
        "Booked": wrapped("What was booked.", "appointment", &named("Appointment")),
        "Appointment": object("A booked time.", &["id", "startsAt", "endsAt", "service", "status"], &json!({
            "id": id("Your own id."),
            "startsAt": starts(),
            "endsAt": starts(),
            "service": text("What is booked."),
            "status": text("confirmed where nothing is left to do; others are passed on."),
        })),
    })
}
