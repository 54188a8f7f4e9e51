//! Bodies and headers that are wrong: always the error body, never a 500, and no port behind is asked.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use futures_util::stream;
use reqwest::{Body, header::HeaderValue};

use crate::{
    service::{KEY, Ports},
    wire::answer,
};

const PATH: &str = "/v1/messages/template";
const MIB: usize = 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_body_is_a_400_that_names_what_is_wrong() {
    let service = Ports::new().start();
    let deep = "[".repeat(100_000);
    let deep_value = format!(r#"{{"to":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let table: &[(&[u8], &str)] = &[
        (b"", "JSON"),
        (b" ", "JSON"),
        (b"{", "JSON"),
        (b"to=1", "JSON"),
        (br#"{"to":"1"} x"#, "JSON"),
        (br#"{"to":"1",}"#, "JSON"),
        (b"\xef\xbb\xbf{}", "JSON"),
        (b"{\"to\":\"\xff\"}", "`to`"),
        (b"{\"to\":\"a\nb\"}", "`to`"),
        (deep.as_bytes(), "JSON"),
        (deep_value.as_bytes(), "JSON"),
        (br#"{"to":1e999}"#, "`to`"),
        (b"null", "object"),
        (b"1", "object"),
        (b"\"text\"", "object"),
        (br#"["+9647701234567",null,"t",null,null,null,null,null,null,null]"#, "object"),
        (b"{}", "`to`"),
        (br#"{"to":"+9647701234567"}"#, "`template`"),
        (br#"{"to":null,"template":"t"}"#, "`to`"),
        (br#"{"to":9647701234567,"template":"t"}"#, "`to`"),
        (br#"{"to":["+9647701234567"],"template":"t"}"#, "`to`"),
        (br#"{"to":"1","template":{}}"#, "`template`"),
        (br#"{"to":"1","to":"2","template":"t"}"#, "`to`"),
        (br#"{"to":"1","template":"t","workspace":"w"}"#, "`workspace`"),
        (br#"{"to":"1","template":"t","buttonvariables":[]}"#, "`buttonvariables`"),
        (br#"{"to":"1","template":"t","name":true}"#, "`name`"),
        (br#"{"to":"1","template":"t","language":1}"#, "`language`"),
        (br#"{"to":"1","template":"t","from":1}"#, "`from`"),
        (br#"{"to":"1","template":"t","code":123456}"#, "`code`"),
        (br#"{"to":"1","template":"t","reference":{}}"#, "`reference`"),
        (br#"{"to":"1","template":"t","variables":"x"}"#, "`variables`"),
        (br#"{"to":"1","template":"t","variables":7}"#, "`variables`"),
        (br#"{"to":"1","template":"t","variables":{"name":7}}"#, "`variables.name`"),
        (br#"{"to":"1","template":"t","variables":{"name":null}}"#, "`variables.name`"),
        (br#"{"to":"1","template":"t","variables":{"a":"1","a":"2"}}"#, "`variables`"),
        (br#"{"to":"1","template":"t","variables":["x",{}]}"#, "`variables[1]`"),
        (br#"{"to":"1","template":"t","header":"x"}"#, "`header`"),
        (br#"{"to":"1","template":"t","header":["x"]}"#, "`header`"),
        (br#"{"to":"1","template":"t","header":{"text":1}}"#, "`header.text`"),
        (br#"{"to":"1","template":"t","header":{"url":"x"}}"#, "`url`"),
        (br#"{"to":"1","template":"t","header":{"link":"http://x.example/a"}}"#, "`header.link`"),
        (br#"{"to":"1","template":"t","buttonVariables":{"1":"x"}}"#, "`buttonVariables`"),
        (br#"{"to":"1","template":"t","buttonVariables":["x",1]}"#, "`buttonVariables[1]`"),
        (br#"{"to":"1","template":""}"#, "`template`"),
        (br#"{"to":"1\u0000","template":"t"}"#, "`to`"),
        (br#"{"to":"1","template":"t","variables":{"a":"\u0000"}}"#, "`variables.a`"),
        (br#"{"to":"1","template":"t","variables":{"\u0000":"a"}}"#, "`variables"),
        (br#"{"to":"1","template":"t","variables":["\u0000"]}"#, "`variables[0]`"),
        (br#"{"to":"1","template":"t","name":"\ud800"}"#, "`name`"),
        (br#"{"to":"1","template":"t","name":"\udc00\ud800"}"#, "`name`"),
        (br#"{"to":"1","template":"t","variables":["\ud83d x"]}"#, "`variables[0]`"),
    ];
    for (body, wanted) in table {
        let text = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        let answer = answer(service.call("POST", PATH).body(body.to_vec())).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains(wanted), "{text}: {}", answer.message());
        assert!(answer.body.get("code").is_none(), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_name_is_not_repeated_in_full() {
    let service = Ports::new().start();
    let body = format!(r#"{{"{}":1}}"#, "n".repeat(MIB / 2));
    let answer = answer(service.call("POST", PATH).body(body)).await;
    answer.assert_error(400, "Bad Request");
    assert!(answer.message().len() < 600);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_idempotency_key_is_refused_by_its_name() {
    let service = Ports::new().start();
    let (long, huge) = ("k".repeat(201), "k".repeat(60_000));
    for key in [&b""[..], b"  ", long.as_bytes(), huge.as_bytes(), b"\xff\xfe"] {
        let key = HeaderValue::from_bytes(key).unwrap();
        let request = service.call("POST", PATH).header("Idempotency-Key", key).body("{}");
        let answer = answer(request).await;
        answer.assert_error(400, "Bad Request");
        assert!(answer.message().contains("Idempotency-Key"), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_1_mib_is_refused_however_it_is_framed() {
    let service = Ports::new().start();
    let chunks = || stream::iter((0..32).map(|_| Ok::<_, std::io::Error>(vec![b' '; MIB / 16])));
    for body in [Body::from(vec![b' '; MIB + 1]), Body::wrap_stream(chunks())] {
        let answer = answer(service.call("POST", PATH).body(body)).await;
        answer.assert_error(413, "Payload Too Large");
    }
    let exactly =
        Body::wrap_stream(stream::iter((0..16).map(|_| Ok::<_, std::io::Error>(vec![b' '; MIB / 16]))));
    for body in [Body::from(vec![b' '; MIB]), exactly] {
        answer(service.call("POST", PATH).body(body)).await.assert_error(400, "Bad Request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_framing_ends_its_own_connection_only() {
    let service = Ports::new().start();
    let head = format!("POST {PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\n");
    let crowd = "X-Many: 1\r\n".repeat(200) + "\r\n";
    for rest in [
        crowd.as_str(),
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"to\"\r\nzz\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        "Content-Length: -1\r\n\r\n{}",
        "no header\r\n\r\n",
    ] {
        let mut connection = TcpStream::connect(service.address).unwrap();
        write!(connection, "{head}{rest}").unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).unwrap();
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{rest}: {text}");
    }
    answer(service.call("GET", "/v1/nothing")).await.assert_error(404, "Not Found");
}

#[tokio::test(flavor = "multi_thread")]
async fn absurd_paths_and_headers_get_an_error_body() {
    let service = Ports::new().start();
    let long = format!("/v1/{}", "x".repeat(20_000));
    for path in ["/v1/%00", "/v1/me%00", "/v1/%ff%fe", "/v1//me", "/v1/..%2fme", "/v1/me;x", long.as_str()] {
        answer(service.call("GET", path)).await.assert_error(404, "Not Found");
    }
    let request = service
        .bare("GET", "/v1/me")
        .header("Authorization", HeaderValue::from_bytes(b"Bearer \xff").unwrap());
    answer(request).await.assert_error(401, "Unauthorized");
}
