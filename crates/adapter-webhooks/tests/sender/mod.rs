//! One attempt, against real receivers on loopback, with time moved by hand.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what a test's set-up needs is there, or the test fails"
)]

mod receiver;

use std::{sync::Arc, time::Duration};

use adapter_webhooks::{GuardedAddresses, LIMITS, WebhookSender, signature, standard};
use domain::{
    events::EventType,
    testing::ManualClock,
    webhooks::{
        ANSWER_KEPT, ATTEMPT_LIMIT, AttemptOutcome, Failure, WebhookSecret,
        ports::{AddressGuard, Attempted, DeliverySender, DueDelivery, Leased},
    },
};
use guarded_http::{GuardedClient, Limits, Policy};
use time::{OffsetDateTime, macros::datetime};
use tokio::task::JoinHandle;
use uuid::Uuid;

use self::receiver::{Answer, Receiver};

const NOW: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);
const BODY: &str = "{\"type\":\"message.delivered\", \"data\":{\"text\":\"\\u0645 مرحبا\"}}\n";

/// A client whose own limit never comes, so that only the clock moved by hand can end a call.
fn client(allowed: &[&str]) -> GuardedClient {
    let limits = Limits { timeout: Duration::from_hours(1), ..LIMITS };
    let policy = Policy { allowed: allowed.iter().map(|range| range.parse().unwrap()).collect() };
    GuardedClient::new(policy, limits).unwrap()
}

fn secret() -> WebhookSecret {
    "whsec_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".to_owned().into()
}

fn delivery_to(url: &str) -> DueDelivery {
    DueDelivery {
        leased: Leased {
            id: Uuid::from_u128(7).into(),
            address: Uuid::from_u128(8).into(),
            created_at: NOW,
            attempt: 1,
            until: NOW,
            once: false,
        },
        url: url.to_owned(),
        secret: secret(),
        previous_secret: None,
        standard_headers: false,
        event: EventType::MessageDelivered,
        body: BODY.as_bytes().to_vec(),
        trace_parent: None,
    }
}

fn attempt(clock: &Arc<ManualClock>, url: &str) -> JoinHandle<Attempted> {
    let sender = WebhookSender::new(client(&["127.0.0.0/8"]), Arc::clone(clock) as _);
    let delivery = delivery_to(url);
    tokio::spawn(async move { sender.attempt(&delivery).await.unwrap() })
}

async fn outcome_of(answer: &'static str) -> AttemptOutcome {
    let mut receiver = Receiver::start(Answer::Whole(answer)).await;
    let outcome = attempt(&Arc::new(ManualClock::at(NOW)), &receiver.url).await.unwrap().outcome;
    receiver.request().await;
    assert!(receiver.is_quiet(), "more than one request");
    outcome
}

fn status(status: u16, retry_after_secs: Option<u64>) -> AttemptOutcome {
    Err(Failure::Status { status, retry_after: retry_after_secs.map(Duration::from_secs) })
}

#[tokio::test]
async fn a_request_is_what_the_specification_says_to_the_byte_and_its_signature_verifies() {
    let mut receiver = Receiver::start(Answer::Whole("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")).await;
    assert_eq!(attempt(&Arc::new(ManualClock::at(NOW)), &receiver.url).await.unwrap().outcome, Ok(200));

    let request = String::from_utf8(receiver.request().await).unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("POST /hooks/in?token=in-the-url HTTP/1.1"));
    let headers: Vec<(String, &str)> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    let header = |wanted: &str| {
        let mut values = headers.iter().filter(|(name, _)| name == wanted).map(|(_, value)| *value);
        let value = values.next();
        assert_eq!(values.next(), None, "{wanted} stands there twice");
        value
    };
    assert_eq!(header("content-type"), Some("application/json"));
    assert_eq!(header("user-agent"), Some("Messaging-Service-Webhooks/1.0"));
    assert_eq!(header("x-service-event"), Some("message.delivered"));
    assert_eq!(header("x-service-delivery"), Some("00000000-0000-0000-0000-000000000007"));
    assert_eq!(body, BODY);
    let signature = header("x-service-signature");
    assert!(signature.is_some_and(|value| value.starts_with("t=1795255200,v1=")), "{signature:?}");
    assert_eq!(signature::verify(&secret(), signature, body.as_bytes(), NOW), Ok(()));
}

#[tokio::test]
async fn any_2xx_is_a_success() {
    assert_eq!(outcome_of("HTTP/1.1 204 No Content\r\n\r\n").await, Ok(204));
    assert_eq!(outcome_of("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").await, Ok(202));
    assert_eq!(outcome_of("HTTP/1.1 299 Odd\r\ncontent-length: 0\r\n\r\n").await, Ok(299));
}

