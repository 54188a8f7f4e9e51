//! Products of the workspace's shop, looked up by the team.

use reference_shop::Fault;
use reqwest::Method;
use serde_json::{Value, json};

use super::counter::{CUSTOMER, Counter};
use crate::support::{Answer, Browser};

async fn search(browser: &Browser, q: &str) -> Answer {
    Answer::to(browser.request(Method::GET, "/system/products").query(&[("q", q)])).await
}

fn titles(found: &Answer, matched: &str) -> Vec<String> {
    assert_eq!(found.status, 200, "{found:?}");
    let rows = found.body["rows"].as_array().unwrap().iter();
    let of = rows.filter(|row| row["match"] == matched);
    of.map(|row| row["product"]["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_member_finds_products_as_customers_write_of_them_and_sees_no_quantity() {
    let counter = Counter::new().await;
    let found = search(&counter.owner, "بامبرز").await;
    assert!(!titles(&found, "strong").is_empty(), "{found:?}");
    // The shop compares byte for byte, and titles say it otherwise.
    let kettles = search(&counter.owner, "غلايه كهربائيه").await;
    assert!(titles(&kettles, "strong").iter().any(|title| title.contains("غلاية")), "{kettles:?}");
    for found in [&found, &kettles] {
        assert!(!found.body.to_string().contains("quantity"), "{found:?}");
        let first = &found.body["rows"][0]["product"];
        assert!(["in_stock", "few_left", "out_of_stock"].contains(&first["availability"].as_str().unwrap()));
        assert_eq!(first["currency"], "IQD");
    }
    let absent = search(&counter.owner, "خروف حي").await;
    assert_eq!(titles(&absent, "strong"), Vec::<String>::new(), "{absent:?}");

    let calls = counter.calls("GET /products").await;
    assert!(calls.len() > 3, "each way of asking is a call of its own: {calls:?}");
    assert!(calls.iter().all(|call| call["result"] == "answered" && call["status"] == 200), "{calls:?}");

    let id = kettles.text("/rows/0/product/id");
    let one = counter.owner.get(&format!("/system/products/{id}")).await;
    assert_eq!((one.status, &one.body), (200, &kettles.body["rows"][0]["product"]));
    let none = counter.owner.get("/system/products/there%2Fis%20none").await;
    assert_eq!((none.status, none.text("/message")), (404, "the system has no such product"));
}

#[tokio::test]
async fn a_discount_is_shown_where_the_old_price_is_higher() {
    let counter = Counter::new().await;
    let mut discounted = 0;
    for q in ["شاي", "كريم", "قميص", "غلاية", "سماعة"] {
        let found = search(&counter.owner, q).await;
        for row in found.body["rows"].as_array().unwrap() {
            let product = &row["product"];
            if let Some(old) = product["compareAtPrice"].as_str() {
                let (old, price): (i64, i64) =
                    (old.parse().unwrap(), product["price"].as_str().unwrap().parse().unwrap());
                assert!(old > price, "{product}");
                discounted += 1;
            }
        }
    }
    assert!(discounted > 0);
}

#[tokio::test]
async fn the_owners_own_words_find_what_nobody_else_calls_so() {
    let counter = Counter::new().await;
    assert_eq!(titles(&search(&counter.owner, "زرقوطة").await, "strong"), Vec::<String>::new());
    let page = "/dashboard/settings/system";
    let set = async |words: &str| {
        counter.owner.visitor().post(page, &[("do", "synonyms"), ("synonyms", words)]).await.status
    };
    let shown = async |browser: &Browser| {
        let html = browser.visitor().get(page).await.html;
        let (_, words) = html.split_once("name=\"synonyms\"").unwrap();
        words.split_once('>').unwrap().1.split('<').next().unwrap().to_owned()
    };
    assert_eq!(set("زرقوطة،  غلاية  ").await, 303);
    let kept = shown(&counter.owner).await;
    assert!(kept.contains("زرقوطة") && kept.contains("غلاية") && !kept.contains("  "), "{kept}");
    let found = search(&counter.owner, "زرقوطة").await;
    assert!(titles(&found, "strong").iter().any(|title| title.contains("غلاية")), "{found:?}");
    let log = counter.owner.get("/audit?action=system.synonyms_changed").await;
    assert_eq!(log.body["rows"][0]["details"], json!({ "groups": 1 }));

    let many = (0..201).map(|n| format!("a{n}, b{n}\n")).collect::<Vec<_>>().concat();
    for words in ["one", "a, a", "a, ", &format!("a, {}", "x".repeat(41)), &many] {
        assert_eq!(set(words).await, 422, "{words}");
    }
    assert_eq!(shown(&counter.owner).await, kept, "what is refused changes nothing");

    let neighbour = counter.neighbour().await;
    assert_eq!(shown(&neighbour).await.trim(), "");
    counter.connect(&neighbour).await;
    assert_eq!(titles(&search(&neighbour, "زرقوطة").await, "strong"), Vec::<String>::new());
    assert!(!titles(&search(&neighbour, "غلاية").await, "strong").is_empty());
}

#[tokio::test]
async fn a_question_that_is_none_is_refused_and_no_shop_is_asked() {
    let counter = Counter::new().await;
    let before = counter.shop.requests().len();
    for q in ["", " ", "\u{200f}", &"x".repeat(201)] {
        let refused = search(&counter.owner, q).await;
        assert!(refused.status == 400 && refused.text("/message").contains("`q`"), "{q:?}: {refused:?}");
    }
    assert_eq!(counter.owner.get("/system/products").await.status, 400);
    assert_eq!(counter.shop.requests().len(), before);
}

#[tokio::test]
async fn what_a_shop_does_wrong_is_told_and_one_that_is_lost_is_not_asked_again() {
    let counter = Counter::new().await;
    counter.shop.switch_on(&[Fault::HtmlAnswer]);
    let unread = search(&counter.owner, "شاي").await;
    unread.assert_refused(502, "system_failed", &json!({}), "HTML");
    counter.shop.switch_on(&[Fault::RightSecretRefused]);
    search(&counter.owner, "شاي").await.assert_refused(502, "system_failed", &json!({}), "401");
    assert_eq!(counter.owner.get("/system").await.text("/state"), "needs_reconnection");

    let before = counter.shop.requests().len();
    let unasked = search(&counter.owner, "شاي").await;
    let state = json!({ "state": "needs_reconnection" });
    unasked.assert_refused(503, "system_unavailable", &state, "not asked");
    assert!(unasked.header("retry-after").is_some());
    assert_eq!(counter.shop.requests().len(), before);
}

#[tokio::test]
async fn a_shop_that_declares_nothing_is_asked_for_nothing() {
    let counter = Counter::new().await;
    let conversation = counter.writes(CUSTOMER).await.text("/data/conversation/id").to_owned();
    let declares = async |faults: &[Fault]| {
        counter.shop.switch_on(faults);
        assert_eq!(counter.owner.post("/system/verify", &json!({})).await.status, 200);
        counter.shop.requests().len()
    };
    let asked = declares(&[Fault::CapabilitiesEmpty]).await;
    for (path, capability) in [
        ("/system/products?q=tea".to_owned(), "catalog"),
        ("/system/products/1038".to_owned(), "catalog"),
        (format!("/conversations/{conversation}/orders/5001"), "orders"),
        (format!("/conversations/{conversation}/customer"), "customers"),
        (format!("/conversations/{conversation}/slots"), "appointments"),
    ] {
        let refused = counter.owner.get(&path).await;
        refused.assert_refused(409, "system_undeclared", &json!({ "capability": capability }), &path);
    }
    assert_eq!(counter.shop.requests().len(), asked);
    // A first version declares nothing and is a catalogue with orders.
    declares(&[Fault::NoCapabilities]).await;
    assert_eq!(search(&counter.owner, "شاي").await.status, 200);
    assert_eq!(counter.about(&conversation, "orders/5001").await.status, 200);
    assert_eq!(counter.about(&conversation, "slots").await.status, 409);
}

#[tokio::test]
async fn a_customer_is_shown_a_product_s_price_and_then_its_photo_over_every_network() {
    let counter = Counter::new().await;
    let of = |told: &crate::support::Delivery| told.text("/data/conversation/id").to_owned();
    let chats = [
        of(&counter.writes(CUSTOMER).await),
        of(&counter.writes_to_page().await),
        of(&counter.writes_to_instagram().await),
    ];
    for (place, conversation) in chats.iter().enumerate() {
        let path = format!("/conversations/{conversation}/products");
        let shown = counter.owner.post(&path, &json!({ "productId": "1001", "variantId": "1001-4" })).await;
        assert_eq!(shown.status, 201, "{shown:?}");
        let text = shown.text("/message/content");
        assert!(
            text.contains("قياس 4") && text.contains("15,000 IQD") && text.contains("بقي منه القليل"),
            "{text}"
        );
        assert!(!text.contains('3'), "how many there are is told to nobody: {text}");
        assert_eq!(shown.text("/photo/content"), "[image]");
        let sent = counter.world.control(Method::GET, "messages", &json!({})).await;
        let sent = sent["data"].as_array().unwrap();
        assert_eq!(sent.len(), 2 * (place + 1), "the words, then the photo");
        let photo = &sent.last().unwrap()["body"];
        let link = photo.pointer("/image/link").or_else(|| photo.pointer("/message/attachment/payload/url"));
        assert!(link.and_then(Value::as_str).unwrap().starts_with("https://"), "{photo}");
    }
    let path = format!("/conversations/{}/products", chats[0]);
    for unknown in [json!({ "productId": "no-such" }), json!({ "productId": "1001", "variantId": "9" })] {
        counter.owner.post(&path, &unknown).await.assert_error(404, "what the shop does not have");
    }
    let once = async || {
        let request = counter.owner.request(Method::POST, &path).header("Idempotency-Key", "k");
        Answer::to(request.json(&json!({ "productId": "1001" }))).await
    };
    let (first, again) = (once().await, once().await);
    assert_eq!((first.text("/message/id"), again.status), (again.text("/message/id"), 201));
    let sent = counter.world.control(Method::GET, "messages", &json!({})).await;
    assert_eq!(sent["data"].as_array().unwrap().len(), 8, "a repeat sends nothing");
}
