//! What is no HTTP request, or does not end as one: the error body all the same, as the connection's last
//! answer.

use reqwest::{Certificate, Client, StatusCode};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{Answer, Service, Untouched, World};

const SEND: &str = "POST /v1/messages/template HTTP/1.1\r\nHost: x\r\n";

/// A connection to the service, byte by byte.
struct Raw(TcpStream);

impl Raw {
    async fn to(world: &World) -> Self {
        let address = world.service.base_url().trim_start_matches("http://");
        Self(TcpStream::connect(address).await.unwrap())
    }

    async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        // A server that has heard enough may close while we are still talking.
        let _ = self.0.write_all(bytes.as_ref()).await;
    }

    /// The next answer, whole.
    async fn answer(&mut self) -> (String, Answer) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.0.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let mut answer = Answer { status, headers, body: Value::Null };
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        answer.body = serde_json::from_slice(&body).unwrap_or_default();
        (head, answer)
    }

    /// The next answer is the last, and refuses in the shape of all errors.
    async fn refuses(mut self, status: u16, about: &str) -> Answer {
        let (head, answer) = self.answer().await;
        answer.assert_error(status, about);
        let phrase = StatusCode::from_u16(status).unwrap().canonical_reason().unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} {phrase}\r\n")), "{about}: {head}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{about}");
        }
        assert_eq!(answer.header("x-request-id").map(str::len), Some(36), "{about}");
        assert!(answer.header("date").is_some_and(|date| date.ends_with(" GMT")), "{about}");
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&rest), "", "{about}");
        answer
    }
}

