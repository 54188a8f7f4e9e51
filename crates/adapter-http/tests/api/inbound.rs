//! The networks' webhooks.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    sync::mpsc,
    time::{Duration, Instant},
};

use domain::{
    errors::StoreError,
    inbound::{
        Head,
        ports::{MockJournal, MockNetworkWebhook, UnreadablePayload},
    },
};

use crate::{
    service::{Ports, Service, a_webhook},
    wire::answer,
};

const PATH: &str = "/networks/here/7";
/// The network's signature, as the service accepts it here.
const GOOD: &str = "by-the-network";
/// Somebody else's signature.
const FORGED: &str = "by-somebody";

/// A webhook whose posts are signed in a header, by the account in the path.
fn signed_by(good: &'static str) -> MockNetworkWebhook {
    let mut webhook = a_webhook();
    let signature = |head: &Head| head.header("x-signed-by").map(str::to_owned);
    webhook
        .expect_may_be_signed()
        .returning(move |head| signature(head).is_some_and(|signature| signature.starts_with("by-")));
    webhook.expect_verify().returning(move |head, raw| {
        (signature(head)? == good && head.path("account") == Some("7")).then_some(raw)
    });
    webhook
}

#[tokio::test(flavor = "multi_thread")]
async fn the_handshake_echoes_the_challenge_to_whoever_knows_the_token() {
    let mut ports = Ports::new();
    ports.webhook.expect_shake_hands().returning(|head| {
        let is_agreed = head.query("token") == Some("s3cret&") && head.path("account") == Some("7");
        head.query("challenge").filter(|_| is_agreed).map(str::to_owned)
    });
    let service = ports.start();
    let good = "token=s3cret%26&challenge=1158201444";
    let response = service.bare("GET", &format!("{PATH}?{good}")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert_eq!(response.text().await.unwrap(), "1158201444");

    for bad in ["", "token=wrong&challenge=1", "challenge=1", "token=s3cret%26"] {
        answer(service.bare("GET", &format!("{PATH}?{bad}"))).await.assert_error(403, "Forbidden");
    }
    for unclear in ["token=s3cret%26&challenge=1&challenge=2", "token=%FF", "token=%00"] {
        answer(service.bare("GET", &format!("{PATH}?{unclear}"))).await.assert_error(400, "Bad Request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_post_is_taken_in_byte_for_byte() {
    let raw = b"{\"a\": \"\\u00e9\"}\n\xff";
    let mut ports = Ports { webhook: signed_by(GOOD), ..Ports::new() };
    ports.webhook.expect_read().withf(move |bytes| bytes == raw).times(1).returning(|_| Ok(Vec::new()));
    let service = ports.start();
    let request = service.bare("POST", PATH).header("X-Signed-By", GOOD).body(raw.to_vec());
    assert_eq!(request.send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_nobody_can_read_is_kept_and_acknowledged() {
    let mut ports = Ports { webhook: signed_by(GOOD), ..Ports::new() };
    ports.webhook.expect_read().returning(|_| Err(UnreadablePayload("not JSON".to_owned())));
    ports.webhook.expect_network().return_const(None);
    ports.journal.expect_quarantine().times(1).returning(|_, _, _, _, _| Ok(()));
    let service = ports.start();
    let request = service.bare("POST", PATH).header("X-Signed-By", GOOD).body("<html>");
    assert_eq!(request.send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_post_is_refused_and_nothing_is_read_or_stored() {
    let service = Ports { webhook: signed_by(GOOD), ..Ports::new() }.start();
    answer(service.bare("POST", PATH).body("{}")).await.assert_error(403, "Forbidden");
    for signature in [FORGED.as_bytes(), b"x", b"", b"\xff\xfe"] {
        let signature = reqwest::header::HeaderValue::from_bytes(signature).unwrap();
        let request = service.bare("POST", PATH).header("X-Signed-By", signature).body("{}");
        answer(request).await.assert_error(403, "Forbidden");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_cannot_be_kept_shall_come_again() {
    let broken = || StoreError::Internal("disk".to_owned());
    let unreachable = || StoreError::Unavailable("pool".to_owned());
    for error in [broken as fn() -> StoreError, unreachable] {
        let mut webhook = signed_by(GOOD);
        webhook.expect_read().returning(|_| Err(UnreadablePayload("not JSON".to_owned())));
        let mut journal = MockJournal::new();
        webhook.expect_network().return_const(None);
        journal.expect_quarantine().returning(move |_, _, _, _, _| Err(error()));
        let service = Ports { webhook, journal, ..Ports::new() }.start();
        let request = service.bare("POST", PATH).header("X-Signed-By", GOOD).body("{}");
        answer(request).await.assert_error(503, "Service Unavailable");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_over_8_mib_is_not_read() {
    let service = Ports { webhook: signed_by(GOOD), ..Ports::new() }.start();
    let request = service.bare("POST", PATH).header("X-Signed-By", GOOD);
    answer(request.body(vec![b' '; 8 * 1024 * 1024 + 1])).await.assert_error(413, "Payload Too Large");
}

/// Begins a post: sends its head, and `sent` bytes of its body.
#[expect(clippy::unwrap_used, reason = "test support")]
fn begun(service: &Service, head: &str, announced: usize, sent: usize) -> TcpStream {
    let mut connection = TcpStream::connect(service.address).unwrap();
    let head = format!("POST {PATH} HTTP/1.1\r\nhost: x\r\n{head}content-length: {announced}\r\n\r\n");
    connection.write_all(head.as_bytes()).unwrap();
    // The service may answer, and end it, before it has come.
    let _ = connection.write_all(&vec![b' '; sent]);
    connection
}

fn first_line(mut connection: TcpStream) -> String {
    let mut answer = [0; 12];
    let _ = connection.read_exact(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_posts_take_a_bounded_room_and_small_ones_come_through() {
    let mut ports = Ports { webhook: signed_by(GOOD), ..Ports::new() };
    ports.webhook.expect_read().returning(|_| Ok(Vec::new()));
    let service = ports.start();
    let whole = 8 * 1024 * 1024;
    let signed = format!("x-signed-by: {FORGED}\r\n");
    let connections: Vec<_> = (0..5).map(|_| begun(&service, &signed, whole, whole - 1)).collect();
    let (tell, told) = mpsc::channel();
    for connection in &connections {
        let (connection, tell) = (connection.try_clone().unwrap(), tell.clone());
        std::thread::spawn(move || tell.send(first_line(connection)));
    }
    // Two find room at most.
    for _ in 0..3 {
        assert_eq!(told.recv().unwrap(), "HTTP/1.1 503");
    }
    let request = service.bare("POST", PATH).header("X-Signed-By", GOOD).body("{}");
    assert_eq!(request.send().await.unwrap().status(), 200);
    for connection in connections {
        connection.shutdown(Shutdown::Both).unwrap_or_default();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_is_not_signed_at_all_is_not_read() {
    let service = Ports { webhook: signed_by(GOOD), ..Ports::new() }.start();
    for head in ["", "x-signed-by: x\r\n", "x-signed-by: \u{e9}\r\n"] {
        assert_eq!(first_line(begun(&service, head, 8 * 1024 * 1024, 10)), "HTTP/1.1 403", "{head}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_drips_is_given_up_as_soon_as_one_of_which_nothing_comes() {
    let service = Ports { webhook: signed_by(GOOD), ..Ports::new() }.start();
    let head = format!("x-signed-by: {FORGED}\r\n");
    let (nothing, drip) = (begun(&service, &head, 100, 0), begun(&service, &head, 100, 1));
    let began = Instant::now();
    let mut dripping = drip.try_clone().unwrap();
    std::thread::spawn(move || {
        while dripping.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    assert_eq!(first_line(nothing), "HTTP/1.1 408");
    assert_eq!(first_line(drip), "HTTP/1.1 408");
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn posts_that_drip_give_way_to_signed_ones_of_the_same_client() {
    let mut ports = Ports { webhook: signed_by(GOOD), ..Ports::new() };
    ports.webhook.expect_read().returning(|_| Ok(Vec::new()));
    let service = ports.start();
    let head = format!("x-signed-by: {FORGED}\r\n");
    // More than one client may have under way.
    let drips: Vec<_> = (0..300).map(|_| begun(&service, &head, 100, 1)).collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    for _ in 0..100 {
        let request = service.bare("POST", PATH).header("X-Signed-By", GOOD).body("{}");
        let began = Instant::now();
        assert_eq!(request.send().await.unwrap().status(), 200);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }
    drop(drips);
}

/// Returns the whole answer to a request on a kept connection.
#[expect(clippy::unwrap_used, reason = "test support")]
fn asked(connection: &mut TcpStream) -> String {
    let signed = format!("x-signed-by: {FORGED}\r\n");
    let request = format!("POST {PATH} HTTP/1.1\r\nhost: x\r\n{signed}content-length: 2\r\n\r\n{{}}");
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        let mut byte = [0];
        connection.read_exact(&mut byte).unwrap();
        answer.extend(byte);
    }
    String::from_utf8(answer).unwrap().to_lowercase()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_connection_is_answered_once_more_while_the_server_stops() {
    let service = Ports { webhook: signed_by(GOOD), ..Ports::new() }.start();
    let [mut asked_again, mut idle] = [(); 2].map(|()| TcpStream::connect(service.address).unwrap());
    for connection in [&mut asked_again, &mut idle] {
        connection.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        assert!(!asked(connection).contains("connection: close"));
    }
    service.stop();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let last = asked(&mut asked_again);
    assert!(last.starts_with("http/1.1 403") && last.contains("connection: close"), "{last}");
    for mut connection in [asked_again, idle] {
        assert_eq!(connection.read(&mut [0; 1]).unwrap(), 0, "it has ended in order");
    }
    assert!(TcpStream::connect(service.address).is_err(), "new ones are not taken");
}
