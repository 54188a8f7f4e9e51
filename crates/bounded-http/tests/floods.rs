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
use tokio::sync::Mutex;

/// Time limit of each call.
const LIMIT: Duration = Duration::from_secs(1);
/// Longest delay of a timer on the same thread, on a busy machine.
const LATE: Duration = Duration::from_millis(500);
/// Largest answer on the wire.
const ANSWER: usize = 4 * 1024 * 1024;

/// Held while a delay is measured: the floods of another test would take the processor from the timer.
static MEASURED: Mutex<()> = Mutex::const_new(());

/// Runs `call` beside a timer on the same thread; returns the timer's longest delay and the call's duration.
async fn beside_timer(call: impl Future<Output = ()>) -> (Duration, Duration) {
    let _alone = MEASURED.lock().await;
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
    for (flood, is_too_much) in [(Flood::Interims, true), (Flood::Reset, false)] {
        let error = read(&client, Flooder::start(flood).unwrap()).await.unwrap_err();
        assert_eq!(tls_trust::cause::<bounded_http::TooMuch>(&error).is_some(), is_too_much, "{error:?}");
    }
}

#[tokio::test]
async fn a_library_s_own_client_is_bounded_by_the_relay() {
    for flood in [Flood::Interims, Flood::Fields, Flood::Body, Flood::Crumbs, Flood::Drip, Flood::Reset] {
        let flooder = Flooder::start(flood).unwrap();
        let url = flooder.url().parse().unwrap();
        let relay = Relay::start(&url, LIMIT, ANSWER).unwrap();
        let client = plain_client();
        let calls = async {
            let call = || async {
                let answer = client.post(relay.in_place_of(&url)).timeout(LIMIT).send().await;
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

/// A client of reqwest's own.
fn plain_client() -> reqwest::Client {
    let tls = Options::without_tls().unwrap().tls;
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap()
}

#[tokio::test]
async fn the_relay_tells_that_its_server_refuses_the_connection() {
    let url = "http://127.0.0.1:1/".parse().unwrap();
    let relay = Relay::start(&url, LIMIT, ANSWER).unwrap();
    assert!(plain_client().get(relay.in_place_of(&url)).send().await.is_err() && !relay.is_reached());

    let url = "https://127.0.0.1:1/".parse().unwrap();
    let relay = Relay::start(&url, LIMIT, ANSWER).unwrap();
    let tls = Options::without_tls().unwrap().tls;
    let client = reqwest::Client::builder().tls_backend_preconfigured(tls);
    let client = client.proxy(Proxy::https(relay.proxy()).unwrap()).build().unwrap();
    let refused = client.get(relay.in_place_of(&url)).send().await.unwrap_err();
    assert!(refused.is_connect() && !relay.is_reached(), "{refused:?}");
}

#[tokio::test]
async fn the_relay_passes_tls_on_as_it_is() {
    let (config, certificate) = tls_trust::testing::a_server("localhost");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port()).parse().unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = tokio_rustls::TlsAcceptor::from(config).accept(stream).await.unwrap();
        let mut request = [0; 4096];
        let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut request).await;
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhere";
        tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await.unwrap();
        tokio::io::AsyncWriteExt::shutdown(&mut stream).await.unwrap();
    });
    let relay = Relay::start(&url, LIMIT, ANSWER).unwrap();
    let tls = tls_trust::Trust::with(vec![certificate]).client_config().unwrap();
    let client = reqwest::Client::builder().tls_backend_preconfigured(tls);
    let client = client.proxy(Proxy::https(relay.proxy()).unwrap()).build().unwrap();
    let answer = client.get(relay.in_place_of(&url)).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "here");
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
