//! Orders.

use super::check::{Check, must, should};

pub(super) const CHECKS: &[Check] = &[
    must("order.unknown", "An order that does not exist is answered 404.", "Answer 404, not 200 with null."),
    must(
        "order.cancel_unknown",
        "Cancelling an order that does not exist is answered 404.",
        "Look the order up first, and answer 404.",
    ),
    must(
        "order.create",
        "POST /orders answers 200 or 201 with the order itself.",
        "Answer the order's object, not wrapped; read the request as the page shows it.",
    ),
    must(
        "order.repeated",
        "A key that was seen makes no second order: the first is answered.",
        "Store idempotencyKey with the order and look for it before making one.",
    ),
    should(
        "order.repeated_status",
        "A key that was seen is answered 200.",
        "Answer 200 where nothing was made.",
    ),
    must(
        "order.repeated_at_once",
        "A key that comes twice at once makes one order.",
        "Put a unique index on idempotencyKey, and answer the order that is there when it is hit.",
    ),
    must("order.id", "An order has an `id`, text or number.", "Send the system's own id."),
    must("order.number", "An order has a `number`, text or number.", "Send what stands on the receipt."),
    must("order.status", "An order has a `status`, a text.", "Send where the order stands."),
    should(
        "order.status_known",
        "`status` is one that the service can word.",
        "Send pending, confirmed, processing, shipped, delivered, cancelled or refunded.",
    ),
    must("order.total", "`total` is a number.", "Send the total without unit or formatting."),
    must(
        "order.currency",
        "An order's `currency` is an ISO 4217 code.",
        "Send the three letters, or leave it out.",
    ),
    must(
        "order.placed_at",
        "`placedAt` is an ISO 8601 time or null.",
        "Send a time such as 2026-11-22T12:30:00+03:00.",
    ),
    must(
        "order.tracking_url",
        "`trackingUrl` is an address that the customer can open.",
        "Send the whole address, or null.",
    ),
    must(
        "order.lines",
        "`lines` is a list of objects.",
        "Send an array of {\"title\", \"quantity\", \"price\"}, or leave it out.",
    ),
    must(
        "order.customer_phone",
        "An order that is looked up has `customerPhone`; without it nobody is shown the order.",
        "Return the number that the order was placed under.",
    ),
    must(
        "order.phone_format",
        "`customerPhone` is spelt as it was when the order was placed.",
        "Store the number as it came, with its + and country code, and return that.",
    ),
    must(
        "order.by_number",
        "An order is found by its number without a leading #.",
        "Compare the reference with the number after taking # off both.",
    ),
    must(
        "order.by_id",
        "An order is found by the system's id.",
        "Look for the reference among ids and numbers.",
    ),
    must(
        "order.cancel",
        "POST /orders/{reference}/cancel answers 2xx with nothing, the order, or {\"order\"}.",
        "Answer the order after it was cancelled.",
    ),
    must(
        "order.cancelled",
        "An order that was cancelled says so when it is looked up.",
        "Answer 2xx only once the cancellation is stored.",
    ),
    must(
        "order.cancel_refused",
        "An order that can no longer be cancelled is answered 409.",
        "Look at the order's status first, and answer 409 once it has left.",
    ),
    should(
        "order.cancel_message",
        "That 409 has a `message`.",
        "Answer {\"message\": \"…\"}; the team reads it.",
    ),
    must(
        "order.refused",
        "An order of what is not sold is answered 422, 409 or 404.",
        "Check every line's variantId before making the order.",
    ),
    should(
        "order.refusal_message",
        "That refusal has a `message`.",
        "Answer {\"message\": \"…\"}; the team reads it.",
    ),
];
