//! Every refusal of the template send that is not the network's: its status, its code, its details, and which
//! of several comes first.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{CLINIC, CLINIC_NUMBER, CODES_NUMBER, SENDS, SHOP_NUMBER, World};

const TO: &str = "0770 123 4567";
const NOBODYS_NUMBER: &str = "+964 770 999 9999";
/// The clinic's number, by its id at the network.
const CLINIC_NUMBER_ID: &str = "106540352242944";
const LINK: &str = "https://files.example/a.pdf";

/// A send to `TO` with these fields.
fn send(fields: &Value) -> Value {
    let mut body = json!({ "to": TO });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

fn order_ready() -> Value {
    send(&json!({ "template": "order_ready", "variables": ["Sara", "A-1042"] }))
}

/// What a request alone can be refused for: fields, status, code, details.
#[expect(clippy::too_many_lines, reason = "a table")]
fn refused_by_themselves() -> Vec<(Value, u16, &'static str, Value)> {
    let none = || json!({});
    let positional = || json!({ "variables": ["1", "2"] });
    let named = || json!({ "variables": ["customer_name", "order_id", "day"] });
    let connected = || json!({ "connected": [SHOP_NUMBER, CODES_NUMBER, CLINIC_NUMBER] });
    let bad_phone =
        |to: &str| (json!({ "to": to, "template": "store_hours" }), 400, "invalid_phone", json!({}));
    let bad_code =
        |code: &str| (json!({ "template": "login_code", "code": code }), 400, "invalid_code", json!({}));
    let blank = |values: Value, label: &str| {
        let fields = json!({ "template": "order_ready", "variables": values });
        (fields, 400, "variable_empty", json!({ "variable": label }))
    };
    let with_header = |template: &str, variables: Value, header: Value, code: &'static str| {
        (json!({ "template": template, "variables": variables, "header": header }), 400, code, json!({}))
    };
    let with_buttons = |template: &str, values: Value, buttons: Value| {
        let mut fields = json!({ "template": template, "variables": values, "buttonVariables": buttons });
        if template == "invoice" {
            fields["header"] = json!({ "link": LINK });
        }
        (fields, 400, "button_variables_mismatch", json!({}))
    };
    let held_back = |template: &str, status: &str| {
        let fields = json!({ "template": template, "variables": ["Sara"] });
        (fields, 409, "template_not_approved", json!({ "status": status }))
    };
    vec![
        bad_phone(""),
        bad_phone("12"),
        bad_phone("no number"),
        bad_phone("79916232860"),
        bad_phone("77012345678"),
        bad_phone("+964 770 123 456"),
        bad_phone("+999 123 456 789"),
        (json!({ "template": "order_ready" }), 400, "variables_mismatch", positional()),
        (json!({ "template": "order_ready", "variables": {} }), 400, "variables_mismatch", positional()),
        (json!({ "template": "order_ready", "variables": ["one"] }), 400, "variables_mismatch", positional()),
        (
            json!({ "template": "order_ready", "variables": ["1", "2", "3"] }),
            400,
            "variables_mismatch",
            positional(),
        ),
        (
            json!({ "template": "order_ready", "variables": { "1": "a", "3": "b" } }),
            400,
            "variables_mismatch",
            positional(),
        ),
        (
            json!({ "template": "order_shipped", "variables": { "customer_name": "Sara", "day": "Sunday" } }),
            400,
            "variables_mismatch",
            named(),
        ),
        (
            json!({ "template": "order_shipped", "variables": { "customer_name": "Sara", "order_id": "1", "day": "x", "city": "Basra" } }),
            400,
            "variables_mismatch",
            named(),
        ),
        (
            json!({ "template": "store_hours", "variables": ["one"] }),
            400,
            "variables_mismatch",
            json!({ "variables": [] }),
        ),
        (
            json!({ "template": "login_code", "code": "123456", "variables": ["123456"] }),
            400,
            "variables_mismatch",
            json!({ "variables": [] }),
        ),
        blank(json!(["Sara", ""]), "2"),
        blank(json!(["\u{200f}\u{a0}\u{202f}\u{200e}", "A-1042"]), "1"),
        blank(json!([" \u{a0}\u{2003}", "A-1042"]), "1"),
        blank(json!({ "1": "Sara", "2": "\n" }), "2"),
        (json!({ "template": "login_code" }), 400, "code_required", none()),
        (
            json!({ "template": "login_code", "code": null, "variables": ["123456"] }),
            400,
            "code_required",
            none(),
        ),
        bad_code("12 34"),
        bad_code("1234567890123456"),
        bad_code("12_34"),
        bad_code("١٢٣٤"),
        bad_code("كود"),
        bad_code("12\n34"),
        with_header("delivery_time", json!(["4", "6"]), json!({}), "header_required"),
        with_header("delivery_time", json!(["4", "6"]), json!({ "text": "  " }), "header_required"),
        with_header("delivery_time", json!(["4", "6"]), json!({ "link": LINK }), "header_required"),
        with_header("invoice", json!(["Sara", "1"]), json!(null), "header_required"),
        with_header("invoice", json!(["Sara", "1"]), json!({ "text": "x" }), "header_required"),
        with_header("new_season", json!(["Sara"]), json!({}), "header_required"),
        with_header("how_it_works", json!(["Sara"]), json!({}), "header_required"),
        with_header("clinic_location", json!(["Sara"]), json!({}), "header_required"),
        with_header("clinic_location", json!(["Sara"]), json!({ "link": LINK }), "header_required"),
        with_header(
            "order_ready",
            json!(["Sara", "1"]),
            json!({ "location": { "latitude": 33.3, "longitude": 44.4 } }),
            "header_not_allowed",
        ),
        with_header("order_ready", json!(["Sara", "1"]), json!({ "text": "x" }), "header_not_allowed"),
        with_header("order_ready", json!(["Sara", "1"]), json!({ "link": LINK }), "header_not_allowed"),
        with_header("store_hours", json!([]), json!({ "text": "x" }), "header_not_allowed"),
        with_header(
            "delivery_time",
            json!(["4", "6"]),
            json!({ "text": "x", "link": LINK }),
            "header_not_allowed",
        ),
        with_header(
            "delivery_time",
            json!(["4", "6"]),
            json!({ "text": "x", "filename": "a.png" }),
            "header_not_allowed",
        ),
        with_buttons("order_ready", json!(["Sara", "1"]), json!(["x"])),
        with_buttons("order_shipped", json!(["Sara", "1", "Sunday"]), json!([])),
        with_buttons("order_shipped", json!(["Sara", "1", "Sunday"]), json!(["x", "y"])),
        with_buttons("invoice", json!(["Sara", "1"]), json!(["x"])),
        (
            json!({ "template": "order_ready", "variables": ["a", "b"], "from": NOBODYS_NUMBER }),
            400,
            "unknown_sender",
            connected(),
        ),
        (
            json!({ "template": "order_ready", "variables": ["a", "b"], "from": "106540352242999" }),
            400,
            "unknown_sender",
            connected(),
        ),
        (
            json!({ "template": "order_ready", "variables": ["a", "b"], "from": "" }),
            400,
            "unknown_sender",
            connected(),
        ),
        (json!({ "template": "nothing" }), 404, "template_not_found", none()),
        (json!({ "template": "Order_Ready", "variables": ["a", "b"] }), 404, "template_not_found", none()),
        (
            json!({ "template": "order_ready", "language": "fr", "variables": ["a", "b"] }),
            404,
            "template_not_found",
            json!({ "languages": ["ar", "en_US"] }),
        ),
        held_back("eid_offer", "pending"),
        held_back("survey", "pending"),
        held_back("win_a_prize", "rejected"),
        held_back("old_offer", "rejected"),
        held_back("flash_sale", "paused"),
        (json!({ "template": "store_hours", "from": CLINIC_NUMBER }), 409, "template_not_on_number", none()),
        (
            json!({ "template": "store_hours", "from": CLINIC_NUMBER_ID }),
            409,
            "template_not_on_number",
            none(),
        ),
        (json!({ "template": "lab_results", "from": SHOP_NUMBER }), 409, "template_not_on_number", none()),
    ]
}