#[tokio::test]
async fn any_other_status_is_a_failure_with_that_status() {
    for code in [400, 401, 404, 410, 429, 500, 503] {
        let answer = format!("HTTP/1.1 {code} Said\r\ncontent-length: 4\r\n\r\nsorr");
        assert_eq!(outcome_of(answer.leak()).await, status(code, None), "{code}");
    }
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_is_not_followed() {
    let elsewhere = Receiver::start(Answer::Whole("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")).await;
    for code in [301, 302, 303, 307, 308] {
        let answer = format!(
            "HTTP/1.1 {code} Moved\r\nlocation: {}\r\nretry-after: 9\r\ncontent-length: 0\r\n\r\n",
            elsewhere.url
        );
        assert_eq!(outcome_of(answer.leak()).await, status(code, None), "{code}");
    }
    assert!(elsewhere.is_quiet());
}

#[tokio::test]
async fn retry_after_is_read_from_429_and_503_alone() {
    let answer =
        |head: &str| -> &'static str { format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n").leak() };
    for (head, outcome) in [
        ("429 Slow\r\nretry-after: 120", status(429, Some(120))),
        ("503 Later\r\nRetry-After: Sat, 21 Nov 2026 10:05:00 GMT", status(503, Some(300))),
        ("503 Later\r\nretry-after: soon", status(503, None)),
        ("500 Broken\r\nretry-after: 120", status(500, None)),
    ] {
        assert_eq!(outcome_of(answer(head)).await, outcome, "{head}");
    }
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_is_given_up_on_after_ten_seconds_and_asked_once() {
    for unfinished in ["", "HTTP/1.1 200 OK\r\n"] {
        let attempted = ends_after_ten_seconds(Answer::Unfinished(unfinished)).await;
        assert_eq!(attempted.outcome, Err(Failure::Timeout), "{unfinished}");
    }
}

#[tokio::test]
async fn a_status_counts_though_its_body_never_ends() {
    let headers_alone = Answer::Unfinished("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
    let begun = Answer::Unfinished("HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\n\r\nta");
    let refusal = Answer::Unfinished("HTTP/1.1 500 Oops\r\ncontent-length: 5\r\n\r\n");
    for (answer, outcome, kept) in
        [(headers_alone, Ok(200), ""), (begun, Ok(202), "ta"), (refusal, status(500, None), "")]
    {
        let attempted = ends_after_ten_seconds(answer).await;
        assert_eq!((attempted.outcome, attempted.answer), (outcome, kept.as_bytes().to_vec()), "{answer:?}");
    }
    let attempted = ends_after_ten_seconds(Answer::Trickle).await;
    assert_eq!(attempted.outcome, Ok(200));
    assert!(attempted.answer.starts_with(b"...") && attempted.answer.len() <= ANSWER_KEPT);
}

#[tokio::test]
async fn a_status_counts_though_its_body_breaks_off() {
    for (answer, outcome, kept) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", Ok(200), ""),
        ("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ntaken", Ok(200), "taken"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno chunk", Ok(200), ""),
        ("HTTP/1.1 410 Gone\r\ncontent-length: 100\r\n\r\nno", status(410, None), "no"),
    ] {
        let mut receiver = Receiver::start(Answer::Whole(answer)).await;
        let attempted = attempt(&Arc::new(ManualClock::at(NOW)), &receiver.url).await.unwrap();
        receiver.request().await;
        assert_eq!((attempted.outcome, attempted.answer), (outcome, kept.as_bytes().to_vec()), "{answer}");
    }
}

/// Returns the result of an attempt whose answer lasts as long as one may.
async fn ends_after_ten_seconds(answer: Answer) -> Attempted {
    let clock = Arc::new(ManualClock::at(NOW));
    let mut receiver = Receiver::start(answer).await;
    let attempt = attempt(&clock, &receiver.url);
    receiver.request().await;

    let a_moment = Duration::from_millis(1);
    clock.advance(ATTEMPT_LIMIT.saturating_sub(a_moment));
    settle().await;
    assert!(!attempt.is_finished());
    clock.advance(a_moment);
    settle().await;
    assert!(attempt.is_finished());
    assert!(receiver.is_quiet(), "more than one request");
    attempt.await.unwrap()
}

async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_body_past_the_cap_is_not_waited_for() {
    let long =
        format!("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{}", " ".repeat(LIMITS.max_body + 1));
    let receiver = Receiver::start(Answer::Unfinished(long.leak())).await;
    let attempted = attempt(&Arc::new(ManualClock::at(NOW)), &receiver.url).await.unwrap();
    assert_eq!((attempted.outcome, attempted.is_whole), (Ok(200), false));
}

#[tokio::test]
async fn a_call_that_comes_to_nothing_says_why_without_the_address() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let clock = Arc::new(ManualClock::at(NOW));
    for (url, words) in [
        (format!("http://{free}/hooks?token=t"), "the connection was refused"),
        (
            "http://10.0.0.1/hooks?token=t".to_owned(),
            "the host is not on the public internet (private address)",
        ),
        (
            "http://8.8.8.8/hooks?token=t".to_owned(),
            "the address must use https; an operator may allow http to networks that they name (`allow_networks`)",
        ),
        ("hooks?token=t".to_owned(), "the address is not a URL"),
    ] {
        assert_eq!(
            attempt(&clock, &url).await.unwrap().outcome,
            Err(Failure::Call(words.to_owned())),
            "{url}"
        );
    }
    let mut cut = Receiver::start(Answer::Whole("")).await;
    let outcome = attempt(&clock, &cut.url).await.unwrap().outcome;
    cut.request().await;
    let words = "the connection broke or the answer was not HTTP".to_owned();
    assert_eq!(outcome, Err(Failure::Call(words)));
    assert!(cut.is_quiet(), "more than one request");
}

#[tokio::test]
async fn an_address_is_judged_when_it_is_registered_as_a_call_to_it_would_be() {
    let by_default = GuardedAddresses::new(client(&[]));
    for url in [
        "http://8.8.8.8/",
        "https://localhost/",
        "https://127.0.0.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://user:hunter2@8.8.8.8/",
        "ftp://8.8.8.8/",
        "//8.8.8.8/",
        "",
    ] {
        let refused = by_default.check(url).await.expect_err(url).to_string();
        assert!(!refused.contains("hunter2"), "{refused}");
    }
    assert_eq!(by_default.check("https://8.8.8.8/hooks").await, Ok(()));
    let longest = format!("https://8.8.8.8/{}", "h".repeat(1_984));
    assert_eq!(by_default.check(&longest).await, Ok(()));
    let refused = by_default.check(&format!("{longest}h")).await.unwrap_err().to_string();
    assert_eq!(refused, "the address must not be longer than 2000 characters");
    let opened = GuardedAddresses::new(client(&["127.0.0.0/8"]));
    assert_eq!(opened.check("http://127.0.0.1:9000/").await, Ok(()));
}

/// Attempts a delivery changed by `change`; returns the request as received, and what was kept of the answer.
async fn attempt_of(answer: &'static str, change: impl FnOnce(&mut DueDelivery)) -> (String, Vec<u8>) {
    let mut receiver = Receiver::start(Answer::Whole(answer)).await;
    let sender = WebhookSender::new(client(&["127.0.0.0/8"]), Arc::new(ManualClock::at(NOW)));
    let mut delivery = delivery_to(&receiver.url);
    change(&mut delivery);
    let attempted = sender.attempt(&delivery).await.unwrap();
    (String::from_utf8(receiver.request().await).unwrap(), attempted.answer)
}

fn header<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = request.lines().filter_map(|line| line.split_once(": "));
    headers.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

#[tokio::test]
async fn only_an_address_that_opted_in_gets_the_standard_headers() {
    let (request, _) = attempt_of(OK, |delivery| delivery.standard_headers = true).await;
    let id = "00000000-0000-0000-0000-000000000007";
    assert_eq!(header(&request, standard::ID), Some(id));
    assert_eq!(header(&request, standard::TIMESTAMP), Some("1795255200"));
    let wanted = standard::sign_with([&secret()].into_iter(), id, NOW, BODY.as_bytes());
    assert_eq!(header(&request, standard::SIGNATURE), Some(wanted.as_str()));
    assert!(header(&request, signature::HEADER).is_some());

    let (request, _) = attempt_of(OK, |_| {}).await;
    assert_eq!(header(&request, standard::SIGNATURE), None);
}

#[tokio::test]
async fn while_two_secrets_are_in_force_both_sign() {
    let old = WebhookSecret::from(format!("whsec_{}", "0f".repeat(32)));
    let two = |delivery: &mut DueDelivery| {
        delivery.previous_secret = Some(old.clone());
        delivery.standard_headers = true;
    };
    let (request, _) = attempt_of(OK, two).await;
    let signature = header(&request, signature::HEADER);
    for secret in [&secret(), &old] {
        assert_eq!(signature::verify(secret, signature, BODY.as_bytes(), NOW), Ok(()));
    }
    let standard = header(&request, standard::SIGNATURE).unwrap();
    assert_eq!(standard.split(' ').count(), 2);
}

#[tokio::test]
async fn the_first_kibibyte_of_an_answer_is_kept_whatever_its_status() {
    for status in ["200 OK", "500 Oops"] {
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 3000\r\n\r\n{}", "ab".repeat(1_500));
        let (_, kept) = attempt_of(answer.leak(), |_| {}).await;
        assert_eq!(kept, "ab".repeat(ANSWER_KEPT / 2).as_bytes());
    }
}
