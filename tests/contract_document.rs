//! The contract's document, held to what the reference shop answers on every route: with success, and with
//! each refusal.

use std::collections::BTreeSet;

use reference_shop::{Config, ReferenceShop};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Api, Contract};

const DOCUMENT: &str = include_str!("../docs/custom-system-openapi.json");
const SECRET: &str = "shop-secret-77aa";
const PHONE: &str = "/customers/lookup?phone=%2B9647701234567";

/// A shop whose every answer is held to the document.
struct Shop {
    running: ReferenceShop,
    contract: Contract,
    /// Answers that were seen, as `GET /verify 200`.
    seen: BTreeSet<String>,
}

impl Shop {
    async fn open() -> Self {
        let running = ReferenceShop::start(Config::new(SECRET)).await.unwrap();
        Self { running, contract: Contract::new(DOCUMENT), seen: BTreeSet::new() }
    }

    async fn ask(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        secret: &str,
        status: u16,
    ) -> Value {
        let mut request = Api::new(&self.running.base_url(), secret).request(method.clone(), path);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = Answer::to(request).await;
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        let status = if status >= 500 { "5XX".to_owned() } else { status.to_string() };
        let what = format!("{method} {path} {status}");
        if status != "204" {
            assert_eq!(self.contract.faults(&what, &answer.body), Vec::<String>::new(), "{what}: {answer:?}");
        }
        if status == "429" {
            answer.header("retry-after").unwrap().parse::<u32>().unwrap();
        }
        let bare = path.split('?').next().unwrap();
        let fits = |template: &str| {
            let parts = || template.split('/').zip(bare.split('/'));
            let same = parts().all(|(wanted, given)| wanted.starts_with('{') || wanted == given);
            same && template.split('/').count() == bare.split('/').count()
        };
        let routes = self.contract.routes().into_iter().filter(|(known, _)| known == method.as_str());
        // A path without places wins over one with.
        let route = routes.filter(|(_, template)| fits(template)).min_by_key(|(_, path)| path.contains('{'));
        self.seen.insert(format!("{method} {} {status}", route.unwrap().1));
        answer.body
    }

    async fn get(&mut self, path: &str, status: u16) -> Value {
        self.ask(Method::GET, path, None, SECRET, status).await
    }

    async fn post(&mut self, path: &str, body: &Value, status: u16) -> Value {
        self.ask(Method::POST, path, Some(body), SECRET, status).await
    }

    fn faults(&self, faults: &Value) {
        self.running.set_faults(faults).unwrap();
    }
}

fn order(key: &str, variant: &str) -> Value {
    json!({
        "idempotencyKey": key,
        "lines": [{ "variantId": variant, "quantity": 1 }],
        "customer": { "name": "سارة", "phone": "+9647701234567", "email": null },
        "address": { "line1": "شارع", "city": "بغداد", "province": "بغداد", "country": "IQ", "notes": null },
        "note": "",
        "source": "messaging-service",
    })
}

fn booking(key: &str, slot: &Value) -> Value {
    json!({
        "idempotencyKey": key, "slotId": slot, "service": "تنصيب سبلت",
        "customer": { "name": "سارة", "phone": "+9647701234567" }, "note": null, "source": "messaging-service",
    })
}

async fn browses(shop: &mut Shop) {
    shop.get("/verify", 200).await;
    for word in ["", "Pampers", "qzxw"] {
        shop.get(&format!("/products?q={word}&limit=50"), 200).await;
    }
    shop.get("/products/1001", 200).await;
    shop.get("/products/none", 404).await;
}