#[tokio::test]
async fn what_is_no_http_is_answered_in_the_shape_of_all_errors() {
    let world = World::new().await;
    let untouched = Untouched::of(&world).await;
    let mut slow = Raw::to(&world).await;
    slow.write(b"GET /v1/me HTTP/1.1\r\nHo").await;
    let send = |rest: &str| format!("{SEND}{rest}").into_bytes();
    let get = |address: &str| format!("GET {address} HTTP/1.1\r\nHost: x\r\n\r\n").into_bytes();
    for (request, status) in [
        (b"NONSENSE \x01 no path\r\n\r\n".to_vec(), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), 400),
        (b"GET /v1/me\r\n\r\n".to_vec(), 400),
        (b"GET /v1/me HTTP/0.9\r\nHost: x\r\n\r\n".to_vec(), 400),
        (b"GET /v1/me HTTP/3.0\r\nHost: x\r\n\r\n".to_vec(), 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), 400),
        (b"GET /v1/me HTTP/1.1\r\n\r\n".to_vec(), 400),
        (b"GET /v1/me HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n".to_vec(), 400),
        (b"G@T /v1/me HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), 400),
        (get("/v1/me now"), 400),
        (get("/v1/contacts?search=\u{633}"), 400),
        (get("http://[::1"), 400),
        (get(&format!("/v1/contacts?search={}", "x".repeat(70_000))), 400),
        (get(&format!("/{}", "x".repeat(200_000))), 431),
        (send("no header\r\n\r\n"), 400),
        (send("X-\0: 1\r\n\r\n"), 400),
        (send("Idempotency-Key: a\0b\r\nContent-Length: 2\r\n\r\n{}"), 400),
        (send("Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}"), 400),
        (send("Content-Length: -1\r\n\r\n{}"), 400),
        (send("Content-Length: +2\r\n\r\n{}"), 400),
        (send("Content-Length: two\r\n\r\n{}"), 400),
        (send("Content-Length: 99999999999999999999999\r\n\r\n{}"), 400),
        (send("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"), 400),
        (send("Transfer-Encoding: gzip\r\n\r\n{}"), 400),
        (send(&format!("{}\r\n", "X-Many: 1\r\n".repeat(500))), 431),
        (send(&format!("X-Huge: {}\r\n\r\n", "x".repeat(300_000))), 431),
    ] {
        let about = String::from_utf8_lossy(&request[..request.len().min(90)]).into_owned();
        let mut raw = Raw::to(&world).await;
        raw.write(&request).await;
        let answer = raw.refuses(status, &about).await;
        assert_eq!(answer.header("connection"), Some("close"), "{about}");
    }
    slow.refuses(408, "a head that does not end").await;
    assert_eq!(world.api().get("/v1/me").await.status, 200);
    let line =
        |line: &String| line.contains("a request could not be read") && line.contains("\"status\":408");
    assert!(world.service.log().iter().any(line));
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn a_body_that_does_not_come_as_it_was_announced_is_refused_whenever_that_shows() {
    let world = World::new().await;
    let untouched = Untouched::of(&world).await;
    let key = format!("Authorization: Bearer {}\r\n", world.key);
    for chunks in ["5\r\n{\"to\"\r\nzz\r\n", "ffffffffffffffffff\r\n", "2\r\n{}xx\r\n", "zz"] {
        let head = format!("{SEND}{key}Transfer-Encoding: chunked\r\n\r\n");
        let mut at_once = Raw::to(&world).await;
        at_once.write(format!("{head}{chunks}")).await;
        at_once.refuses(400, chunks).await;

        let mut later = Raw::to(&world).await;
        later.write(format!("{head}2\r\n{{}}\r\n")).await;
        // By the time of this answer the head has been read.
        assert_eq!(world.api().get("/v1/me").await.status, 200);
        later.write(chunks).await;
        later.refuses(400, chunks).await;
    }
    let mut cut = Raw::to(&world).await;
    cut.write(format!("{SEND}{key}Content-Length: 50\r\n\r\n{{}}")).await;
    cut.0.shutdown().await.unwrap();
    let (_, answer) = cut.answer().await;
    answer.assert_error(400, "a body that ends too soon");

    // What is behind the announced end is another request, and is none.
    let mut long = Raw::to(&world).await;
    long.write(format!("{SEND}{key}Content-Length: 2\r\n\r\n{{}}, and more\r\n\r\n")).await;
    let (_, answer) = long.answer().await;
    answer.assert_error(400, "a send without anything");
    long.refuses(400, "more than was announced").await;
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn what_comes_before_nonsense_is_answered_as_ever() {
    let world = World::new().await;
    let get = |more: &str| {
        format!("GET /v1/me HTTP/1.1\r\nHost: x\r\n{more}Authorization: Bearer {}\r\n\r\n", world.key)
    };
    for together in [true, false] {
        let mut raw = Raw::to(&world).await;
        let mut written = [get(""), get(""), "nonsense\r\n\r\n".to_owned()].into_iter();
        let mut said = written.by_ref().take(if together { 3 } else { 1 }).collect::<String>();
        for _ in 0..2 {
            raw.write(&said).await;
            let (_, answer) = raw.answer().await;
            assert_eq!((answer.status, answer.body["key"]["id"].is_string()), (200, true), "{answer:?}");
            said = written.next().unwrap_or_default();
        }
        raw.write(&said).await;
        raw.refuses(400, "nonsense").await;
    }

    // Older, upgrading or cautious clients are served.
    for more in
        ["Connection: Upgrade\r\nUpgrade: websocket\r\n", "Expect: 100-continue\r\nContent-Length: 0\r\n"]
    {
        let mut raw = Raw::to(&world).await;
        raw.write(get(more)).await;
        let (mut head, mut answer) = raw.answer().await;
        if answer.status == 100 {
            (head, answer) = raw.answer().await;
        }
        assert_eq!(answer.status, 200, "{head}");
    }
    let mut old = Raw::to(&world).await;
    old.write(get("").replace("HTTP/1.1", "HTTP/1.0")).await;
    let (head, answer) = old.answer().await;
    assert_eq!(answer.status, 200, "{head}");
    assert_eq!(old.0.read(&mut [0]).await.unwrap(), 0, "an older client waits for the end");
}

#[tokio::test]
async fn over_tls_it_is_the_same() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = write("certificate.pem", &made.cert.pem());
    let key = write("key.pem", &made.signing_key.serialize_pem());
    let settings = [("MESSAGING_TLS_CERTIFICATE", certificate.as_str()), ("MESSAGING_TLS_KEY", key.as_str())];
    let service = Service::start_with(&world.secrets, &settings).await;
    let trusted = Certificate::from_pem(made.cert.pem().as_bytes()).unwrap();
    let client = Client::builder().no_proxy().tls_certs_only([trusted]).build().unwrap();
    let url = format!("{}/v1/me", service.base_url().replace("http://", "https://"));
    let get = || client.get(&url).bearer_auth(&world.key);
    assert_eq!(Answer::to(get()).await.status, 200);
    let crowded = (0..100).fold(get(), |get, number| get.header(format!("x-{number}"), "1"));
    let answer = Answer::to(crowded).await;
    answer.assert_error(431, "too many headers");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(Answer::to(get()).await.status, 200);
}
