//! Calls against servers on loopback.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test support")]

mod server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bounded_http::testing::{Flood, Flooder};
use guarded_http::{
    AnswerRoom, Bytes, CallError, Forbidden, GuardedClient, Limits, Method, Options, Policy, Received,
    Request, Resolver, Response, SystemResolver, Trust, Url, header::HeaderMap,
};
use server::{Changing, Server, Silent, answer};
use tokio::net::TcpListener;

const LIMITS: Limits = Limits { timeout: Duration::from_secs(20), max_body: 1024, max_redirects: 0 };

fn loopback() -> Policy {
    Policy { allowed: vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()] }
}

fn client(policy: Policy, limits: Limits, resolver: Arc<dyn Resolver>) -> GuardedClient {
    GuardedClient::with_options(policy, limits, Options { resolver, ..Options::default() }).unwrap()
}

fn on_loopback(limits: Limits) -> GuardedClient {
    client(loopback(), limits, Arc::new(SystemResolver))
}

fn request(method: Method, url: &str) -> Request {
    let mut headers = HeaderMap::new();
    headers.insert("x-signature", "secret".parse().unwrap());
    Request { method, url: Url::parse(url).unwrap(), headers, body: Bytes::new() }
}

async fn post(client: &GuardedClient, url: &str) -> Result<Response, CallError> {
    client.send(Request { body: "{}".into(), ..request(Method::POST, url) }).await
}

#[tokio::test]
async fn an_answer_comes_with_status_headers_and_body() {
    let server = Server::answering(answer(410, "x-a: b\r\n", "gone")).await;
    let response =
        post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/hook?a=b#part", server.port)).await.unwrap();
    assert_eq!(
        (response.status.as_u16(), &response.body[..], response.body_truncated),
        (410, &b"gone"[..], false)
    );
    assert_eq!(response.headers["x-a"], "b");
    let sent = server.requests.lock().unwrap()[0].clone();
    assert!(
        sent.starts_with("POST /hook?a=b HTTP/1.1\r\n") && sent.contains("x-signature: secret\r\n"),
        "{sent}"
    );
}

/// Three bytes of room.
#[derive(Debug)]
struct Narrow;

impl AnswerRoom for Narrow {
    fn holds(&self, bytes: usize) -> bool {
        bytes <= 3
    }
}

#[tokio::test]
async fn an_answer_ends_where_there_is_no_room_for_more_of_it() {
    for (body, wanted) in [("all", Ok(Bytes::from("all"))), ("gone", Err(CallError::BodyTooLarge))] {
        let server = Server::answering(answer(200, "", body)).await;
        let asked = request(Method::GET, &format!("http://127.0.0.1:{}/", server.port));
        let response = on_loopback(LIMITS).send_counting(asked, &Received::within(Narrow)).await.unwrap();
        assert_eq!(response.whole_body(), wanted);
    }
}

#[tokio::test]
async fn connections_are_reused() {
    let server = Server::answering(answer(200, "", "ok")).await;
    let client = on_loopback(LIMITS);
    for _ in 0..3 {
        post(&client, &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
    }
    assert_eq!((server.request_count(), server.connection_count()), (3, 1));
}

#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    let proxy = Server::answering(answer(502, "", "")).await;
    let address = format!("http://127.0.0.1:{}", proxy.port);
    // The environment of this process is shared by all tests, so two of them, one for each scheme, run again in
    // their own.
    let over_tls = "a_certificate_nobody_trusts_is_named_as_such_and_a_trusted_one_is_not";
    let proxies = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    let run = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "connections_are_reused", over_tls])
        .envs(proxies.map(|name| (name, &address)))
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .output()
        .await
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && printed.contains("2 passed"), "{printed}");
    assert_eq!(proxy.connection_count(), 0);
}

#[tokio::test]
async fn a_redirect_is_the_answer_and_is_not_followed() {
    let target = Server::answering(answer(200, "", "")).await;
    let location = format!("Location: http://127.0.0.1:{}/\r\n", target.port);
    let server = Server::answering(answer(302, &location, "")).await;
    let response = post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
    assert_eq!(response.status, 302);
    assert_eq!(target.request_count(), 0);
}

