//! The shop over HTTP: its contract, its control routes, and that faults strike only where they are switched
//! on.

#![expect(clippy::unwrap_used, reason = "test support")]

use reference_shop::{ALL, Clock, Config, Fault, ReferenceShop};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use time::macros::datetime;

const SECRET: &str = "shop-secret";

struct Shop {
    running: ReferenceShop,
    client: Client,
}

impl Shop {
    async fn open() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config = Config::new(SECRET);
        config.clock = Clock::Fixed(datetime!(2026-11-22 12:00 +3));
        let running = ReferenceShop::start(config).await.unwrap();
        Self { running, client: Client::builder().no_proxy().no_gzip().build().unwrap() }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let mut request = self.client.request(method, format!("{}{path}", self.running.base_url()));
        request = request.bearer_auth(SECRET);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.ask(Method::GET, path, None).await
    }

    async fn control(&self, method: Method, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}{path}", self.running.control_url());
        let answer = self.client.request(method, url).json(&body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }
}

fn order(key: &str, variant: &str) -> Value {
    json!({
        "idempotencyKey": key,
        "lines": [{ "variantId": variant, "quantity": 2 }],
        "customer": { "name": "سارة", "phone": "+9647701234567", "email": null },
    })
}

#[tokio::test]
async fn the_search_is_byte_by_byte() {
    let shop = Shop::open().await;
    let titles = async |q: &str| {
        let (_, found) = shop.get(&format!("/products?q={q}&limit=50")).await;
        found["products"].as_array().unwrap().len()
    };
    assert_eq!(titles("Pampers").await, 1);
    assert_eq!(titles("بامبرز").await, 1);
    assert_eq!(titles("pampers").await, 0);
    assert_eq!(titles("").await, 50);
    let (_, found) = shop.get("/products?category=أطفال&limit=3").await;
    assert_eq!(found["products"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn an_order_is_made_once_per_key_found_under_both_references_and_cancelled_once() {
    let shop = Shop::open().await;
    let (status, placed) = shop.ask(Method::POST, "/orders", Some(order("k1", "1001-2"))).await;
    assert_eq!((status, &placed["total"], &placed["number"]), (201, &json!(29_000), &json!("5004")));
    assert_eq!(shop.ask(Method::POST, "/orders", Some(order("k1", "1001-2"))).await, (200, placed.clone()));
    assert_eq!(shop.get("/orders/5004").await, (200, placed.clone()));
    assert_eq!(shop.get("/orders/ord_4").await, (200, placed));
    let cancelled = shop.ask(Method::POST, "/orders/5004/cancel", Some(json!({ "reason": "x" }))).await;
    assert_eq!((cancelled.0, &cancelled.1["status"]), (200, &json!("cancelled")));
    let (status, refused) = shop.ask(Method::POST, "/orders/5004/cancel", Some(json!({}))).await;
    assert_eq!(status, 409);
    assert!(refused["message"].is_string());
    assert_eq!(shop.running.orders().len(), 4);
}

#[tokio::test]
async fn a_key_that_comes_many_times_at_once_makes_one_order() {
    let shop = Shop::open().await;
    let many = (0..20).map(|_| shop.ask(Method::POST, "/orders", Some(order("k1", "1009"))));
    let answers = futures_util::future::join_all(many).await;
    assert_eq!(answers.iter().filter(|(status, _)| *status == 201).count(), 1);
    assert!(answers.iter().all(|(_, order)| order["id"] == "ord_4"));
    assert_eq!(shop.running.orders().len(), 4);
}

#[tokio::test]
async fn a_slot_is_offered_with_its_offset_booked_once_and_then_taken() {
    let shop = Shop::open().await;
    let (_, answer) = shop.get("/appointments/slots?from=2026-11-23&to=2026-11-23").await;
    assert_eq!(answer["slots"].as_array().unwrap().len(), 6);
    assert_eq!(answer["slots"][0]["startsAt"], "2026-11-23T10:00:00+03:00");
    let booking = |key| {
        let body = json!({ "idempotencyKey": key, "slotId": answer["slots"][0]["id"], "customer": { "phone": "+9641" } });
        shop.ask(Method::POST, "/appointments", Some(body))
    };
    let (status, booked) = booking("a").await;
    assert_eq!(status, 201);
    assert_eq!(booking("a").await, (200, booked));
    assert_eq!(booking("b").await.0, 409);
}

#[tokio::test]
async fn the_secret_is_asked_for_on_every_route_and_what_is_no_route_is_not_found() {
    let shop = Shop::open().await;
    let base = shop.running.base_url();
    for (method, path) in [
        (Method::GET, "/verify"),
        (Method::GET, "/products"),
        (Method::GET, "/products/1001"),
        (Method::POST, "/orders"),
        (Method::GET, "/orders/5001"),
        (Method::POST, "/orders/5003/cancel"),
        (Method::GET, "/customers/lookup?phone=%2B9647701234567"),
        (Method::POST, "/customers"),
        (Method::GET, "/appointments/slots"),
        (Method::POST, "/appointments"),
    ] {
        let answer =
            shop.client.request(method, format!("{base}{path}")).bearer_auth("wrong").send().await.unwrap();
        assert_eq!(answer.status(), 401, "{path}");
    }
    for (method, path) in
        [(Method::GET, "/nothing"), (Method::POST, "/verify"), (Method::DELETE, "/orders/5001")]
    {
        let (status, body) = shop.ask(method, path, None).await;
        assert_eq!((status, body["message"].is_string()), (404, true), "{path}");
    }
}

#[tokio::test]
async fn the_control_routes_show_what_came_and_change_the_shop() {
    let shop = Shop::open().await;
    shop.ask(Method::POST, "/orders", Some(order("k1", "1009"))).await;
    let (_, seen) = shop.control(Method::GET, "/requests", Value::Null).await;
    assert_eq!(seen["requests"][0]["path"], "/shop/contract/orders");
    assert_eq!(seen["requests"][0]["body"]["idempotencyKey"], "k1");
    assert_eq!(seen["requests"][0]["authorized"], true);
    assert!(!seen.to_string().contains(SECRET));
    let (_, kept) = shop.control(Method::GET, "/orders", Value::Null).await;
    assert_eq!(kept["orders"][3]["request"]["customer"]["name"], "سارة");
    assert_eq!(
        shop.control(Method::PUT, "/products/1009", json!({ "price": 6000, "quantity": 0 })).await.0,
        204
    );
    let (_, product) = shop.get("/products/1009").await;
    assert_eq!((&product["price"], &product["inStock"]), (&json!(6000), &json!(false)));
    assert_eq!(shop.control(Method::PUT, "/orders/5004", json!({ "status": "shipped" })).await.0, 200);
    assert_eq!(shop.ask(Method::POST, "/orders/5004/cancel", Some(json!({}))).await.0, 409);
    assert_eq!(shop.control(Method::DELETE, "/state", Value::Null).await.0, 204);
    assert_eq!(shop.running.orders().len(), 3);
    assert_eq!(shop.running.requests(), Vec::<Value>::new());
}

#[tokio::test]
async fn the_shop_tells_what_each_fault_does_and_which_are_legal() {
    let shop = Shop::open().await;
    let (_, told) = shop.control(Method::GET, "/faults", Value::Null).await;
    let about = |fault: &Fault| {
        assert!(fault.about().ends_with('.'), "{fault:?}");
        json!({ "name": fault.name(), "about": fault.about(), "legal": fault.legal() })
    };
    assert_eq!(told["known"], json!(ALL.iter().map(about).collect::<Vec<_>>()));
}

#[tokio::test]
async fn a_fault_strikes_while_it_is_on() {
    let shop = Shop::open().await;
    let faults =
        json!({ "faults": ["price_as_text", { "name": "server_error", "route": "verify", "times": 1 }] });
    assert_eq!(shop.control(Method::PUT, "/faults", faults).await.0, 200);
    assert_eq!(shop.get("/verify").await.0, 500);
    assert_eq!(shop.get("/verify").await.0, 200);
    assert!(shop.get("/products").await.1["products"][0]["price"].is_string());
    let (status, refused) = shop.control(Method::PUT, "/faults", json!({ "faults": ["earthquake"] })).await;
    assert_eq!((status, &refused["error"]), (400, &json!("there is no fault `earthquake`")));
    assert_eq!(shop.control(Method::DELETE, "/faults", Value::Null).await.0, 204);
    assert!(shop.get("/products").await.1["products"][0]["price"].is_number());
    shop.running.switch_on(&[Fault::NoCapabilities]);
    assert_eq!(shop.get("/verify").await.1["capabilities"], Value::Null);
    shop.running.stop().await;
}
