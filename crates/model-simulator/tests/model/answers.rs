//! The stand-in's answers to a shop's customers.

use serde_json::json;

use crate::chat::{Chat, Said, act, ask, call, pampers, quote};

#[tokio::test]
async fn a_chat_in_arabic_runs_from_a_price_to_an_order() {
    let mut chat = Chat::open().await;
    assert_eq!(chat.customer("شكد سعر بامبرز؟").await, call("searchProducts", json!({ "query": "بامبرز" })));
    let told = chat.result(&pampers("strong")).await.acts();
    assert_eq!(told, json!([quote(None, &["price", "availability", "options"]), act("how_to_order")]));
    chat.business(
        "حفاضات بامبرز من 14,500 دينار لحد 15,000 دينار\nموجود\n\nدزولنا شنو تريدون، والاسم والعنوان.",
    );
    let order = "اريد اثنين قياس 3، اسمي سارة، العنوان الكرادة شارع 14 بغداد";
    assert_eq!(chat.customer(order).await, call("searchProducts", json!({ "query": "بامبرز" })));
    let placed = json!({
        "lines": [{ "productId": "1001", "variantId": "1001-3", "quantity": 2 }],
        "name": "سارة",
        "address": { "line1": "الكرادة شارع 14", "city": "بغداد", "province": "بغداد" },
    });
    assert_eq!(chat.result(&pampers("strong")).await, call("placeOrder", placed));
}

#[tokio::test]
async fn what_an_order_lacks_is_asked_for_until_it_is_known() {
    let mut chat = Chat::open().await;
    let search = || call("searchProducts", json!({ "query": "بامبرز" }));
    let sizes = json!({ "act": "ask", "what": "size", "options": ["1001-3", "1001-4", "1001-5"] });
    let gone = quote(Some("1001-5"), &["price", "availability"]);
    for (customer, acts, business) in [
        ("اريد علبتين بامبرز", json!([sizes]), "أي قياس تريدون؟\n• قياس 3\n• قياس 4"),
        ("قياس 5", json!([gone]), "للأسف ما ظل عدنا حفاضات بامبرز (قياس 5) هسه"),
        ("اريد قياس 4", json!([ask("name")]), "باسم منو نسجل، من فضلكم؟"),
        ("سارة علي", json!([ask("address")]), "وين العنوان، من فضلكم؟"),
    ] {
        assert_eq!(chat.customer(customer).await, search(), "{customer}");
        assert_eq!(chat.result(&pampers("strong")).await.acts(), acts, "{customer}");
        chat.business(business);
    }
    assert_eq!(chat.customer("البصرة العشار").await, search());
    let Said::Call(tool, order) = chat.result(&pampers("strong")).await else { panic!("no call") };
    assert_eq!((tool.as_str(), &order["lines"][0]["quantity"]), ("placeOrder", &json!(2)));
    assert_eq!(order["address"], json!({ "line1": "العشار", "city": "البصرة", "province": "البصرة" }));
}

#[tokio::test]
async fn a_weak_match_is_called_the_closest_there_is_and_several_are_listed() {
    for question in ["shgad si3r pampers", "How much is Pampers?"] {
        let mut chat = Chat::open().await;
        assert!(matches!(chat.customer(question).await, Said::Call(tool, _) if tool == "searchProducts"));
        let told = chat.result(&pampers("weak")).await.acts();
        assert_eq!(told, json!([{ "act": "closest", "products": ["1001"] }]));
    }
    let mut chat = Chat::open().await;
    let mut two = pampers("strong");
    let mut second = two["products"][0].clone();
    second["id"] = json!("1002");
    two["products"].as_array_mut().unwrap().push(second);
    chat.customer("بيش الحفاضات؟").await;
    let told = chat.result(&two).await.acts();
    assert_eq!(told, json!([{ "act": "list", "products": ["1001", "1002"] }, act("how_to_order")]));
    chat.messages.truncate(1);
    chat.customer("عدكم حفاضات؟").await;
    let told = chat.result(&two).await.acts();
    assert_eq!((&told[0]["product"], &told[1]["product"]), (&json!("1001"), &json!("1002")));
    let mut chat = Chat::open().await;
    chat.customer("عدكم سيارة تويوتا؟").await;
    let told = chat.result(&json!({ "products": [] })).await.acts();
    assert_eq!(told, json!([{ "act": "not_found", "query": "سيارة تويوتا" }]));
}