#[tokio::test]
async fn where_redirects_are_allowed_a_get_follows_without_its_headers() {
    let target = Server::answering(answer(200, "", "here")).await;
    let location = format!("Location: http://127.0.0.1:{}/\r\n", target.port);
    let server = Server::answering(answer(307, &location, "")).await;
    let client = on_loopback(Limits { max_redirects: 3, ..LIMITS });
    let url = format!("http://127.0.0.1:{}/", server.port);
    assert_eq!(client.send(request(Method::GET, &url)).await.unwrap().body, "here");
    assert!(!target.requests.lock().unwrap()[0].contains("secret"));
    assert_eq!(post(&client, &url).await.unwrap().status, 307);
}

#[tokio::test]
async fn a_post_follows_307_and_308_within_its_origin_with_its_headers_and_body() {
    let client = on_loopback(Limits { max_redirects: 3, ..LIMITS });
    for (status, followed) in [(301, false), (302, false), (303, false), (307, true), (308, true)] {
        let hop = answer(status, "Location: /there?a=b\r\n", "");
        let server = Server::answering_in_turn(vec![hop, answer(200, "", "here")]).await;
        let response = post(&client, &format!("http://127.0.0.1:{}/here", server.port)).await.unwrap();
        let requests = server.requests.lock().unwrap().clone();
        assert_eq!((response.status == 200, response.left_origin), (followed, false), "{status}");
        assert_eq!(requests.len(), if followed { 2 } else { 1 }, "{status}");
        if let Some(second) = requests.get(1) {
            assert!(second.starts_with("POST /there?a=b HTTP/1.1\r\n"), "{second}");
            assert!(second.contains("x-signature: secret\r\n") && second.ends_with("{}"), "{second}");
        }
    }
}

#[tokio::test]
async fn a_post_stays_within_its_origin() {
    let target = Server::answering(answer(200, "", "")).await;
    for status in [307, 308] {
        let location = format!("Location: http://127.0.0.1:{}/\r\n", target.port);
        let server = Server::answering(answer(status, &location, "")).await;
        let client = on_loopback(Limits { max_redirects: 3, ..LIMITS });
        let response = post(&client, &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
        assert_eq!((response.status.as_u16(), response.left_origin), (status, false));
    }
    assert_eq!(target.request_count(), 0);
}

#[tokio::test]
async fn an_answer_tells_that_a_hop_left_the_origin_and_none_after_it_has_the_headers() {
    let home = Server::answering_in_turn(vec![]).await;
    let away =
        Server::answering(answer(302, &format!("Location: http://127.0.0.1:{}/back\r\n", home.port), ""))
            .await;
    home.then(answer(302, &format!("Location: http://127.0.0.1:{}/\r\n", away.port), ""));
    home.then(answer(401, "", ""));
    let client = on_loopback(Limits { max_redirects: 3, ..LIMITS });
    let url = format!("http://127.0.0.1:{}/", home.port);
    let response = client.send(request(Method::GET, &url)).await.unwrap();
    assert_eq!((response.status.as_u16(), response.left_origin), (401, true));
    let with_secret = |server: &Server| -> Vec<bool> {
        server.requests.lock().unwrap().iter().map(|sent| sent.contains("secret")).collect()
    };
    assert_eq!((with_secret(&home), with_secret(&away)), (vec![true, false], vec![false]));

    let within =
        Server::answering_in_turn(vec![answer(302, "Location: /in\r\n", ""), answer(401, "", "")]).await;
    let response =
        client.send(request(Method::GET, &format!("http://127.0.0.1:{}/", within.port))).await.unwrap();
    assert_eq!((response.status.as_u16(), response.left_origin), (401, false));
    assert_eq!(with_secret(&within), [true, true]);
}

#[tokio::test]
async fn nothing_is_unpacked() {
    let server = Server::answering(answer(200, "content-encoding: gzip\r\n", "not gzip at all")).await;
    let response = post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
    assert_eq!(response.body, "not gzip at all");
    assert!(!server.requests.lock().unwrap()[0].contains("accept-encoding"));
}

#[tokio::test]
async fn every_hop_is_judged() {
    let client = on_loopback(Limits { max_redirects: 3, ..LIMITS });
    for (location, range) in
        [("http://10.0.0.1/", "private"), ("https://169.254.169.254/latest", "link-local")]
    {
        let server = Server::answering(answer(302, &format!("Location: {location}\r\n"), "")).await;
        let sent = client.send(request(Method::GET, &format!("http://127.0.0.1:{}/", server.port))).await;
        assert_eq!(sent.unwrap_err(), CallError::Forbidden(Forbidden::Address { range }));
    }
}

#[tokio::test]
async fn redirects_end() {
    let server = Server::answering(answer(302, "Location: /again\r\n", "")).await;
    let client = on_loopback(Limits { max_redirects: 3, ..LIMITS });
    let sent = client.send(request(Method::GET, &format!("http://127.0.0.1:{}/", server.port))).await;
    assert_eq!(sent.unwrap_err(), CallError::TooManyRedirects);
    assert_eq!(server.request_count(), 4);
}

#[tokio::test]
async fn a_long_body_is_cut_at_the_cap() {
    for (length, truncated) in [(1023, false), (1024, false), (1025, true), (1_000_000, true)] {
        let server = Server::answering(answer(200, "", &"x".repeat(length))).await;
        let response =
            post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
        assert_eq!((response.body.len(), response.body_truncated), (length.min(1024), truncated));
        assert_eq!(response.whole_body().err(), truncated.then_some(CallError::BodyTooLarge));
    }
}

#[tokio::test]
async fn an_endless_body_ends_at_the_cap() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let server = Server::answering(format!("{head}1000\r\n{}\r\n", "x".repeat(0x1000))).await;
    let response = post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
    assert_eq!((response.body.len(), response.body_truncated), (1024, true));
}