#[tokio::test]
async fn every_refusal_has_its_status_code_and_details_and_leaves_nothing_behind() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    let before = rows.counts(&SENDS).await;
    for (index, (fields, status, code, details)) in refused_by_themselves().into_iter().enumerate() {
        let answer = api.send_once(&format!("key-{index}"), &send(&fields)).await;
        answer.assert_refused(status, code, &details, &fields.to_string());
    }
    // A value that the network would refuse has no code of its own.
    for value in ["a\nb", "a\tb", "a\rb", "a     b"] {
        let answer =
            api.send(&send(&json!({ "template": "order_ready", "variables": ["Sara", value] }))).await;
        answer.assert_error(400, value);
        assert!(answer.text("/message").contains("variables.2"), "{:?}", answer.body);
        assert!(answer.body.get("code").is_none());
    }

    world.plan(&["--limit", "0"]);
    let reached = json!({ "reason": "active_customer_limit" });
    api.send_once("plan", &order_ready()).await.assert_refused(409, "plan_limit", &reached, "limit 0");
    world.plan(&["--paused"]);
    let paused = json!({ "reason": "subscription_paused" });
    api.send_once("plan", &order_ready()).await.assert_refused(409, "plan_limit", &paused, "paused");
    world.plan(&["--unlimited"]);

    set_clinic_number(&world, "BANNED").await;
    let lab_results = send(&json!({ "template": "lab_results", "variables": ["Sara"] }));
    api.send(&lab_results).await.assert_refused(409, "no_whatsapp_channel", &json!({}), "disconnected");

    assert_eq!(rows.counts(&SENDS).await, before);
    assert_eq!(world.simulator.messages().len(), 0);

    // None of them has used up its key.
    for key in ["key-0", "key-13", "plan"] {
        let answer = api.send_once(key, &order_ready()).await;
        assert_eq!(answer.status, 201, "{key}: {:?}", answer.body);
        assert_eq!(answer.header("idempotency-replayed"), None, "{key}");
    }
    let other = send(&json!({ "template": "order_ready", "variables": ["Sara", "B-7"] }));
    api.send_once("plan", &other).await.assert_refused(422, "idempotency_key_reused", &json!({}), "reused");
}

