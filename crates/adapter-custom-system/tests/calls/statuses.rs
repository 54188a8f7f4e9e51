//! Every status of the contract, and what it is to the caller.

use std::time::Duration;

use domain::systems::{CallError, RefusalMessage, Route};

use crate::{
    server::{Server, answer},
    support::{ask, call, client, good},
};

async fn refusal(status: u16, headers: &str, body: &str, route: Route) -> CallError {
    let server = Server::replying(vec![answer(status, headers, body)]).await;
    ask(&client(), &call(server.port), route).await.unwrap_err()
}

#[tokio::test]
async fn each_status_is_told_for_what_it_is_on_every_route() {
    let said = RefusalMessage::read("نفد من المخزن");
    let body = r#"{"message":"نفد من المخزن"}"#;
    let unreadable = |status| CallError::Unreadable { status, unusable: vec![] };
    let table = [
        (400, CallError::Refused { status: 400, message: said.clone() }),
        (401, CallError::NeedsReconnection { status: 401, message: said.clone() }),
        (403, CallError::NeedsReconnection { status: 403, message: said.clone() }),
        (404, CallError::NotFound { message: said.clone() }),
        (405, CallError::Refused { status: 405, message: said.clone() }),
        (409, CallError::Refused { status: 409, message: said.clone() }),
        (410, CallError::NotFound { message: said.clone() }),
        (422, CallError::Refused { status: 422, message: said.clone() }),
        (429, CallError::SlowDown { retry_after: None, message: said.clone() }),
        (500, CallError::Down { status: 500, message: said.clone() }),
        (503, CallError::Down { status: 503, message: said.clone() }),
        (599, CallError::Down { status: 599, message: said.clone() }),
        (304, unreadable(304)),
        (302, unreadable(302)),
    ];
    for (status, told) in table {
        for route in Route::ALL {
            assert_eq!(refusal(status, "", body, route).await, told, "{status} {route:?}");
        }
    }
}

#[tokio::test]
async fn a_creation_may_answer_200_or_201() {
    for route in [Route::PlaceOrder, Route::Book, Route::PushLead] {
        for status in [200, 201] {
            let server = Server::answering(status, good(route)).await;
            let (exchange, _) = ask(&client(), &call(server.port), route).await.unwrap();
            assert_eq!(exchange.status, status);
        }
    }
}

#[tokio::test]
async fn how_long_to_slow_down_is_read_in_seconds_or_as_a_date() {
    for (value, seconds) in [
        ("30", Some(30)),
        ("86400", Some(86_400)),
        ("Wed, 01 Jan 2020 00:00:00 GMT", Some(0)),
        ("soon", None),
    ] {
        let told = refusal(429, &format!("Retry-After: {value}\r\n"), "", Route::SearchProducts).await;
        assert_eq!(
            told,
            CallError::SlowDown { retry_after: seconds.map(Duration::from_secs), message: None },
            "{value}"
        );
    }
}

#[tokio::test]
async fn a_refusals_message_is_kept_up_to_500_characters_and_only_if_it_is_one() {
    let long = format!(r#"{{"message":"{}"}}"#, "س".repeat(600));
    let kept = RefusalMessage::read(&"س".repeat(500));
    assert_eq!(refusal(409, "", &long, Route::Book).await, CallError::Refused { status: 409, message: kept });
    for body in
        ["", "<html>", "[]", r#"{"message":7}"#, r#"{"message":" "}"#, r#"{"error":"x"}"#, r#"{"message":"#]
    {
        let told = refusal(409, "", body, Route::Book).await;
        assert_eq!(told, CallError::Refused { status: 409, message: None }, "{body}");
    }
}

#[tokio::test]
async fn what_may_have_been_made_all_the_same_is_told_from_what_was_not() {
    for (status, open) in [(401, false), (404, false), (409, false), (422, false), (429, false), (500, true)]
    {
        assert_eq!(refusal(status, "", "{}", Route::PlaceOrder).await.is_open(), open, "{status}");
    }
    // It was made, and the answer does not say what.
    assert!(refusal(200, "", "{}", Route::PlaceOrder).await.is_open());
}