#[tokio::test]
async fn one_deadline_covers_headers_and_body() {
    let limits = Limits { timeout: Duration::from_millis(200), ..LIMITS };
    let interim = "HTTP/1.1 103 Early Hints\r\n\r\n";
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nxxx";
    for silent in ["", interim, "HTTP/1.1 200 OK\r\n", half] {
        let server = Server::answering(silent).await;
        let sent = post(&on_loopback(limits), &format!("http://127.0.0.1:{}/", server.port)).await;
        assert_eq!(sent.unwrap_err(), CallError::Timeout, "{silent}");
    }
}

#[tokio::test]
async fn the_deadline_covers_the_look_up_and_the_handshake() {
    let limits = Limits { timeout: Duration::from_millis(200), ..LIMITS };
    let unanswered = client(loopback(), limits, Arc::new(Silent));
    assert_eq!(post(&unanswered, "https://hook.example/").await.unwrap_err(), CallError::Timeout);
    let url = Url::parse("https://hook.example/").unwrap();
    assert_eq!(unanswered.check(&url).await.unwrap_err(), CallError::Timeout);

    // The system takes the connection; nobody answers on it.
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/", mute.local_addr().unwrap().port());
    let sent = post(&on_loopback(limits), &url).await;
    assert_eq!(sent.unwrap_err(), CallError::Timeout);
}

#[tokio::test]
async fn headers_without_end_are_cut_off() {
    let head = format!("HTTP/1.1 200 OK\r\n{}", format!("x-filler: {}\r\n", "x".repeat(8_000)).repeat(80));
    let server = Server::answering(head).await;
    let sent = post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/", server.port)).await;
    assert_eq!(sent.unwrap_err(), CallError::TooMuch);
}