#[tokio::test]
async fn a_request_that_is_wrong_everywhere_hears_of_one_thing_after_the_other() {
    let world = World::new().await;
    let (api, rows) = (world.api(), world.rows().await);
    assert_eq!(api.send_once("used", &order_ready()).await.status, 201);
    world.simulator.settled().await;
    set_clinic_number(&world, "BANNED").await;
    world.plan(&["--paused"]);
    world.simulator.set_faults(&json!([{ "kind": "error", "code": 131_047 }])).unwrap();
    let tables = ["contacts", "conversations", "messages", "sends", "idempotency_keys", "plan_reservations"];
    let before = rows.counts(&tables).await;
    let none = || json!({});

    // Everything after the first mistake stays wrong, as far as it can.
    let mut body = json!({
        "to": "12", "template": "nothing", "from": NOBODYS_NUMBER, "variables": ["1", "2", "3"],
        "header": { "text": "x" }, "buttonVariables": ["x"], "colour": "red",
    });
    api.send_once("used", &body).await.assert_error(400, "shape");
    body.as_object_mut().unwrap().remove("colour");
    api.send_once("used", &body).await.assert_refused(400, "invalid_phone", &none(), "to");
    body["to"] = TO.into();
    api.send_once("used", &body).await.assert_refused(422, "idempotency_key_reused", &none(), "key");
    api.send_once("new", &body).await.assert_refused(404, "template_not_found", &none(), "template");
    body["template"] = "flash_sale".into();
    let paused = json!({ "status": "paused" });
    api.send_once("new", &body).await.assert_refused(409, "template_not_approved", &paused, "approved");
    body["template"] = "lab_results".into();
    let connected = json!({ "connected": [SHOP_NUMBER, CODES_NUMBER] });
    api.send_once("new", &body).await.assert_refused(400, "unknown_sender", &connected, "sender");
    body["from"] = SHOP_NUMBER.into();
    api.send_once("new", &body).await.assert_refused(409, "template_not_on_number", &none(), "account");
    body.as_object_mut().unwrap().remove("from");
    api.send_once("new", &body).await.assert_refused(409, "no_whatsapp_channel", &none(), "connected");
    set_clinic_number(&world, "CONNECTED").await;
    let wanted = json!({ "variables": ["1"] });
    api.send_once("new", &body).await.assert_refused(400, "variables_mismatch", &wanted, "variables");
    body["variables"] = json!([" "]);
    let blank = json!({ "variable": "1" });
    api.send_once("new", &body).await.assert_refused(400, "variable_empty", &blank, "variables");
    body["variables"] = json!(["Sara"]);
    api.send_once("new", &body).await.assert_refused(400, "header_required", &none(), "header");
    body["header"] = json!({ "text": "x", "link": LINK });
    api.send_once("new", &body).await.assert_refused(400, "header_not_allowed", &none(), "header");
    body["header"] = json!({ "link": LINK, "filename": "results.pdf" });
    api.send_once("new", &body).await.assert_refused(400, "button_variables_mismatch", &none(), "buttons");
    body.as_object_mut().unwrap().remove("buttonVariables");
    let reason = json!({ "reason": "subscription_paused" });
    api.send_once("new", &body).await.assert_refused(409, "plan_limit", &reason, "plan");
    world.plan(&["--limit", "1"]);
    body["to"] = "+964 780 765 4321".into();
    let reason = json!({ "reason": "active_customer_limit" });
    api.send_once("new", &body).await.assert_refused(409, "plan_limit", &reason, "plan");
    world.plan(&["--unlimited"]);
    let whatsapp = json!({ "whatsappCode": 131_047 });
    api.send_once("new", &body).await.assert_refused(422, "whatsapp_rejected", &whatsapp, "network");
    assert_eq!(rows.counts(&tables).await, before);

    // The same for a code, where its own checks differ.
    let mut code = json!({
        "to": TO, "template": "login_code", "header": { "text": "x" }, "buttonVariables": ["x"],
    });
    world.plan(&["--paused"]);
    api.send_once("new", &code).await.assert_refused(400, "code_required", &none(), "code");
    code["code"] = "a b".into();
    api.send_once("new", &code).await.assert_refused(400, "invalid_code", &none(), "code");
    code["code"] = "483-920".into();
    api.send_once("new", &code).await.assert_refused(400, "header_not_allowed", &none(), "code's header");
    code.as_object_mut().unwrap().remove("header");
    api.send_once("new", &code).await.assert_refused(
        400,
        "button_variables_mismatch",
        &none(),
        "code's button",
    );
    code.as_object_mut().unwrap().remove("buttonVariables");
    let reason = json!({ "reason": "subscription_paused" });
    api.send_once("new", &code).await.assert_refused(409, "plan_limit", &reason, "code and plan");
    world.plan(&["--unlimited"]);
    api.send_once("new", &code).await.assert_refused(422, "whatsapp_rejected", &whatsapp, "code and network");
    assert_eq!(rows.counts(&tables).await, before);

    world.simulator.set_faults(&json!([])).unwrap();
    assert_eq!(api.send_once("new", &body).await.status, 201);
}

/// Sets the state of the clinic's number at the network, and reads it from there.
async fn set_clinic_number(world: &World, status: &str) {
    let number = json!({ "phoneNumberId": CLINIC_NUMBER_ID, "status": status });
    world.control(Method::PUT, "numbers", &number).await;
    world.operator(&["account", "sync", &world.workspace, "--id", CLINIC]);
}
