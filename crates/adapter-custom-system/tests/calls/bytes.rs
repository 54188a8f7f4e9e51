//! Number of bytes noted of an answer, whatever became of the call.

use std::time::Duration;

use domain::systems::{CallError, Exchange, FailedCall, Route, Unusable};

use crate::{
    server::{Reply, Server, answer},
    support::{call, call_of, client, client_within},
};

type Called = Result<(Exchange, Vec<Unusable>), FailedCall>;

async fn called(reply: Reply, route: Route) -> Called {
    let server = Server::replying(vec![reply]).await;
    call_of(&client(), &call(server.port), route).await
}

/// Returns the number of bytes noted for a call.
fn bytes(called: &Called) -> Option<usize> {
    called.as_ref().map_or_else(|failed| failed.bytes, |(exchange, _)| Some(exchange.bytes))
}

#[tokio::test]
async fn what_was_received_is_told_of_refusals_and_of_what_cannot_be_read() {
    let refusal = r#"{"message":"no"}"#;
    for status in [400, 401, 403, 404, 409, 422, 429, 500, 503] {
        for route in [Route::Product, Route::PlaceOrder, Route::CancelOrder] {
            let called = called(answer(status, "", refusal), route).await;
            assert!(called.is_err(), "{status} {route:?}");
            assert_eq!(bytes(&called), Some(refusal.len()), "{status} {route:?}");
        }
    }
    for (body, headers) in [
        ("<html>", ""),
        ("{}", ""),
        ("", ""),
        (r#"{"products":7}"#, ""),
        ("packed", "content-encoding: gzip\r\n"),
    ] {
        let called = called(answer(200, headers, body), Route::SearchProducts).await;
        let unreadable = called.as_ref().is_err_and(|it| matches!(it.error, CallError::Unreadable { .. }));
        assert!(unreadable, "{body} {called:?}");
        assert_eq!(bytes(&called), Some(body.len()), "{body}");
    }
    let hop = answer(302, "Location: http://10.0.0.1/\r\n", "moved");
    assert_eq!(bytes(&called(hop, Route::Product).await), Some(5));
}

#[tokio::test]
async fn of_an_answer_that_breaks_or_does_not_end_what_came_is_told() {
    let half = Reply::Bytes(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nhalf".to_vec());
    let server = Server::replying(vec![half]).await;
    let within = |server: &Server| call(server.port);
    let short = client_within(Duration::from_secs(1));
    let waits = call_of(&short, &within(&server), Route::PushLead).await;
    assert_eq!((bytes(&waits), waits.unwrap_err().error), (Some(4), CallError::TimedOut));
    let large = called(Reply::Endless, Route::SearchProducts).await;
    assert_eq!((bytes(&large), large.unwrap_err().error), (Some(5_000_000), CallError::TooLarge));
    let server = Server::replying(vec![Reply::Drip]).await;
    let dripped = call_of(&short, &within(&server), Route::PushLead).await;
    assert!(bytes(&dripped).is_some_and(|bytes| bytes > 0), "{dripped:?}");
}

#[tokio::test]
async fn where_no_answer_began_nothing_is_told_to_have_come() {
    for reply in [Reply::Hang, Reply::Close] {
        let server = Server::replying(vec![reply]).await;
        let silent = client_within(Duration::from_secs(1));
        let called = call_of(&silent, &call(server.port), Route::PushLead).await;
        assert!(called.is_err());
        assert_eq!(bytes(&called), None, "{called:?}");
    }
}