#[tokio::test]
async fn a_server_that_floods_ends_with_its_call_and_holds_up_nobody_on_the_same_thread() {
    let limits = Limits { timeout: Duration::from_secs(1), max_body: 5_000_000, ..LIMITS };
    let client = on_loopback(limits);
    let tick = Duration::from_millis(10);
    for flood in Flood::OF_HTTP {
        let flooder = Flooder::start(flood).unwrap();
        let (mut late, began) = (Duration::ZERO, Instant::now());
        let url = flooder.url();
        let call = post(&client, &url);
        tokio::pin!(call);
        let answered = loop {
            let slept = Instant::now();
            tokio::select! {
                answered = &mut call => break answered,
                () = tokio::time::sleep(tick) => late = late.max(slept.elapsed().saturating_sub(tick)),
            }
        };
        let took = began.elapsed();
        match (flood, answered.map(|answer| answer.body_truncated)) {
            (Flood::Body | Flood::Bomb, Ok(true))
            | (Flood::Interims, Err(CallError::TooMuch))
            // The library takes a hundred fields.
            | (Flood::Fields, Err(CallError::TooMuch | CallError::Protocol))
            | (Flood::Crumbs, Err(CallError::TooMuch | CallError::Timeout))
            | (Flood::Drip, Err(CallError::Timeout))
            | (Flood::Reset, Err(CallError::Protocol))
            | (Flood::Hello, Err(CallError::Tls(_) | CallError::TooMuch)) => {}
            (_, other) => panic!("{flood:?}: {other:?}"),
        }
        assert!(late < Duration::from_millis(500), "{flood:?}: a timer was late by {late:?}");
        assert!(took < Duration::from_millis(1_500), "{flood:?}: {took:?}");
    }
}

#[tokio::test]
async fn a_few_interim_answers_are_none() {
    let hint = "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n";
    let server = Server::answering(format!("{}{}", hint.repeat(3), answer(200, "", "here"))).await;
    let client = on_loopback(LIMITS);
    for _ in 0..20 {
        let answered = post(&client, &format!("http://127.0.0.1:{}/", server.port)).await.unwrap();
        assert_eq!((answered.status.as_u16(), &answered.body[..]), (200, &b"here"[..]));
    }
    assert_eq!(server.connection_count(), 1, "and each call begins to count anew");
}

#[tokio::test]
async fn a_refused_connection_is_told() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let error = post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{free}/")).await.unwrap_err();
    assert_eq!(error, CallError::Refused);
}

#[tokio::test]
async fn what_is_not_http_is_told() {
    let server = Server::answering("220 mail.example ESMTP\r\n\r\n").await;
    let sent = post(&on_loopback(LIMITS), &format!("http://127.0.0.1:{}/", server.port)).await;
    assert_eq!(sent.unwrap_err(), CallError::Protocol);
}

#[tokio::test]
async fn without_an_allowed_range_no_spelling_of_loopback_is_connected_to() {
    let server = Server::answering(answer(200, "", "")).await;
    let client = client(Policy::default(), LIMITS, Arc::new(SystemResolver));
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "１２７.０.０.１",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "localhost",
        "LOCALHOST.",
        "0.0.0.0",
        "[::]",
    ] {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}:{}/", server.port);
            let sent = post(&client, &url).await;
            assert!(matches!(sent, Err(CallError::Forbidden(_))), "{url}: {sent:?}");
        }
    }
    assert_eq!(server.connection_count(), 0);
}

#[tokio::test]
async fn a_name_is_refused_for_any_address_that_is_not_public() {
    let table = [
        (&["127.0.0.1"][..], "loopback"),
        (&["8.8.8.8", "::ffff:10.0.0.1"], "private"),
        (&["2606:4700:4700::1111", "fd00:ec2::254"], "private"),
        (&["169.254.169.254", "8.8.8.8"], "link-local"),
        (&["64:ff9b::8.8.8.8"], "NAT64"),
    ];
    for (answers, range) in table {
        let client = client(Policy::default(), LIMITS, Changing::new(answers, answers));
        let url = "https://hook.example/";
        let refused = CallError::Forbidden(Forbidden::Address { range });
        assert_eq!(client.check(&Url::parse(url).unwrap()).await.unwrap_err(), refused);
        assert_eq!(post(&client, url).await.unwrap_err(), refused);
    }
}

