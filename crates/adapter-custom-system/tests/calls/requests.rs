//! What is on the wire.

use domain::systems::Route;
use serde_json::{Value, json};

use crate::{
    server::Server,
    support::{ask, call, call_to, client, good},
};

/// What each call sends: its line, and its body where it has one.
fn sent(route: Route) -> (&'static str, Option<Value>) {
    let person = json!({ "name": "زينب", "phone": "+9647701234567" });
    match route {
        Route::Verify => ("GET /api/v2/verify", None),
        Route::SearchProducts => (
            "GET /api/v2/products?q=%D8%AD%D9%84%D9%8A%D8%A8%20%D8%A3%D8%B7%D9%81%D8%A7%D9%84%20%2B%20%D9%A2&limit=20&category=%D8%A3%D8%B7%D9%81%D8%A7%D9%84%20%26%20%D8%B1%D8%B6%D8%B9",
            None,
        ),
        Route::Product => ("GET /api/v2/products/a%2Fb%20%231", None),
        Route::PlaceOrder => (
            "POST /api/v2/orders",
            Some(json!({
                "idempotencyKey": "order-key-1",
                "lines": [
                    { "variantId": 9_007_199_254_740_993_u64, "quantity": 2 },
                    { "variantId": "0012", "quantity": 1 },
                ],
                "customer": { "name": "زينب", "phone": "+9647701234567", "email": null },
                "address": {
                    "line1": "قرب الجامع", "city": "بغداد", "province": "الكرخ", "country": "IQ",
                    "notes": "الطابق الثاني",
                },
                "note": "",
                "source": "messaging-service",
            })),
        ),
        Route::Order => ("GET /api/v2/orders/A%2F10", None),
        Route::CancelOrder => ("POST /api/v2/orders/A%2F10/cancel", Some(json!({ "reason": "تأخر" }))),
        Route::Customer => ("GET /api/v2/customers/lookup?phone=%2B9647701234567", None),
        Route::PushLead => (
            "POST /api/v2/customers",
            Some(json!({
                "name": "زينب", "phone": "+9647701234567", "note": "تريد عرض سعر",
                "conversationId": "00000000-0000-0000-0000-000000000007", "source": "messaging-service",
            })),
        ),
        Route::Slots => (
            "GET /api/v2/appointments/slots?from=2026-11-22T09%3A00%3A00%2B03%3A00&to=2026-11-23T00%3A00%3A00Z&service=%D8%AA%D9%86%D8%B8%D9%8A%D9%81",
            None,
        ),
        Route::Book => (
            "POST /api/v2/appointments",
            Some(json!({
                "idempotencyKey": "booking-key-1", "slotId": "slot/1", "service": "تنظيف", "customer": person,
                "note": null, "source": "messaging-service",
            })),
        ),
    }
}

#[tokio::test]
async fn each_call_has_its_path_its_headers_and_its_body() {
    for route in Route::ALL {
        let server = Server::answering(200, good(route)).await;
        let (exchange, unusable) = ask(&client(), &call(server.port), route).await.unwrap();
        assert_eq!((exchange.status, exchange.attempts, unusable), (200, 1, vec![]), "{route:?}");
        assert_eq!(exchange.bytes, good(route).len());
        let [seen] = &server.seen()[..] else { panic!("{route:?}: {:?}", server.seen()) };
        let (line, body) = sent(route);
        assert_eq!(format!("{} {}", seen.method, seen.target), line);
        let header = |name| seen.header(name);
        assert_eq!(header("authorization"), Some("Bearer hush-7001"), "{route:?}");
        assert_eq!(header("accept"), Some("application/json"), "{route:?}");
        assert_eq!(header("x-service-contract"), Some("2"), "{route:?}");
        assert_eq!(header("accept-encoding"), Some("identity"), "{route:?}");
        assert_eq!(header("user-agent"), Some("Messaging-Service/1.0"), "{route:?}");
        assert_eq!(header("content-type"), body.as_ref().map(|_| "application/json"), "{route:?}");
        let key = body.as_ref().and_then(|body| body["idempotencyKey"].as_str());
        assert_eq!(header("idempotency-key"), key, "{route:?}");
        assert_eq!(route.is_creation(), key.is_some(), "{route:?}");
        assert_eq!(serde_json::from_str(&seen.body).ok(), body, "{route:?}");
    }
}

#[tokio::test]
async fn an_id_that_came_as_a_number_goes_back_digit_for_digit() {
    let server = Server::answering(200, good(Route::PlaceOrder)).await;
    ask(&client(), &call(server.port), Route::PlaceOrder).await.unwrap();
    let seen = server.seen().remove(0);
    assert!(seen.body.contains(r#""variantId":9007199254740993,"#), "{}", seen.body);
}

#[tokio::test]
async fn a_base_without_a_path_is_called_at_its_root() {
    let server = Server::answering(200, good(Route::Verify)).await;
    let base = format!("http://127.0.0.1:{}/", server.port);
    let call = call_to(&base, std::time::Duration::from_secs(25));
    ask(&client(), &call, Route::Verify).await.unwrap();
    assert_eq!(server.seen().remove(0).target, "/verify");
}
