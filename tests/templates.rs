//! `GET /v1/templates`: every kind of template, and what follows a change at the network.

use network_simulator::demo_accounts;
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use crate::support::{
    Answer, Api, CLINIC, CLINIC_NUMBER, CODES_NUMBER, SHOP, SHOP_NUMBER, World, eventually,
};

/// The demo's rows as the network lists them, each with its account.
fn at_the_network() -> Vec<(String, Value)> {
    let accounts = demo_accounts(&SecretString::from("unused")).unwrap();
    let rows = accounts.into_iter().flat_map(|account| {
        let id = account.id.clone();
        account.templates.into_iter().map(move |row| (id.clone(), row))
    });
    rows.collect()
}

/// The demo's row of this name and language at the network.
fn network_row(account: &str, name: &str, language: &str) -> Value {
    let rows = at_the_network();
    let of_name = |row: &Value| row["name"] == name && row["language"] == language;
    rows.into_iter().find(|(id, row)| id == account && of_name(row)).unwrap().1
}

fn component<'a>(row: &'a Value, kind: &str) -> Option<&'a Value> {
    row["components"].as_array().unwrap().iter().find(|component| component["type"] == kind)
}

async fn listed(api: &Api, query: &str) -> Vec<Value> {
    let answer = api.get(&format!("/v1/templates{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {:?}", answer.body);
    assert_eq!(answer.body.as_object().unwrap().len(), 1, "only `data`");
    answer.body["data"].as_array().unwrap().clone()
}

/// The listed rows of this name, in the list's order.
fn named(rows: &[Value], name: &str) -> Vec<Value> {
    rows.iter().filter(|row| row["name"] == name).cloned().collect()
}

fn status_of(rows: &[Value], name: &str) -> Option<String> {
    Some(named(rows, name).first()?["status"].as_str()?.to_owned())
}

/// A shop's template without any of the optional parts, with these fields over it.
fn of_shop(fields: &Value) -> Value {
    let mut row = json!({
        "language": "ar", "category": "UTILITY", "status": "approved", "footer": null,
        "header": { "format": "NONE", "text": null, "required": false }, "variables": [], "buttons": [],
        "authentication": null, "rejectionReason": null, "validityProblem": null, "account": SHOP, "numbers": [SHOP_NUMBER, CODES_NUMBER],
    });
    row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    row
}

fn of_clinic(fields: &Value) -> Value {
    let mut row = of_shop(fields);
    row["account"] = CLINIC.into();
    row["numbers"] = json!([CLINIC_NUMBER]);
    row
}

/// What the listing says of one template of each kind.
fn wanted() -> Vec<Value> {
    let text = |label: &str| json!({ "label": label, "kind": "text" });
    let name = |label: &str| json!({ "label": label, "kind": "name" });
    let button =
        |kind: &str, text: &str, variable: bool| json!({ "type": kind, "text": text, "variable": variable });
    let media = |format: &str| json!({ "format": format, "text": null, "required": true });
    vec![
        of_shop(&json!({
            "name": "order_ready", "body": "مرحبا {{1}}، طلبك {{2}} جاهز للاستلام.", "footer": "متجر الرافدين",
            "variables": [text("1"), text("2")],
        })),
        of_clinic(&json!({
            "name": "order_ready", "body": "مرحبا {{1}}، نتائج فحصك {{2}} جاهزة في العيادة.", "footer": "عيادة دجلة",
            "variables": [text("1"), text("2")],
        })),
        of_shop(&json!({
            "name": "order_ready", "language": "en_US", "footer": "Rafidain Shop",
            "body": "Hello {{1}}, your order {{2}} is ready to collect.", "variables": [text("1"), text("2")],
        })),
        of_shop(&json!({
            "name": "order_shipped",
            "body": "مرحبا {{1}}، خرج طلبك {{2}} مع المندوب ويصل {{3}} إن شاء الله.",
            "variables": [name("customer_name"), text("order_id"), text("day")],
            "buttons": [button("URL", "تتبع الطلب", true)],
        })),
        of_shop(&json!({
            "name": "invoice", "header": media("DOCUMENT"), "body": "مرحبا {{1}}، هذه فاتورة طلبك {{2}} مع الشكر.",
            "variables": [text("1"), text("2")],
            "buttons": [button("URL", "ادفع الآن", true), button("URL", "تقييم", true)],
        })),
        of_shop(&json!({
            "name": "new_season", "category": "MARKETING", "header": media("IMAGE"),
            "body": "وصلت تشكيلة الموسم الجديد يا {{1}}، تفضل بزيارتنا.", "variables": [text("1")],
            "buttons": [button("URL", "تسوق", false), button("QUICK_REPLY", "إيقاف العروض", false)],
        })),
        of_shop(&json!({
            "name": "how_it_works", "language": "en", "category": "MARKETING", "header": media("VIDEO"),
            "body": "See how pick-up works, {{1}}, in half a minute.", "variables": [text("1")],
        })),
        of_shop(&json!({
            "name": "delivery_time", "header": { "format": "TEXT", "text": "طلب رقم {{1}}", "required": true },
            "body": "يصل طلبك بين {{1}} و {{2}}، هل الوقت مناسب؟", "variables": [text("1"), text("2")],
            "buttons": [
                button("QUICK_REPLY", "نعم", false), button("QUICK_REPLY", "موعد آخر", false),
                button("PHONE_NUMBER", "اتصل بنا", false),
            ],
        })),
        of_shop(&json!({
            "name": "store_hours", "header": { "format": "TEXT", "text": "ساعات العمل", "required": false },
            "body": "نستقبلكم كل يوم من العاشرة صباحا حتى العاشرة مساء.",
        })),
        of_shop(&json!({
            "name": "coupon", "language": "en", "category": "MARKETING",
            "body": "A gift for you, {{1}}: use it before Friday.", "variables": [text("1")],
            "buttons": [button("COPY_CODE", "Copy offer code", false)],
        })),
        of_shop(&json!({
            "name": "login_code", "category": "AUTHENTICATION",
            "body": "*{{1}}* هو كود التحقق الخاص بك. للحفاظ على أمانك، لا تشارك هذا الكود.",
            "footer": "تنتهي صلاحية هذا الكود خلال 5 من الدقائق.", "buttons": [button("OTP", "نسخ الكود", false)],
            "authentication": { "addSecurityRecommendation": true, "codeExpirationMinutes": 5 },
        })),
        of_shop(&json!({
            "name": "payment_code", "category": "AUTHENTICATION", "body": "*{{1}}* هو كود التحقق الخاص بك.",
            "footer": "تنتهي صلاحية هذا الكود خلال 10 من الدقائق.", "buttons": [button("OTP", "نسخ الكود", false)],
            "authentication": { "addSecurityRecommendation": false, "codeExpirationMinutes": 10 },
        })),
        of_shop(&json!({
            "name": "signup_code", "language": "en", "category": "AUTHENTICATION",
            "body": "*{{1}}* is your verification code. For your security, do not share this code.",
            "buttons": [button("OTP", "Copy code", false)],
            "authentication": { "addSecurityRecommendation": true, "codeExpirationMinutes": 10 },
        })),
        of_shop(&json!({
            "name": "win_a_prize", "category": "MARKETING", "status": "rejected", "rejectionReason": "PROMOTIONAL",
            "body": "اربح الآن {{1}} مع كل طلب جديد.", "variables": [text("1")],
        })),
        of_clinic(&json!({
            "name": "appointment_reminder", "body": "مرحبا {{1}}، موعدك مع {{2}} يوم {{3}} في عيادتنا.",
            "variables": [name("name"), text("doctor"), text("day")],
            "buttons": [button("QUICK_REPLY", "تأكيد", false), button("QUICK_REPLY", "إلغاء", false)],
        })),
        of_clinic(&json!({
            "name": "clinic_location", "language": "en",
            "header": { "format": "LOCATION", "text": null, "required": true },
            "body": "Dear {{1}}, this is how you find us.", "variables": [text("1")],
        })),
    ]
}

#[tokio::test]
async fn every_template_is_listed_with_what_it_needs() {
    let world = World::new().await;
    let api = world.api();
    let all = listed(&api, "").await;
    for row in wanted() {
        assert!(
            all.contains(&row),
            "{row:#}\nis not among\n{:#}",
            json!(named(&all, row["name"].as_str().unwrap()))
        );
    }

    // Each of the network's rows once, by name, language and account.
    let key = |account: &str, row: &Value| {
        [row["name"].as_str().unwrap(), row["language"].as_str().unwrap(), account].map(str::to_owned)
    };
    let mut network: Vec<_> = at_the_network().iter().map(|(account, row)| key(account, row)).collect();
    network.sort();
    let ours: Vec<_> = all.iter().map(|row| key(row["account"].as_str().unwrap(), row)).collect();
    assert_eq!(ours, network);

    for (account, row) in at_the_network() {
        let about = format!("{} {}", row["name"], row["language"]);
        let ours =
            all.iter().find(|ours| key(&account, ours) == key(&account, &row) && ours["account"] == *account);
        let ours = ours.expect(&about);
        let mut fields: Vec<&str> = ours.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let wanted = [
            "account",
            "authentication",
            "body",
            "buttons",
            "category",
            "footer",
            "header",
            "language",
            "name",
            "numbers",
            "rejectionReason",
            "status",
            "validityProblem",
            "variables",
        ];
        assert_eq!(fields, wanted, "{about}");
        let status = match row["status"].as_str().unwrap() {
            "APPROVED" => "approved",
            "PENDING" | "IN_APPEAL" => "pending",
            "PAUSED" => "paused",
            _ => "rejected",
        };
        assert_eq!(ours["status"], status, "{about}");
        assert_eq!(ours["category"], row["category"], "{about}");
        if row["parameter_format"] != "NAMED" {
            assert_eq!(ours["body"], component(&row, "BODY").unwrap()["text"], "{about}");
        }
        assert_eq!(
            ours["footer"],
            component(&row, "FOOTER").map_or(Value::Null, |part| part["text"].clone())
        );
        let format = component(&row, "HEADER").map_or(json!("NONE"), |part| part["format"].clone());
        assert_eq!(ours["header"]["format"], format, "{about}");
        let buttons = component(&row, "BUTTONS").map_or(0, |part| part["buttons"].as_array().unwrap().len());
        assert_eq!(ours["buttons"].as_array().unwrap().len(), buttons, "{about}");
        let is_code = row["category"] == "AUTHENTICATION";
        assert_eq!(ours["authentication"].is_object(), is_code, "{about}");
        if is_code {
            assert_eq!(ours["variables"], json!([]), "{about}");
        }
        let reason = row["rejected_reason"].as_str().filter(|reason| *reason != "NONE");
        assert_eq!(ours["rejectionReason"].as_str(), reason, "{about}");
    }

    // Filters: each alone and together, and together they find everything once.
    let mut found = 0;
    for status in ["approved", "pending", "rejected", "paused"] {
        let rows = listed(&api, &format!("?status={status}")).await;
        assert!(!rows.is_empty() && rows.iter().all(|row| row["status"] == status), "{status}");
        found += rows.len();
        for category in ["UTILITY", "AUTHENTICATION", "MARKETING"] {
            let both = listed(&api, &format!("?category={category}&status={status}")).await;
            let of_category: Vec<&Value> = rows.iter().filter(|row| row["category"] == category).collect();
            assert_eq!(both.iter().collect::<Vec<_>>(), of_category, "{status} {category}");
        }
    }
    assert_eq!(found, all.len());
    let codes = listed(&api, "?category=AUTHENTICATION").await;
    assert_eq!(codes.len(), 5);
}

#[tokio::test]
async fn a_template_without_a_connected_number_is_listed_with_none() {
    let world = World::new().await;
    let api = world.api();
    for (status, numbers) in [("DISCONNECTED", json!([])), ("CONNECTED", json!([CLINIC_NUMBER]))] {
        let number = json!({ "phoneNumberId": "106540352242944", "status": status });
        world.control(Method::PUT, "numbers", &number).await;
        sync(&world, CLINIC);
        let all = listed(&api, "").await;
        for row in &all {
            let of_clinic = row["account"] == CLINIC;
            let wanted = if of_clinic { numbers.clone() } else { json!([SHOP_NUMBER, CODES_NUMBER]) };
            assert_eq!(row["numbers"], wanted, "{status}: {}", row["name"]);
        }
    }
}

#[tokio::test]
async fn a_change_at_the_network_is_seen_once_its_webhook_is_handled() {
    let world = World::new().await;
    let api = world.api();
    let eid = json!({ "to": "07701234567", "template": "eid_offer", "variables": ["Sara"] });
    let held = |status: &str| json!({ "status": status });
    api.send(&eid).await.assert_refused(409, "template_not_approved", &held("pending"), "before");

    for (status, ours) in
        [("APPROVED", "approved"), ("PAUSED", "paused"), ("REJECTED", "rejected"), ("APPROVED", "approved")]
    {
        let mut row = network_row(SHOP, "eid_offer", "ar");
        row["status"] = status.into();
        put(&world, SHOP, &[row], false).await;
        eventually("the template changes", async || {
            (status_of(&listed(&api, "").await, "eid_offer")? == ours).then_some(())
        })
        .await;
        let answer = api.send(&eid).await;
        if ours == "approved" {
            assert_eq!(answer.status, 201, "{:?}", answer.body);
        } else {
            answer.assert_refused(409, "template_not_approved", &held(ours), status);
        }
    }

    // New words, a new template, and one that the network has taken away.
    let mut changed = network_row(SHOP, "store_hours", "ar");
    changed["components"] =
        json!([{ "type": "BODY", "text": "Closed today, {{1}}.", "example": { "body_text": [["Sara"]] } }]);
    let mut new = network_row(SHOP, "order_ready", "ar");
    new["id"] = "1387372356729999".into();
    new["name"] = "brand_new".into();
    put(&world, SHOP, &[changed, new], true).await;
    let rows = eventually("the list is the new one", async || {
        let rows = listed(&api, "").await;
        (!named(&rows, "brand_new").is_empty()).then_some(rows)
    });
    let rows = rows.await;
    let of_shop: Vec<&Value> =
        rows.iter().filter(|row| row["account"] == SHOP).map(|row| &row["name"]).collect();
    assert_eq!(of_shop, ["brand_new", "store_hours"]);
    assert_eq!(named(&rows, "store_hours")[0]["body"], "Closed today, {{1}}.");
    assert_eq!(named(&rows, "store_hours")[0]["header"]["format"], "NONE");
    assert_eq!(named(&rows, "order_ready")[0]["account"], CLINIC);
    let none = json!({});
    api.send(&eid).await.assert_refused(404, "template_not_found", &none, "taken away");
    let hours = json!({ "to": "07701234567", "template": "store_hours" });
    let wanted = json!({ "variables": ["1"] });
    api.send(&hours).await.assert_refused(400, "variables_mismatch", &wanted, "new words");
}

#[tokio::test]
async fn a_code_s_message_never_outlives_its_code() {
    let world = World::new().await;
    // Connecting has corrected what would outlive its code, and left alone what would not.
    for (id, seconds) in [
        ("1387372356726710", 300),
        ("1387372356726721", 300),
        ("1387372356726732", 600),
        ("1387372356726743", 600),
        ("1387372356726853", 180),
    ] {
        assert_eq!(validity(&world, id).await, Some(seconds), "{id}");
    }
    assert!(!world.operator(&["template", "list", &world.workspace]).contains("#100"));

    // One more comes, and the network does not let us correct it: said where templates are looked after, in
    // the log, and nowhere else.
    let mut row = network_row(SHOP, "login_code", "ar");
    row["message_send_ttl_seconds"] = 900.into();
    world
        .simulator
        .set_faults(&json!([{ "kind": "error", "code": 100, "on": "edits", "details": "too late" }]))
        .unwrap();
    put(&world, SHOP, &[row], false).await;
    let line = eventually("the problem is written down", async || {
        let listed = world.operator(&["template", "list", &world.workspace]);
        listed.lines().find(|line| line.contains("too late")).map(str::to_owned)
    });
    let line = line.await;
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    assert_eq!(words, ["login_code", "ar", "AUTHENTICATION", "approved"], "{line}");
    assert_eq!(validity(&world, "1387372356726710").await, Some(900));
    let warned =
        |line: &String| line.contains("\"WARN\"") && line.contains("login_code") && line.contains("too late");
    eventually("the log warns", async || world.service.log().iter().any(warned).then_some(())).await;
    // A code that could arrive after it has ended is not sent, and the listing says what to do.
    let code = json!({ "to": "07701234567", "template": "login_code", "language": "ar", "code": "483920" });
    let rows = listed(&world.api(), "?category=AUTHENTICATION").await;
    let row = rows.iter().find(|row| row["name"] == "login_code" && row["language"] == "ar").unwrap();
    let reason = row["validityProblem"].as_str().unwrap();
    assert!(reason.contains("too late") && reason.contains("at most 300 s"), "{reason}");
    let details = json!({ "status": "approved", "reason": reason });
    world.api().send(&code).await.assert_refused(409, "template_not_approved", &details, "could be late");

    // Once the network lets us, the next reading corrects it, and the problem is gone.
    world.simulator.set_faults(&json!([])).unwrap();
    sync(&world, SHOP);
    assert_eq!(validity(&world, "1387372356726710").await, Some(300));
    assert!(!world.operator(&["template", "list", &world.workspace]).contains("too late"));
    assert_eq!(world.api().send(&code).await.status, 201);
}

/// Puts templates at the network, which tells the service of each.
async fn put(world: &World, account: &str, rows: &[Value], replace: bool) {
    let put = json!({ "accountId": account, "templates": rows, "notify": true, "replace": replace });
    let answer = world.control(Method::PUT, "templates", &put).await;
    let told = answer["webhooks"].as_array().unwrap();
    assert!(told.len() == rows.len() && told.iter().all(|one| one["status"] == 200), "{told:?}");
}

/// Reads an account's templates now.
fn sync(world: &World, account: &str) {
    world.operator(&["account", "sync", &world.workspace, "--id", account]);
}

/// How long the network keeps a template's messages for a phone that is off, in seconds.
async fn validity(world: &World, template: &str) -> Option<i64> {
    let token = SecretString::from("token-of-the-demo");
    let secret = SecretString::from(world.secrets.app_secret.clone());
    let proof = graph_client::signature::appsecret_proof(&secret, &token);
    let network = Api::new(world.secrets.graph_url.trim_end_matches('/'), "token-of-the-demo");
    let path = format!("/v25.0/{template}?fields=message_send_ttl_seconds&appsecret_proof={proof}");
    let answer: Answer = network.get(&path).await;
    let row: &Map<String, Value> = answer.body.as_object().unwrap();
    row.get("message_send_ttl_seconds").and_then(Value::as_i64)
}
