//! Checks of every call: the address, the answers as such, the secret, unknown routes, and `/verify`.

use super::check::{Check, must, should};

pub(super) const CHECKS: &[Check] = &[
    must(
        "base.public",
        "The base is https on a public host; the service calls nothing else.",
        "Put the system behind a public host name with a certificate, and register that.",
    ),
    must(
        "transport.whole",
        "Every call is answered, and no connection breaks within an answer.",
        "Look into the web server's log for crashes and for limits of its own that cut answers off.",
    ),
    must(
        "transport.time",
        "An answer is complete within 10 seconds.",
        "Find what the route waits for; add an index, cache it, or answer with less.",
    ),
    must(
        "transport.size",
        "An answer holds at most 5 MB; larger ones are dropped.",
        "Return at most 50 products, and links to photos in place of photos.",
    ),
    must(
        "transport.redirects",
        "At most three redirects, all within the base's own origin, and for a POST only 307 and 308.",
        "Register the address that answers by itself, and let its routes redirect nowhere.",
    ),
    must(
        "transport.encoding",
        "An answer is compressed only where the request asks for it.",
        "Compress only if Accept-Encoding names the encoding.",
    ),
    must(
        "transport.html",
        "What succeeds is JSON, never a web page.",
        "Route the base past the web site's pages, sign-in and maintenance pages.",
    ),
    should(
        "transport.content_type",
        "JSON calls itself application/json.",
        "Send Content-Type: application/json with every body.",
    ),
    must(
        "transport.json",
        "A body is one JSON value in UTF-8.",
        "Print nothing before or after the JSON (warnings, a byte order mark), and encode it as UTF-8.",
    ),
    must(
        "transport.server_error",
        "A 5xx is for a system that is down; asked once more, it answers.",
        "Look for the error in the system's own log; answer 404, 409 or 422 to what it cannot do.",
    ),
    should(
        "transport.retry_after",
        "A 429 says in Retry-After how many seconds to wait, and holds to it.",
        "Send Retry-After with whole seconds on every 429.",
    ),
    must(
        "auth.accepted",
        "The secret that was registered opens the system.",
        "Compare the text after `Bearer ` with the secret; see that the proxy passes Authorization on.",
    ),
    must("auth.verify", "GET /verify answers 401 to a wrong secret.", FIX),
    must("auth.products", "GET /products answers 401 to a wrong secret.", FIX),
    must("auth.product", "GET /products/{id} answers 401 to a wrong secret.", FIX),
    must("auth.order_create", "POST /orders answers 401 to a wrong secret.", FIX),
    must("auth.order", "GET /orders/{reference} answers 401 to a wrong secret.", FIX),
    must("auth.order_cancel", "POST /orders/{reference}/cancel answers 401 to a wrong secret.", FIX),
    must("auth.customer_lookup", "GET /customers/lookup answers 401 to a wrong secret.", FIX),
    must("auth.customer_create", "POST /customers answers 401 to a wrong secret.", FIX),
    must("auth.slots", "GET /appointments/slots answers 401 to a wrong secret.", FIX),
    must("auth.appointment_create", "POST /appointments answers 401 to a wrong secret.", FIX),
    must("auth.missing", "A request without a secret is answered 401.", FIX),
    must(
        "auth.whole_secret",
        "The whole secret is compared.",
        "Compare for equality, best in constant time, not for how the secret begins.",
    ),
    should("auth.status", "A wrong secret is answered 401.", "Answer 401, not 403."),
    must(
        "routes.unknown",
        "A route that does not exist is answered 404.",
        "Answer 404 below the base to whatever is none of the contract's routes.",
    ),
    must(
        "routes.redirect",
        "A route that does not exist redirects nowhere.",
        "Keep the web site's rules for missing pages from the base.",
    ),
    must(
        "routes.html",
        "The 404 of a route that does not exist is no web page.",
        "Answer the 404 with JSON such as {\"message\": \"…\"}, or without a body.",
    ),
    must(
        "routes.method",
        "A wrong method is answered 404.",
        "Answer 404, not 405, where a route exists with another method.",
    ),
    must(
        "verify.answer",
        "GET /verify answers 200 with an object.",
        "Answer {\"name\", \"currency\", \"capabilities\"}.",
    ),
    must("verify.name", "`name` is what the system is called.", "Send a text that is not blank."),
    must("verify.currency", "`currency` is an ISO 4217 code.", "Send the three letters, such as IQD."),
    must(
        "verify.capabilities",
        "`capabilities` lists at least one; left out, it means catalog and orders.",
        "Send an array of catalog, orders, customers and appointments, as far as they are implemented.",
    ),
    should(
        "verify.known",
        "Each capability is one of catalog, orders, customers and appointments.",
        "Remove what the contract does not know; it is ignored.",
    ),
];

const FIX: &str = "Check the secret before anything else, on every route, and answer 401.";
