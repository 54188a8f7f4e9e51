//! Systems that mean harm, or do it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use adapter_custom_system::LIMITS;
use domain::systems::{CallError, Route, ports::CustomSystem as _};
use tokio::{task::JoinSet, time::timeout};

use crate::{
    server::{Reply, Server, answer},
    support::{SECRET, a_query, ask, call, call_of_another, client, client_within, good},
};

async fn told(reply: Reply, route: Route) -> CallError {
    let server = Server::replying(vec![reply]).await;
    ask(&client(), &call(server.port), route).await.unwrap_err()
}

fn unreadable(status: u16) -> CallError {
    CallError::Unreadable { status, unusable: vec![] }
}

#[test]
fn an_exchange_is_bounded_as_the_contract_says() {
    let limits = (LIMITS.timeout, LIMITS.max_body, LIMITS.max_redirects);
    assert_eq!(limits, (Duration::from_secs(10), 5_000_000, 3));
}

#[tokio::test]
async fn five_megabytes_are_read_and_one_byte_more_is_not() {
    let padded = |bytes: usize| {
        let good = good(Route::SearchProducts);
        answer(200, "", &format!("{good}{}", " ".repeat(bytes - good.len())))
    };
    let server = Server::replying(vec![padded(5_000_000)]).await;
    let (exchange, _) = ask(&client(), &call(server.port), Route::SearchProducts).await.unwrap();
    assert_eq!(exchange.bytes, 5_000_000);
    assert_eq!(told(padded(5_000_001), Route::SearchProducts).await, CallError::TooLarge);
}

#[tokio::test]
async fn a_system_that_holds_back_the_ends_of_large_answers_fills_its_own_room_alone() {
    let server = Server::replying(vec![Reply::Lacks(1)]).await;
    let client = Arc::new(client());
    let (call, of_another) = (call(server.port), call_of_another(server.port));
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let (client, call) = (Arc::clone(&client), call.clone());
        calls.spawn(async move { ask(&client, &call, Route::CancelOrder).await });
    }
    // Without a bound, all of them would wait for their time to be over.
    let first = calls.join_next().await.unwrap().unwrap();
    assert_eq!(first.unwrap_err(), CallError::TooLarge);
    let beside = timeout(Duration::from_secs(1), ask(&client, &of_another, Route::CancelOrder)).await;
    assert!(beside.is_err(), "another's large answer is waited for: {beside:?}");
    calls.shutdown().await;
}

#[tokio::test]
async fn a_body_without_end_ends_at_the_bound() {
    assert_eq!(told(Reply::Endless, Route::SearchProducts).await, CallError::TooLarge);
    assert_eq!(told(Reply::Endless, Route::PlaceOrder).await, CallError::TooLarge);
}

#[tokio::test]
async fn a_body_that_drips_ends_with_the_time() {
    let server = Server::replying(vec![Reply::Drip]).await;
    let began = Instant::now();
    let client = client_within(Duration::from_secs(1));
    let error = ask(&client, &call(server.port), Route::PushLead).await.unwrap_err();
    assert_eq!((error, server.seen().len()), (CallError::TimedOut, 1));
    assert!(began.elapsed() < Duration::from_secs(8));
}

