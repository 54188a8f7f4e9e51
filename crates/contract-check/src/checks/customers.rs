//! Records and leads.

use super::check::{Check, must, should};

pub(super) const CHECKS: &[Check] = &[
    must(
        "customer.unknown",
        "A number without a record is answered 200 with {\"customer\": null}.",
        "Answer null, not 404.",
    ),
    must(
        "customer.answer",
        "GET /customers/lookup answers 200 with an object that has `customer`.",
        "Answer {\"customer\": { … }}.",
    ),
    should(
        "customer.known",
        "The number given with --phone has a record.",
        "Decode %2B as +, and compare numbers in E.164.",
    ),
    must("customer.id", "`customer.id` is text, a number or null.", "Send the id as one value."),
    must("customer.name", "`customer.name` is text or null.", "Send the name as one text."),
    must(
        "customer.fields",
        "`customer.fields` maps labels to values.",
        "Send an object, empty where there is nothing to tell.",
    ),
    must(
        "customer.field_values",
        "A field's value is text, a number, a boolean or null.",
        "Send one value for each label; put what is nested under labels of its own.",
    ),
    must(
        "customer.field_length",
        "A field's text has at most 300 characters.",
        "Shorten it to what a customer wants to hear.",
    ),
    must("customer.field_count", "There are at most 30 fields.", "Choose the 30 that customers ask about."),
    must(
        "customer.lead",
        "POST /customers answers 2xx with {\"customer\": {\"id\"}}.",
        "Answer the id of the record that was made or updated.",
    ),
    should(
        "customer.lead_repeated",
        "A second lead of one number updates its record.",
        "Look for the phone before making a record.",
    ),
];