#[tokio::test]
async fn a_photo_is_shown_the_first_time_that_a_product_is_named() {
    let mut chat = Chat::open().await;
    let mut found = pampers("strong");
    found["products"][0]["photo"] = json!(true);
    let quoted = ["price", "availability", "options", "photo"];
    for (business, count) in [("حفاضات بامبرز من 14,500 دينار", 4), ("تدللون", 3)] {
        chat.customer("شكد سعر بامبرز؟").await;
        let told = chat.result(&found).await.acts();
        assert_eq!(told[0], quote(None, &quoted[..count]), "{business}");
        chat.business(business);
    }
}

#[tokio::test]
async fn an_offer_is_told_with_the_old_price_and_haggling_declined() {
    let reduced = || {
        let mut found = pampers("strong");
        let product = found["products"][0].as_object_mut().unwrap();
        product.insert("variants".to_owned(), json!([]));
        product.insert("priceBefore".to_owned(), json!("16000"));
        found
    };
    for (question, first) in [
        ("اكو خصم على بامبرز؟", json!({ "act": "discount", "product": "1001" })),
        ("بامبرز بيش؟", quote(None, &["price", "availability", "before"])),
        ("بامبرز غالي", json!({ "act": "cannot", "topic": "discount" })),
    ] {
        let mut chat = Chat::open().await;
        chat.customer(question).await;
        assert_eq!(chat.result(&reduced()).await.acts()[0], first, "{question}");
    }
}

#[tokio::test]
async fn orders_are_looked_up_and_cancelled_by_their_number() {
    let mut chat = Chat::open().await;
    assert_eq!(chat.customer("وين صار طلبي؟").await.acts(), json!([ask("order_number")]));
    chat.business("شكد رقم الطلب، من فضلكم؟");
    assert_eq!(chat.customer("٥٠٠١").await, call("getOrderStatus", json!({ "reference": "5001" })));
    let order = json!({ "number": "5001", "status": "shipped", "total": "29000", "currency": "IQD", "trackingUrl": null });
    let status = json!({ "act": "order_status", "order": "5001", "parts": ["total"] });
    assert_eq!(chat.result(&order).await.acts(), json!([status]));
    chat.business("الطلب 5001 انشحن");
    let cancel = call("cancelOrder", json!({ "reference": "5003" }));
    assert_eq!(chat.customer("اريد الغي طلبي 5003").await, cancel);
    let missing = chat.result(&json!({ "error": "there is no such order" })).await.acts();
    assert_eq!(missing, json!([{ "act": "not_found", "query": "5003" }, ask("order_number")]));
    // What a number is for was said before it was asked for.
    let mut chat = Chat::open().await;
    assert_eq!(chat.customer("اريد الغي طلبي").await.acts(), json!([ask("order_number")]));
    chat.business("ممكن رقم الطلب؟");
    assert_eq!(chat.customer("5003").await, cancel);
}

#[tokio::test]
async fn a_free_time_is_told_and_the_one_that_is_named_is_booked() {
    let mut chat = Chat::open().await;
    let span = json!({ "from": "2026-11-22T12:00:00+03:00", "to": "2026-11-29T12:00:00+03:00" });
    assert_eq!(chat.customer("اريد موعد").await, call("listAppointmentSlots", span));
    let slot = json!({ "id": "s1", "startsAt": "2026-11-23T10:00:00+03:00", "endsAt": "2026-11-23T10:30:00+03:00", "service": "كشف" });
    let slots = json!({ "slots": [slot], "services": ["كشف"] });
    let told = chat.result(&slots).await.acts();
    assert_eq!(told, json!([{ "act": "slots", "slots": ["s1"] }, ask("time")]));
    chat.business("مواعيد كشف الفارغة:\n• الاثنين 23/11 الساعة 10:00 الصبح\n\nيا ساعة تحبون؟");
    assert!(
        matches!(chat.customer("الساعة 10").await, Said::Call(tool, _) if tool == "listAppointmentSlots")
    );
    let booking = json!({ "startsAt": "2026-11-23T10:00:00+03:00", "service": "كشف" });
    assert_eq!(chat.result(&slots).await, call("bookAppointment", booking));
    let mut chat = Chat::open().await;
    chat.customer("اريد موعد").await;
    let none = json!({ "slots": [], "services": [], "range": "r1" });
    assert_eq!(chat.result(&none).await.acts(), json!([{ "act": "no_slots", "range": "r1" }, ask("day")]));
}