#[tokio::test]
async fn a_resolver_that_changes_its_answer_gets_nowhere() {
    let server = Server::answering(answer(200, "", "")).await;
    // Public where the address is registered, loopback where it is called.
    let resolver = Changing::new(&["93.184.215.14"], &["127.0.0.1"]);
    let client = client(Policy::default(), LIMITS, Arc::clone(&resolver) as Arc<dyn Resolver>);
    let url = format!("https://hook.example:{}/", server.port);
    assert_eq!(client.check(&Url::parse(&url).unwrap()).await, Ok(()));
    let refused = CallError::Forbidden(Forbidden::Address { range: "loopback" });
    assert_eq!(post(&client, &url).await.unwrap_err(), refused);
    assert_eq!((server.connection_count(), resolver.asked()), (0, 2));
}

#[tokio::test]
async fn a_call_resolves_once_and_connects_to_that_answer() {
    let server = Server::answering(answer(200, "", "")).await;
    let resolver = Changing::new(&["127.0.0.1"], &["10.0.0.1"]);
    let client = client(loopback(), LIMITS, Arc::clone(&resolver) as Arc<dyn Resolver>);
    post(&client, &format!("http://hook.example:{}/", server.port)).await.unwrap();
    assert_eq!((server.request_count(), resolver.asked()), (1, 1));
}

#[tokio::test]
async fn plain_http_to_a_name_needs_an_allowed_address() {
    let public = Changing::new(&["93.184.215.14"], &["93.184.215.14"]);
    let sent = post(&client(loopback(), LIMITS, public), "http://hook.example/").await;
    assert_eq!(sent.unwrap_err(), CallError::Forbidden(Forbidden::Scheme));
}

#[tokio::test]
async fn a_name_without_an_address_is_told() {
    let empty = Changing::new(&[], &[]);
    let client = client(Policy::default(), LIMITS, empty);
    assert_eq!(
        client.check(&Url::parse("https://hook.example/").unwrap()).await.unwrap_err(),
        CallError::Dns
    );
    assert_eq!(post(&client, "https://hook.example/").await.unwrap_err(), CallError::Dns);
}

#[tokio::test]
async fn a_certificate_nobody_trusts_is_named_as_such_and_a_trusted_one_is_not() {
    let (server, certificate) = Server::with_tls("hook.example", &answer(200, "", "sealed")).await;
    let url = format!("https://hook.example:{}/", server.port);
    let resolver = Changing::new(&["127.0.0.1"], &["127.0.0.1"]) as Arc<dyn Resolver>;

    let untrusting = client(loopback(), LIMITS, Arc::clone(&resolver));
    let error = post(&untrusting, &url).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the certificate is not trusted: it is signed by no authority that is trusted here"
    );
    assert_eq!(server.request_count(), 0);

    let options = Options { resolver, trust: Trust::with(vec![certificate]) };
    let trusting = GuardedClient::with_options(loopback(), LIMITS, options).unwrap();
    assert_eq!(post(&trusting, &url).await.unwrap().body, "sealed");
    let other_name = format!("https://other.example:{}/", server.port);
    assert_eq!(
        post(&trusting, &other_name).await.unwrap_err(),
        CallError::Untrusted("it is for another name")
    );
}

#[tokio::test]
async fn dropping_the_call_abandons_it() {
    let server = Server::answering("").await;
    let client = on_loopback(LIMITS);
    let url = format!("http://127.0.0.1:{}/", server.port);
    let arrived = async {
        while server.request_count() == 0 {
            tokio::task::yield_now().await;
        }
    };
    let ended_first = tokio::select! {
        _ = post(&client, &url) => true,
        () = arrived => false,
    };
    assert!(!ended_first);
}

#[test]
fn nothing_secret_is_printed() {
    let shown = format!("{:?}", request(Method::POST, "https://hook.example/path-secret?q=secret"));
    assert!(!shown.contains("secret") && shown.contains("hook.example"), "{shown}");
}
