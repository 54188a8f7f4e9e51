//! What is made of good answers, and of those of the contract's first version.

use domain::{
    catalogue::{Availability, Money},
    customer_records::FieldValue,
    orders::OrderStatus,
    phone::Region,
    systems::{Capability, ExternalId, Route, ports::CustomSystem as _},
};

use crate::{
    server::{Server, answer},
    support::{a_query, a_slot_query, ask, call, client, good, phone, reference, text},
};

#[tokio::test]
async fn an_introduction_says_what_the_system_can_do() {
    use Capability::{Appointments, Catalog, Customers, Orders};
    let table = [
        (
            r#""capabilities":["appointments","customers","orders","catalog"]"#,
            vec![Catalog, Orders, Customers, Appointments],
            0,
        ),
        (r#""capabilities":[]"#, vec![], 0),
        (r#""capabilities":["orders","telepathy",7]"#, vec![Orders], 2),
        // The first version.
        (r#""store":{"id":1}"#, vec![Catalog, Orders], 0),
        (r#""capabilities":null"#, vec![Catalog, Orders], 0),
    ];
    for (declared, capabilities, unusable) in table {
        let server =
            Server::answering(200, &format!(r#"{{"name":" متجر ","currency":"iqd",{declared}}}"#)).await;
        let answered = client().verify(&call(server.port)).await.unwrap();
        assert_eq!(answered.value.capabilities.iter().collect::<Vec<_>>(), capabilities, "{declared}");
        assert_eq!((answered.value.name.as_str(), answered.value.currency.as_str()), ("متجر", "IQD"));
        assert_eq!(answered.unusable.len(), unusable, "{:?}", answered.unusable);
    }
}

#[tokio::test]
async fn products_are_read_to_the_digit_and_no_quantity_comes_out() {
    let description = "و".repeat(450);
    let body = format!(
        r#"{{"products":[
            {{"id":9007199254740993,"title":"حليب","price":0.30000000000000004,"inStock":true,"quantity":2,
              "description":"{description}","compareAtPrice":0.5,"imageUrl":"http://cdn.example/a.jpg"}},
            {{"id":"b","title":"تمر","price":"1250","inStock":true}},
            {{"id":"c","title":"شاي","price":1250.00,"inStock":false,"compareAtPrice":1250,"variants":[
                {{"id":1,"title":"كبير","price":1500,"inStock":true,"quantity":4,"options":{{"الحجم":"L","وزن":1.5}}}},
                {{"id":2,"title":"صغير","price":null,"inStock":true}}]}}]}}"#
    );
    let server = Server::answering(200, &body).await;
    let answered = client().search_products(&call(server.port), &a_query()).await.unwrap();
    let [milk, tea] = &answered.value[..] else { panic!("{:?}", answered.value) };
    assert_eq!(milk.listing.id.as_str(), "9007199254740993");
    assert_eq!(milk.listing.price.as_str(), "0.30000000000000004");
    assert_eq!(milk.discounted_from().map(Money::as_str), Some("0.5"));
    assert_eq!(milk.listing.availability, Availability::Few);
    assert_eq!(milk.description.as_ref().unwrap().as_str().chars().count(), 400);
    assert_eq!(milk.photo, None);
    assert_eq!((tea.discounted_from(), tea.listing.availability), (None, Availability::Out));
    let [large] = &tea.variants[..] else { panic!("{:?}", tea.variants) };
    assert_eq!(large.listing.availability, Availability::In);
    let options: Vec<_> = large.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(options, [("الحجم", "L"), ("وزن", "1.5")]);
    let mut named: Vec<_> = answered.unusable.iter().map(ToString::to_string).collect();
    named.sort();
    assert_eq!(
        named,
        [
            "products[0].imageUrl: not_allowed",
            "products[1].price: wrong_type",
            "products[2].variants[1].price: missing"
        ]
    );
}

#[tokio::test]
async fn an_order_is_seen_by_its_own_customer_alone() {
    let of = |phone: &str| {
        format!(
            r#"{{"id":5,"number":1001,"status":"preparing","total":2500.0,"customerPhone":{phone},"placedAt":"2026-11-21T10:00:00+03:00","lines":[{{"title":"تمر","quantity":2.0,"price":1250}}]}}"#
        )
    };
    for (written, shown) in [
        (r#""+9647701234567""#, true),
        (r#""0770 123 4567""#, true),
        (r#""٠٧٧٠١٢٣٤٥٦٧""#, true),
        (r#""07709999999""#, false),
        ("null", false),
        ("9647701234567", false),
    ] {
        let server = Server::answering(200, &of(written)).await;
        let answered = client().order(&call(server.port), &reference("#1001")).await.unwrap();
        let order = answered.value.shown_to(&phone(), Region::default());
        assert_eq!(order.is_some(), shown, "{written}");
        if let Some(order) = order {
            assert_eq!((order.status, order.total.as_str()), (OrderStatus::Processing, "2500.0"));
            assert_eq!((order.lines[0].quantity, order.placed_at.unwrap().offset().whole_hours()), (2, 3));
        }
    }
}

#[tokio::test]
async fn a_cancellation_is_answered_with_nothing_or_the_order_or_the_order_inside() {
    let order = r#"{"id":5,"number":1001,"status":"canceled","total":2500}"#;
    let table = [
        (204, String::new(), None),
        (200, " \n".to_owned(), None),
        (200, "{}".to_owned(), None),
        (200, r#"{"ok":true}"#.to_owned(), None),
        (200, r#"{"order":null}"#.to_owned(), None),
        (200, order.to_owned(), Some(OrderStatus::Cancelled)),
        (200, format!(r#"{{"order":{order},"ok":true}}"#), Some(OrderStatus::Cancelled)),
    ];
    for (status, body, now) in table {
        let server = Server::replying(vec![answer(status, "", &body)]).await;
        let cancelled =
            client().cancel_order(&call(server.port), &reference("1001"), &text("x")).await.unwrap();
        assert_eq!(cancelled.value.map(|order| order.status), now, "{body}");
    }
}

#[tokio::test]
async fn a_record_has_thirty_fields_of_three_hundred_characters_at_most() {
    let fields: Vec<_> = (0..35).map(|n| format!(r#""حقل {n}":"{}""#, "ن".repeat(301))).collect();
    let body = format!(
        r#"{{"customer":{{"id":null,"name":null,"fields":{{"رصيد":12.50,"vip":true,"":1,"list":[],{}}}}}}}"#,
        fields.join(",")
    );
    let server = Server::answering(200, &body).await;
    let answered = client().customer(&call(server.port), &phone()).await.unwrap();
    let record = answered.value.unwrap();
    // Of the first thirty one has no label and one is a list.
    assert_eq!(record.fields.len(), 28);
    assert_eq!(record.fields[0].1, FieldValue::Number("12.50".to_owned()));
    assert_eq!(record.fields[1].1, FieldValue::Bool(true));
    let FieldValue::Text(Some(long)) = &record.fields[2].1 else { panic!("{record:?}") };
    assert_eq!(long.as_str().chars().count(), 300);
    let named: Vec<_> = answered.unusable.iter().map(ToString::to_string).collect();
    assert!(named.contains(&"customer.fields[30..]: too_long".to_owned()), "{named:?}");
    assert!(named.contains(&"customer.fields[2]: not_allowed".to_owned()), "{named:?}");
    assert!(named.contains(&"customer.fields[3]: wrong_type".to_owned()), "{named:?}");
    assert!(named.contains(&"customer.fields[4]: too_long".to_owned()), "{named:?}");

    for (body, known) in [(r#"{"customer":null}"#, false), (r#"{"customer":{"fields":[]}}"#, true)] {
        let server = Server::answering(200, body).await;
        let answered = client().customer(&call(server.port), &phone()).await.unwrap();
        assert_eq!((answered.value.is_some(), answered.unusable.len()), (known, 0), "{body}");
    }
}

#[tokio::test]
async fn thirty_slots_are_read_and_a_time_without_an_offset_is_none() {
    let slot = |starts: &str, ends: &str| {
        format!(r#"{{"id":1,"startsAt":"{starts}","endsAt":"{ends}","service":"قص"}}"#)
    };
    let good = slot("2026-11-22T09:00:00+03:00", "2026-11-22T09:30:00+03:00");
    let body = |slots: Vec<String>| format!(r#"{{"services":["قص"],"slots":[{}]}}"#, slots.join(","));
    let server = Server::answering(200, &body(vec![good.clone(); 31])).await;
    let answered = client().slots(&call(server.port), &a_slot_query()).await.unwrap();
    assert_eq!((answered.value.slots.len(), answered.value.services.len()), (30, 1));
    assert_eq!(answered.unusable[0].path, "slots[30..]");

    let bad = vec![
        slot("2026-11-22T09:00:00", "2026-11-22T09:30:00+03:00"),
        slot("2026-11-22", "2026-11-23"),
        slot("2026-11-22T09:00:00+03:00", "2026-11-22T09:00:00+03:00"),
        slot("2026-02-30T09:00:00+03:00", "2026-11-22T09:30:00+03:00"),
        slot("tomorrow", "later"),
        good,
    ];
    let server = Server::answering(200, &body(bad)).await;
    let answered = client().slots(&call(server.port), &a_slot_query()).await.unwrap();
    assert_eq!(answered.value.slots.len(), 1);
    assert_eq!(answered.value.slots[0].span.starts_at().offset().whole_hours(), 3);
    assert!(answered.unusable.iter().all(|it| it.path.ends_with("sAt")), "{:?}", answered.unusable);
}

#[tokio::test]
async fn an_answer_may_begin_with_a_byte_order_mark() {
    let server = Server::answering(200, &format!("\u{feff}{}", good(Route::Verify))).await;
    assert!(ask(&client(), &call(server.port), Route::Verify).await.is_ok());
}

#[tokio::test]
async fn a_lead_has_arrived_whatever_is_said_of_it() {
    for (body, id) in [("", None), ("{}", None), (r#"{"customer":{"id":"L-1"}}"#, Some("L-1")), ("[]", None)]
    {
        let server = Server::answering(201, body).await;
        let answered = client().push_lead(&call(server.port), &crate::support::a_lead()).await.unwrap();
        assert_eq!(answered.value.as_ref().map(ExternalId::as_str), id, "{body}");
    }
}