#[tokio::test]
async fn what_is_compressed_is_not_unpacked() {
    // `{}` under gzip, and what only says it is.
    let zipped = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xae, 5, 0, 0x43, 0xbf, 0xa6, 0xa3, 2, 0, 0, 0];
    let head =
        format!("HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", zipped.len());
    let reply = Reply::Bytes([head.as_bytes(), &zipped].concat());
    assert_eq!(told(reply, Route::SearchProducts).await, unreadable(200));
    let claimed = answer(200, "content-encoding: br\r\n", good(Route::Verify));
    assert_eq!(told(claimed, Route::Verify).await, unreadable(200));
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    for body in ["<!doctype html><title>Login</title>", "", "OK", "{", "null", "[]", "7", "\u{feff}"] {
        for route in
            [Route::Verify, Route::SearchProducts, Route::Order, Route::Customer, Route::Slots, Route::Book]
        {
            let error = told(answer(200, "content-type: text/html\r\n", body), route).await;
            assert!(
                matches!(error, CallError::Unreadable { status: 200, .. }),
                "{body} {route:?}: {error:?}"
            );
        }
    }
    // A cancellation or a lead may be answered with nothing; a page is not nothing.
    for route in [Route::CancelOrder, Route::PushLead] {
        assert_eq!(told(answer(200, "", "<html>"), route).await, unreadable(200), "{route:?}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_no_answer() {
    let reply = Reply::Bytes(b"HTTP/1.1 200 X\r\ncontent-length: 5\r\n\r\n{\"\xff\"}".to_vec());
    assert_eq!(told(reply, Route::Verify).await, unreadable(200));
}

#[tokio::test]
async fn nesting_without_end_harms_nothing() {
    let deep = format!(r#"{{"products":{}}}"#, "[".repeat(1_000_000) + &"]".repeat(1_000_000));
    let server = Server::answering(200, &deep).await;
    let error = ask(&client(), &call(server.port), Route::SearchProducts).await.unwrap_err();
    assert!(matches!(error, CallError::Unreadable { .. }), "{error:?}");
}

#[tokio::test]
async fn of_ten_thousand_products_two_hundred_are_read_and_the_rest_is_named() {
    let one = r#"{"id":1,"title":"حليب","price":1250,"inStock":true}"#;
    let all = vec![one; 10_000].join(",");
    let server = Server::answering(200, &format!(r#"{{"products":[{all}]}}"#)).await;
    let answered = client().search_products(&call(server.port), &a_query()).await.unwrap();
    assert_eq!(answered.value.len(), 200);
    let paths: Vec<_> = answered.unusable.iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["products[200..]: too_long"]);
}

#[tokio::test]
async fn a_redirect_to_where_nothing_may_be_called_is_not_followed() {
    for location in
        ["http://127.0.0.2:1/x", "http://10.0.0.1/", "https://169.254.169.254/latest", "http://[::1]/"]
    {
        let reply = answer(302, &format!("Location: {location}\r\n"), "");
        let error = told(reply, Route::SearchProducts).await;
        let CallError::Unreachable { words, .. } = &error else { panic!("{location}: {error:?}") };
        assert!(words.contains("not on the public internet"), "{words}");
    }
}

#[tokio::test]
async fn a_refusal_after_a_hop_to_another_origin_says_nothing_of_the_secret() {
    for status in [401, 403] {
        let other = Server::answering(status, "{}").await;
        let location = format!("Location: http://127.0.0.1:{}/v2\r\n", other.port);
        for (route, hop, arrives) in [
            (Route::Verify, 302, true),
            (Route::Order, 307, true),
            (Route::PlaceOrder, 308, false),
            (Route::Book, 302, false),
        ] {
            let error = told(answer(hop, &location, ""), route).await;
            assert!(
                matches!(error, CallError::Misdirected { .. }) && !error.is_open(),
                "{route:?}: {error:?}"
            );
            let seen = other.seen();
            assert!(seen.iter().all(|seen| !format!("{seen:?}").contains(SECRET)), "{seen:?}");
            assert!(seen.iter().all(|seen| seen.method == "GET"));
            assert!(!seen.is_empty());
            assert!(arrives || seen.iter().all(|seen| seen.body.is_empty()));
        }
    }
}

#[tokio::test]
async fn hops_within_the_origin_are_followed_up_to_three_with_the_secret_and_the_body() {
    for route in [Route::SearchProducts, Route::PlaceOrder] {
        let hop = || answer(308, "Location: /moved\r\n", "");
        let server = Server::replying(vec![hop(), hop(), hop(), answer(200, "", good(route))]).await;
        let (exchange, _) = ask(&client(), &call(server.port), route).await.unwrap();
        let seen = server.seen();
        assert_eq!((seen.len(), exchange.attempts, exchange.left_origin), (4, 1, false));
        assert!(seen.iter().all(|it| it.header("authorization") == Some("Bearer hush-7001")));
        assert!(seen.iter().all(|it| it.body == seen[0].body && it.method == seen[0].method));

        let endless = Server::replying(vec![hop()]).await;
        let error = ask(&client(), &call(endless.port), route).await.unwrap_err();
        assert!(matches!(error, CallError::Unreachable { .. }), "{error:?}");
        assert_eq!(endless.seen().len(), 4);
    }
}

#[tokio::test]
async fn an_answer_tells_that_it_came_from_another_origin() {
    let other = Server::answering(200, good(Route::Verify)).await;
    let location = format!("Location: http://127.0.0.1:{}/verify\r\n", other.port);
    let server = Server::replying(vec![answer(301, &location, "")]).await;
    let (exchange, _) = ask(&client(), &call(server.port), Route::Verify).await.unwrap();
    assert!(exchange.left_origin);
    assert_eq!(other.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn an_id_that_no_address_can_hold_is_not_asked_for() {
    let server = Server::answering(200, good(Route::Product)).await;
    for id in [".", ".."] {
        let id = domain::external_id::ExternalId::of_text(id).unwrap();
        let told = client().product(&call(server.port), &id).await.unwrap_err().error;
        assert_eq!((told, server.seen().len()), (CallError::NOT_FOUND, 0));
    }
}

#[tokio::test]
async fn direction_marks_and_hidden_letters_do_not_pass_through_titles() {
    let title = "\u{202e}lait\u{2066}\u{200b} \u{e0041}\u{e0042}حليب\\u202e\\u0000\\n";
    let body = format!(r#"{{"products":[{{"id":1,"title":"{title}","price":1,"inStock":true}}]}}"#);
    let server = Server::answering(200, &body).await;
    let answered = client().search_products(&call(server.port), &a_query()).await.unwrap();
    assert_eq!(answered.value[0].listing.title.as_str(), "lait حليب");
}

#[tokio::test]
async fn neither_errors_nor_answers_print_what_was_sent_or_said() {
    let words = ["hush-7001", "7701234567", "A/10", "زينب", "order-key-1", "الرصيد", "1250", "متجر"];
    let mut printed = Vec::new();
    for route in Route::ALL {
        for status in [200, 401, 409, 422, 500, 200] {
            let body = format!(r#"{{"message":"زينب 7701234567","order":{}}}"#, good(route));
            let server = Server::answering(status, &body).await;
            printed.push(format!("{:?}", ask(&client(), &call(server.port), route).await));
            let error = ask(&client(), &call(server.port), route).await.err();
            printed.push(error.map(|error| error.to_string()).unwrap_or_default());
        }
        let server = Server::answering(200, good(route)).await;
        let call = call(server.port);
        printed.push(format!("{call:?} {:?}", client()));
    }
    let server = Server::answering(200, good(Route::SearchProducts)).await;
    printed.push(format!("{:?}", client().search_products(&call(server.port), &a_query()).await));
    let server = Server::answering(200, good(Route::Customer)).await;
    printed.push(format!("{:?}", client().customer(&call(server.port), &crate::support::phone()).await));
    for word in words {
        assert!(printed.iter().all(|shown| !shown.contains(word)), "{word}: {printed:#?}");
    }
}