#[tokio::test]
async fn what_is_not_understood_or_not_offered_goes_to_a_person() {
    let hand_over = || call("handOver", json!({}));
    for text in ["قصيدة عن البحر", "اريد احجي ويه موظف", "@@@", ""] {
        assert_eq!(Chat::open().await.customer(text).await, hand_over(), "{text}");
    }
    let mut chat = Chat::open().await;
    chat.tools = vec!["handOver", "answer"];
    for text in ["شكد سعر بامبرز؟", "وين طلبي 5001", "الغي طلبي 5001", "ممكن تتصلون بيه؟"]
    {
        assert_eq!(chat.customer(text).await, hand_over(), "{text}");
        chat.messages.truncate(1);
    }
    let told = chat.customer("شكد سعر التوصيل؟").await.acts();
    assert_eq!(told, json!([{ "act": "cite", "fact": "f1", "sentences": [] }]));
    chat.messages.truncate(1);
    // Acts that cannot be said are followed by no others.
    assert_eq!(chat.customer("هلا").await.acts(), json!([act("greet")]));
    assert_eq!(chat.result(&json!({ "error": "acts[0] (greet): …" })).await, hand_over());
}

#[tokio::test]
async fn a_wish_is_noted_in_the_customers_words_without_the_number_that_it_is_not_shown() {
    let mut chat = Chat::open().await;
    let said = chat.customer("ممكن تتصلون بيه على [number]").await.acts();
    assert_eq!(said, json!([{ "act": "lead", "words": "ممكن تتصلون بيه على" }]));
}

#[tokio::test]
async fn every_other_customer_gets_its_own_words_beside_the_acts_and_prose_goes_where_no_acts_are_taken() {
    let mut chat = Chat::open().await;
    for (customer, wording) in [("هلو", None), ("مرحبا بيكم", Some("هلا بيكم، شلون نكدر نخدمكم؟"))]
    {
        let greeted = Said::Acts(json!([act("greet")]), wording.map(str::to_owned));
        assert_eq!(chat.customer(customer).await, greeted);
        chat.messages.truncate(1);
    }
    chat.tools = vec!["searchProducts", "handOver"];
    assert_eq!(chat.customer("hello").await, Said::Words("Hello, how can we help?".to_owned()));
    chat.messages.truncate(1);
    chat.customer("How much is Pampers?").await;
    let Said::Words(words) = chat.result(&pampers("strong")).await else { panic!("no words") };
    assert!(words.contains("is 14500 IQD, in stock") && words.contains("قياس 4 is 15000 IQD"), "{words}");
}

#[tokio::test]
async fn what_neither_facts_nor_products_answer_is_looked_for_in_the_documents_and_cited() {
    let mut chat = Chat::open().await;
    chat.tools.push("searchKnowledge");
    let asked = "تغلفون الهدايا؟";
    assert_eq!(chat.customer(asked).await, call("searchKnowledge", json!({ "query": asked })));
    let passage =
        json!({ "id": "p1", "title": "الخدمات", "sentences": ["1: نفتح يوميا.", "2: نغلف الهدايا مجانا."] });
    let told = chat.result(&json!({ "passages": [passage] })).await.acts();
    assert_eq!(told, json!([{ "act": "cite", "passage": "p1", "sentences": [2] }]));
    chat.business("نغلف الهدايا مجانا.");
    assert_eq!(chat.customer(asked).await, call("searchKnowledge", json!({ "query": asked })));
    let nothing = json!({ "error": "no document tells of it" });
    assert_eq!(chat.result(&nothing).await, call("handOver", json!({})));
}
