//! Servers that flood: each call ends in time, and nobody else on the same thread waits for it.
#![expect(clippy::unwrap_used, reason = "test support")]

use std::{
    io::Read as _,
    net::TcpStream,
    time::{Duration, Instant},
};

use bounded_http::{
    Client, Error, Options, Relay,
    testing::{Flood, Flooder},
};
use reqwest::{Method, Proxy};

/// For each call.
const LIMIT: Duration = Duration::from_secs(1);
/// Longest that a timer on the same thread may be late, on a busy machine.
const LATE: Duration = Duration::from_millis(500);
/// Most of an answer on the wire.
const ANSWER: usize = 4 * 1024 * 1024;

/// Runs `call` beside a timer on the same thread; how late that was at most, and how long the call took.
async fn beside_timer(call: impl Future<Output = ()>) -> (Duration, Duration) {
    let tick = Duration::from_millis(10);
    let mut late = Duration::ZERO;
    let ticking = async {
        loop {
            let began = Instant::now();
            tokio::time::sleep(tick).await;
            late = late.max(began.elapsed().saturating_sub(tick));
        }
    };
    let began = Instant::now();
    tokio::select! {
        () = call => {}
        () = ticking => {}
    }
    (late, began.elapsed())
}

/// Reads the whole of what the server answers.
async fn read(client: &Client, flooder: Flooder) -> Result<(), Error> {
    let mut answer =
        client.send(client.request(Method::POST, flooder.url().parse().unwrap()).body("{}")).await?;
    while let Ok(Some(_)) = answer.chunk().await {}
    Ok(())
}

#[tokio::test]
async fn no_flood_outlasts_its_call_or_holds_up_a_timer_on_its_thread() {
    let options = Options { timeout: Some(LIMIT), answer_bytes: ANSWER, ..Options::without_tls().unwrap() };
    let client = Client::new(options).unwrap();
    for flood in Flood::OF_HTTP {
        let flooder = Flooder::start(flood).unwrap();
        let calls = async {
            tokio::join!(
                async { read(&client, flooder).await.ok() },
                async { read(&client, flooder).await.ok() },
                async { read(&client, flooder).await.ok() },
                async { read(&client, flooder).await.ok() },
            );
        };
        let (late, took) = beside_timer(calls).await;
        assert!(late < LATE && took < LIMIT + LATE, "{flood:?}: late {late:?}, took {took:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_read_without_an_end_ends_with_its_call() {
    let options = Options { timeout: Some(LIMIT), ..Options::without_tls().unwrap() };
    let client = Client::new(options).unwrap();
    for flood in [Flood::Body, Flood::Crumbs, Flood::Bomb] {
        let flooder = Flooder::start(flood).unwrap();
        let (late, took) = beside_timer(async { read(&client, flooder).await.unwrap() }).await;
        assert!(late < LATE && took < LIMIT + LATE, "{flood:?}: late {late:?}, took {took:?}");
    }
}

#[tokio::test]
async fn what_breaks_a_bound_is_told_from_a_broken_connection() {
    let client = Client::new(Options::without_tls().unwrap()).unwrap();
    for (flood, is_too_much) in [(Flood::Interims, true), (Flood::Fields, true), (Flood::Reset, false)] {
        let error = read(&client, Flooder::start(flood).unwrap()).await.unwrap_err();
        assert_eq!(tls_trust::cause::<bounded_http::TooMuch>(&error).is_some(), is_too_much, "{error:?}");
    }
}

#[tokio::test]
async fn a_library_s_own_client_is_bounded_by_the_relay() {
    for flood in [Flood::Interims, Flood::Fields, Flood::Body, Flood::Crumbs, Flood::Drip, Flood::Reset] {
        let flooder = Flooder::start(flood).unwrap();
        let relay = Relay::start("127.0.0.1", flooder.address.port(), LIMIT, ANSWER).unwrap();
        let tls = Options::without_tls().unwrap().tls;
        let client = reqwest::Client::builder().tls_backend_preconfigured(tls);
        let client = client.proxy(Proxy::all(relay.proxy()).unwrap()).build().unwrap();
        let calls = async {
            let call = || async {
                let answer = client.post(flooder.url()).timeout(LIMIT).send().await;
                match answer {
                    Ok(answer) => answer.text().await.ok(),
                    Err(_) => None,
                }
            };
            let answered = tokio::join!(call(), call(), call(), call());
            assert_eq!(answered, (None, None, None, None), "{flood:?}");
        };
        let (late, took) = beside_timer(calls).await;
        assert!(late < LATE && took < LIMIT + LATE, "{flood:?}: late {late:?}, took {took:?}");
    }
}

#[tokio::test]
async fn the_relay_tells_that_its_server_refuses_the_connection() {
    let relay = Relay::start("127.0.0.1", 1, LIMIT, ANSWER).unwrap();
    let tls = Options::without_tls().unwrap().tls;
    let client = reqwest::Client::builder().tls_backend_preconfigured(tls);
    let client = client.proxy(Proxy::all(relay.proxy()).unwrap()).build().unwrap();
    assert!(client.get("http://127.0.0.1:1/").send().await.unwrap_err().is_connect());
}

#[test]
fn the_bomb_unpacks_to_zeros_without_end() {
    let flooder = Flooder::start(Flood::Bomb).unwrap();
    let mut connection = TcpStream::connect(flooder.address).unwrap();
    std::io::Write::write_all(&mut connection, b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        connection.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let mut zeros = vec![1; 50_000_000];
    flate2::read::GzDecoder::new(connection).read_exact(&mut zeros).unwrap();
    assert!(zeros.iter().all(|byte| *byte == 0));
}
