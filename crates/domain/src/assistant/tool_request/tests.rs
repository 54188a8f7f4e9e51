//! Tool calls as models write them.

use proptest::prelude::*;
use time::macros::datetime;

use super::{ToolCallError, ToolRequest};
use crate::{
    assistant::{Speaker, Tool, ToolCall, TurnBrief, fixtures::a_brief},
    consent::Wanted,
};

const ADDRESS: &str = r#"{"line1":"شارع 14","city":"بغداد","province":"بغداد"}"#;

fn read_after(said: &str, name: &str, arguments: &str) -> Result<ToolRequest, ToolCallError> {
    let call =
        ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned(), state: None };
    ToolRequest::read(&call, &TurnBrief { history: vec![(Speaker::Customer, said.to_owned())], ..a_brief() })
}

fn read(name: &str, arguments: &str) -> Result<ToolRequest, ToolCallError> {
    read_after("هلا", name, arguments)
}

fn order(rest: &str) -> String {
    format!(r#"{{"lines":[{{"productId":"m1","quantity":2}}],"address":{ADDRESS}{rest}}}"#)
}

#[test]
fn broken_arguments_are_told_apart_from_good_ones() {
    assert!(read("searchProducts", r#"{"query":"حليب"}"#).is_ok());
    for arguments in ["", "{}", r#"{"reason":"شكوى"}"#, "{\"reason\":", "[]"] {
        assert_eq!(read("handOver", arguments), Ok(ToolRequest::HandOver), "{arguments}");
    }
    for (name, arguments, error) in [
        ("dropTables", "{}", ToolCallError::NotOffered),
        ("placeOrder", "{}", ToolCallError::Malformed),
        ("searchProducts", "", ToolCallError::Malformed),
        ("searchProducts", r#"{"query":"#, ToolCallError::Malformed),
        ("searchProducts", r#"{"query":1}"#, ToolCallError::Malformed),
        ("lookupCustomerRecord", r#"{"phone":"07701234567"}"#, ToolCallError::Malformed),
        ("searchProducts", r#"{"query":" "}"#, ToolCallError::Unusable("query", "it is blank")),
        ("requestBooking", r#"{"service":" "}"#, ToolCallError::Unusable("service", "it is blank")),
    ] {
        assert_eq!(read(name, arguments), Err(error), "{name} {arguments}");
    }
    let span = r#"{"from":"2026-11-25T09:00:00+03:00","to":"2026-11-24T09:00:00+03:00"}"#;
    assert!(matches!(read("listAppointmentSlots", span), Err(ToolCallError::Unusable("to", _))));
}

#[test]
fn a_time_that_has_passed_is_refused_with_what_it_is_now_and_a_day_is_a_day_of_the_workspaces_clock() {
    let span =
        |from: &str, to: &str| read("listAppointmentSlots", &format!(r#"{{"from":"{from}","to":"{to}"}}"#));
    // It is one in the afternoon in Baghdad.
    let now = "Saturday, 2026-11-21, 13:00, UTC+03:00";
    for (from, to, field) in [
        ("2024-05-01", "2024-05-03", "from"),
        ("2024-05-01T09:00:00Z", "2026-11-25T09:00:00Z", "from"),
        ("2026-11-20", "2026-11-22", "from"),
        ("2026-11-21T09:00:00+03:00", "2026-11-21T12:00:00+03:00", "to"),
    ] {
        let past = Err(ToolCallError::Past { field, now: now.to_owned() });
        assert_eq!(span(from, to), past, "{from} {to}");
    }
    for (from, to, starts, ends) in [
        ("2026-11-22", "2026-11-22", datetime!(2026-11-22 00:00 +3), datetime!(2026-11-23 00:00 +3)),
        ("2026-11-29", "2026-12-01", datetime!(2026-11-29 00:00 +3), datetime!(2026-12-02 00:00 +3)),
        (
            "2026-11-22T16:00",
            "2026-11-22 18:00",
            datetime!(2026-11-22 16:00 +3),
            datetime!(2026-11-22 18:00 +3),
        ),
        // What is left of today.
        ("2026-11-21", "2026-11-21", datetime!(2026-11-21 13:00 +3), datetime!(2026-11-22 00:00 +3)),
        ("2026-11-22", "2027-01-21", datetime!(2026-11-22 00:00 +3), datetime!(2027-01-21 00:00 +3)),
    ] {
        match span(from, to) {
            Ok(ToolRequest::ListAppointmentSlots(query)) => {
                assert_eq!((query.from, query.to), (starts, ends), "{from} {to}");
            }
            other => panic!("{from} {to}: {other:?}"),
        }
    }
    for (from, to) in [("2026-11-22", "2027-02-22"), ("tomorrow", "2026-11-25"), ("2026-02-30", "2026-11-25")]
    {
        assert!(matches!(span(from, to), Err(ToolCallError::Unusable(..))), "{from} {to}");
    }
    let booked = |at: &str| read("bookAppointment", &format!(r#"{{"startsAt":"{at}"}}"#));
    assert!(matches!(
        booked("2026-11-21T12:00:00+03:00"),
        Err(ToolCallError::Past { field: "startsAt", .. })
    ));
    assert!(booked("2026-11-21T16:00").is_ok());
}

#[test]
fn what_was_not_offered_is_not_read() {
    let call = ToolCall {
        id: String::new(),
        name: "cancelOrder".to_owned(),
        arguments: r#"{"reference":"1001"}"#.to_owned(),
        state: None,
    };
    let brief = TurnBrief { tools: vec![Tool::PlaceOrder, Tool::HandOver], ..a_brief() };
    assert_eq!(ToolRequest::read(&call, &brief), Err(ToolCallError::NotOffered));
}

#[test]
fn an_order_names_a_number_only_as_the_one_that_the_customer_has_typed() {
    let phone = |read: Result<ToolRequest, _>| match read {
        Ok(ToolRequest::Propose(Tool::PlaceOrder, wanted)) => match *wanted {
            Wanted::Order { phone, .. } => phone,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!(phone(read("placeOrder", &order(""))), None);
    let typed = read_after("اتصلوا على 07811112222", "placeOrder", &order(r#","deliveryPhone":"[number]""#));
    assert_eq!(phone(typed).as_deref(), Some("07811112222"));
    for (said, given) in [("هلا", "[number]"), ("هلا", "07811112222"), ("07811112222", "07811112222")] {
        let read = read_after(said, "placeOrder", &order(&format!(r#","deliveryPhone":"{given}""#)));
        assert!(matches!(read, Err(ToolCallError::Unusable("deliveryPhone", _))), "{said} {given}");
    }
}

#[test]
fn an_order_is_read_whole_or_not_at_all() {
    assert!(read("placeOrder", &order(r#","name":"سارة","note":"بعد الظهر""#)).is_ok());
    for (arguments, field) in [
        (order("").replace(r#""quantity":2"#, r#""quantity":1000"#), Some("quantity")),
        (order("").replace(r#""m1""#, r#"" ""#), Some("productId")),
        (order("").replace("شارع 14", " "), Some("address.line1")),
        (order("").replace(r#""quantity":2"#, r#""quantity":0"#), None),
        (order("").replace(r#""quantity":2"#, r#""quantity":"2""#), None),
        (order("").replace(r#""quantity":2"#, r#""quantity":2,"price":1"#), None),
        (order(r#","total":1"#), None),
        (order(r#","key":"k""#), None),
    ] {
        match (read("placeOrder", &arguments), field) {
            (Err(ToolCallError::Unusable(named, _)), Some(field)) => assert_eq!(named, field),
            (Err(ToolCallError::Malformed), None) => {}
            other => panic!("{arguments}: {other:?}"),
        }
    }
    // Models write an id that looks like a number as one.
    assert_eq!(read("getProduct", r#"{"id":7}"#), read("getProduct", r#"{"id":"7"}"#));
}

#[test]
fn a_cancellation_has_a_reason_whether_the_customer_gave_one_or_not() {
    for arguments in [r#"{"reference":"1001"}"#, r#"{"reference":1001,"reason":" "}"#] {
        match read("cancelOrder", arguments) {
            Ok(ToolRequest::Propose(Tool::CancelOrder, wanted)) => {
                assert!(matches!(*wanted, Wanted::Cancellation { reference, .. } if reference == "1001"));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_number_that_no_model_is_shown_is_put_where_it_says_that_there_is_one() {
    let status = |said: &str, reference: &str| {
        read_after(said, "getOrderStatus", &format!(r#"{{"reference":"{reference}"}}"#))
    };
    for reference in ["[number]", "#[number]", " [number]"] {
        let Ok(ToolRequest::GetOrderStatus(asked)) =
            status("وين صار طلبي 123456789 ورقمي 07811112222", reference)
        else {
            panic!("{reference}")
        };
        assert_eq!(asked.as_str().trim_start_matches('#'), "123456789");
    }
    let cancelled =
        read_after("الغوا 123456789", "cancelOrder", r#"{"reference":"[number]","reason":"[number]"}"#);
    let Ok(ToolRequest::Propose(_, wanted)) = cancelled else { panic!("{cancelled:?}") };
    assert!(matches!(&*wanted, Wanted::Cancellation { reference, reason }
        if reference == "123456789" && !reason.as_str().contains("[number]")));
    let code = read_after("اكو 6221155023456؟", "searchProducts", r#"{"query":"[number]"}"#);
    assert!(matches!(code, Ok(ToolRequest::SearchProducts(query)) if query.as_str() == "6221155023456"));
    assert!(matches!(status("هلا", "[number]"), Err(ToolCallError::Unusable("reference", _))));
    // Nothing else has it.
    let note =
        read_after("07811112222", "placeOrder", &order(r#","note":"اتصلوا [number]","name":"[number]""#));
    let Ok(ToolRequest::Propose(_, wanted)) = note else { panic!("{note:?}") };
    assert!(
        matches!(&*wanted, Wanted::Order { name: None, note: Some(note), .. } if note.as_str() == "اتصلوا")
    );
    let lead = read_after("07811112222", "captureLead", r#"{"need":"[number]"}"#);
    assert_eq!(lead, Err(ToolCallError::Unusable("need", "it is blank")));
}

proptest! {
    #[test]
    fn no_arguments_panic(
        name in "searchProducts|getProduct|listAppointmentSlots|placeOrder|bookAppointment|cancelOrder|requestBooking|captureLead",
        arguments in ".{0,60}",
    ) {
        let _ = read(&name, &arguments);
    }

    #[test]
    fn no_texts_in_an_order_panic(text in "\\PC{0,40}") {
        let text = serde_json::Value::from(text).to_string();
        let _ = read("placeOrder", &order(&format!(r#","name":{text},"note":{text}"#)));
        let _ = read("bookAppointment", &format!(r#"{{"startsAt":{text},"service":{text}}}"#));
    }
}