async fn orders(shop: &mut Shop) {
    let placed = shop.post("/orders", &order("k1", "1009"), 201).await;
    assert_eq!(shop.post("/orders", &order("k1", "1009"), 200).await, placed);
    shop.post("/orders", &order("k2", "nothing"), 422).await;
    shop.post("/orders", &order("k3", "1001-5"), 409).await;
    for reference in ["5001", "5002", "5003", "5004"] {
        shop.get(&format!("/orders/{reference}"), 200).await;
    }
    shop.get("/orders/none", 404).await;
    let reason = json!({ "reason": "بدلت رأيي" });
    shop.post("/orders/5004/cancel", &reason, 200).await;
    shop.post("/orders/5001/cancel", &reason, 409).await;
    shop.post("/orders/none/cancel", &reason, 404).await;
    for (key, fault, status) in [("k4", "cancel_answers_wrapped", 200), ("k5", "cancel_answers_empty", 204)] {
        let placed = shop.post("/orders", &order(key, "1009"), 201).await;
        shop.faults(&json!([fault]));
        shop.post(&format!("/orders/{}/cancel", placed["number"].as_str().unwrap()), &reason, status).await;
    }
    shop.faults(&json!([]));
}

async fn knows_people(shop: &mut Shop) {
    assert!(shop.get(PHONE, 200).await["customer"].is_object());
    assert!(shop.get("/customers/lookup?phone=%2B9647709999999", 200).await["customer"].is_null());
    shop.get("/customers/lookup", 422).await;
    let mut lead = json!({
        "name": "علي", "phone": "+9647801112233", "note": "", "source": "messaging-service",
        "conversationId": "0192f0c1-7a00-7000-8000-000000000003",
    });
    shop.post("/customers", &lead, 200).await;
    lead["phone"] = json!("");
    shop.post("/customers", &lead, 422).await;
}

async fn books(shop: &mut Shop) {
    let free = shop.get("/appointments/slots?from=2026-01-01&to=2099-01-01", 200).await;
    shop.get("/appointments/slots?from=tomorrow&to=never", 422).await;
    let slot = &free["slots"][0]["id"];
    let booked = shop.post("/appointments", &booking("b1", slot), 201).await;
    assert_eq!(shop.post("/appointments", &booking("b1", slot), 200).await, booked);
    shop.post("/appointments", &booking("b2", slot), 409).await;
    shop.post("/appointments", &booking("b3", &json!("none")), 404).await;
    let mut without = booking("b4", slot);
    without["slotId"] = Value::Null;
    shop.post("/appointments", &without, 422).await;
}

#[tokio::test]
async fn what_the_reference_shop_answers_on_every_route_is_as_documented() {
    let mut shop = Shop::open().await;
    browses(&mut shop).await;
    orders(&mut shop).await;
    knows_people(&mut shop).await;
    books(&mut shop).await;
    let routes = [
        (Method::GET, "/verify", "verify"),
        (Method::GET, "/products", "products"),
        (Method::GET, "/products/1001", "product"),
        (Method::POST, "/orders", "order_create"),
        (Method::GET, "/orders/5001", "order"),
        (Method::POST, "/orders/5001/cancel", "order_cancel"),
        (Method::GET, PHONE, "customer_lookup"),
        (Method::POST, "/customers", "customer_create"),
        (Method::GET, "/appointments/slots", "slots"),
        (Method::POST, "/appointments", "appointment_create"),
    ];
    for (method, path, name) in routes {
        shop.ask(method.clone(), path, None, "another", 401).await;
        for (fault, status) in [("rate_limited_once", 429), ("server_error", 500)] {
            shop.faults(&json!([{ "name": fault, "route": name }]));
            shop.ask(method.clone(), path, None, SECRET, status).await;
        }
        shop.faults(&json!([]));
    }
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut unseen = Vec::new();
    for (method, path) in shop.contract.routes() {
        let operation = &document["paths"][&path][method.to_lowercase()];
        for status in operation["responses"].as_object().into_iter().flat_map(|them| them.keys()) {
            let what = format!("{method} {path} {status}");
            if !shop.seen.contains(&what) {
                unseen.push(what);
            }
        }
    }
    // The shop keeps leads with 200 alone.
    assert_eq!(unseen, ["POST /customers 201"], "documented, and never seen");
}
