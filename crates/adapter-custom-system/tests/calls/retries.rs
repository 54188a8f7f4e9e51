//! What is asked again, and what never is.

use std::time::{Duration, Instant};

use domain::systems::{CallError, Route};

use crate::{
    server::{Reply, Server, answer},
    support::{ask, call, call_to, client, client_within, good},
};

/// Long enough for an answer that comes, however busy the machine is.
const SHORT: Duration = Duration::from_secs(2);

/// Counts the requests of a call whose first attempt meets `first`, and returns its outcome when the second
/// is answered.
async fn tried(first: Reply, route: Route) -> (usize, Result<u8, CallError>) {
    let server = Server::replying(vec![first, answer(200, "", good(route))]).await;
    let result = ask(&client_within(SHORT), &call(server.port), route).await;
    let seen = server.seen();
    let keys: Vec<_> = seen.iter().map(|seen| seen.header("idempotency-key").map(str::to_owned)).collect();
    assert!(keys.windows(2).all(|pair| pair[0] == pair[1]), "{keys:?}");
    let bodies: Vec<_> = seen.iter().map(|seen| &seen.body).collect();
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
    (seen.len(), result.map(|(exchange, _)| exchange.attempts))
}

#[tokio::test]
async fn a_read_and_a_creation_are_asked_once_more_after_no_answer_or_a_5xx_and_nothing_else_is() {
    for (name, first) in [
        ("hang", Reply::Hang),
        ("close", Reply::Close),
        ("500", answer(500, "", "")),
        ("503", answer(503, "Retry-After: 60\r\n", "")),
    ] {
        let tries = Route::ALL.map(|route| (route, tokio::spawn(tried(first.clone(), route))));
        for (route, tried) in tries {
            let (requests, result) = tried.await.unwrap();
            if route.is_read() || route.is_creation() {
                assert_eq!((requests, result), (2, Ok(2)), "{name} {route:?}");
            } else {
                assert_eq!(requests, 1, "{name} {route:?}");
                assert!(result.is_err_and(|error| error.is_open()), "{name} {route:?}");
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_asked_again_after_a_4xx_or_an_answer_that_cannot_be_read() {
    for status in [400, 401, 403, 404, 409, 422, 429, 200] {
        for route in [Route::SearchProducts, Route::PlaceOrder] {
            let (requests, result) = tried(answer(status, "Retry-After: 0\r\n", "nothing"), route).await;
            assert_eq!((requests, result.is_err()), (1, true), "{status} {route:?}");
        }
    }
}

#[tokio::test]
async fn a_second_failure_is_the_end() {
    let server = Server::replying(vec![answer(500, "", ""), answer(502, "", "")]).await;
    let error = ask(&client(), &call(server.port), Route::PlaceOrder).await.unwrap_err();
    assert_eq!((error, server.seen().len()), (CallError::Down { status: 502, message: None }, 2));
}

#[tokio::test]
async fn what_a_first_try_may_have_made_stays_open_when_the_second_is_turned_away() {
    for status in [401, 404, 409, 422, 429] {
        let server = Server::replying(vec![answer(500, "", ""), answer(status, "", "{}")]).await;
        let error = ask(&client(), &call(server.port), Route::PlaceOrder).await.unwrap_err();
        assert_eq!(error, CallError::Down { status: 500, message: None }, "{status}");
        // A read has made nothing, so the later answer counts.
        let server = Server::replying(vec![answer(500, "", ""), answer(404, "", "{}")]).await;
        let error = ask(&client(), &call(server.port), Route::Product).await.unwrap_err();
        assert_eq!(error, CallError::NOT_FOUND);
    }
}

#[tokio::test]
async fn everything_ends_within_what_the_caller_waits() {
    let server = Server::replying(vec![Reply::Hang]).await;
    let base = format!("http://127.0.0.1:{}/", server.port);
    let began = Instant::now();
    let within = Duration::from_millis(300);
    let error = ask(&client(), &call_to(&base, within), Route::PlaceOrder).await.unwrap_err();
    assert_eq!(error, CallError::TimedOut);
    // The client itself would have waited for ten seconds, and for ten more.
    assert!(began.elapsed() < Duration::from_secs(8));

    // The second attempt has the time that the first left, less than it would take alone.
    let began = Instant::now();
    let within = SHORT + Duration::from_millis(500);
    let error = ask(&client_within(SHORT), &call_to(&base, within), Route::PlaceOrder).await.unwrap_err();
    assert_eq!(error, CallError::TimedOut);
    assert!(began.elapsed() >= within);
}

#[tokio::test]
async fn what_has_taken_all_of_its_time_is_not_asked_again_and_what_failed_early_is() {
    let late = |route| async move {
        let server = Server::replying(vec![Reply::Hang, answer(200, "", good(route))]).await;
        let base = format!("http://127.0.0.1:{}/", server.port);
        let within = SHORT + Duration::from_millis(100);
        let result = ask(&client_within(SHORT), &call_to(&base, within), route).await;
        (result.unwrap_err(), server.seen().len())
    };
    let early = |route| async move {
        let server = Server::replying(vec![answer(500, "", ""), answer(200, "", good(route))]).await;
        let base = format!("http://127.0.0.1:{}/", server.port);
        let result = ask(&client_within(SHORT), &call_to(&base, SHORT), route).await;
        (result.map(|(exchange, _)| exchange.attempts), server.seen().len())
    };
    for route in [Route::Verify, Route::SearchProducts, Route::Order, Route::Slots, Route::PlaceOrder] {
        let (late, early) = tokio::join!(late(route), early(route));
        assert_eq!(late, (CallError::TimedOut, 1), "{route:?}");
        assert_eq!(early, (Ok(2), 2), "{route:?}");
    }
}

#[tokio::test]
async fn a_system_that_refuses_connections_was_sent_nothing() {
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let error = ask(&client(), &call(port), Route::PlaceOrder).await.unwrap_err();
    assert!(matches!(&error, CallError::Unreachable { sent: false, .. }) && !error.is_open(), "{error:?}");
}
