//! Whatever comes in: the error body, never a 5xx, and nothing written.

use std::collections::BTreeMap;

use futures_util::stream;
use reqwest::{Body, Method, header::HeaderValue};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use crate::support::{Answer, Api, Rows, World};

const SEND: &str = "/v1/messages/template";
const MIB: usize = 1024 * 1024;

/// Every field of a template send that holds a text, with a body around it; `@` stands for the text.
const TEXTS: [(&str, &str); 13] = [
    ("to", r#"{"to":"@","template":"store_hours"}"#),
    ("template", r#"{"to":"07701234567","template":"@"}"#),
    ("name", r#"{"to":"07701234567","template":"store_hours","name":"@"}"#),
    ("language", r#"{"to":"07701234567","template":"store_hours","language":"@"}"#),
    ("from", r#"{"to":"07701234567","template":"store_hours","from":"@"}"#),
    ("code", r#"{"to":"07701234567","template":"login_code","code":"@"}"#),
    ("reference", r#"{"to":"07701234567","template":"store_hours","reference":"@"}"#),
    ("variables[1]", r#"{"to":"07701234567","template":"order_ready","variables":["Sara","@"]}"#),
    ("variables.1", r#"{"to":"07701234567","template":"order_ready","variables":{"1":"@","2":"x"}}"#),
    (
        "header.text",
        r#"{"to":"07701234567","template":"delivery_time","variables":["4","6"],"header":{"text":"@"}}"#,
    ),
    (
        "header.link",
        r#"{"to":"07701234567","template":"new_season","variables":["Sara"],"header":{"link":"https://x.example/@"}}"#,
    ),
    (
        "header.filename",
        r#"{"to":"07701234567","template":"lab_results","variables":["Sara"],"header":{"link":"https://x.example/a","filename":"@"}}"#,
    ),
    (
        "buttonVariables[0]",
        r#"{"to":"07701234567","template":"order_shipped","variables":["a","b","c"],"buttonVariables":["@"]}"#,
    ),
];

/// The database as it was, to compare with.
struct Untouched {
    rows: Rows,
    before: BTreeMap<String, i64>,
}

impl Untouched {
    async fn of(world: &World) -> Self {
        let rows = world.rows().await;
        let before = rows.all_counts().await;
        Self { rows, before }
    }

    /// Asserts that nothing was written or sent since.
    async fn assert_still(&self, world: &World) {
        assert_eq!(self.rows.all_counts().await, self.before);
        assert_eq!(world.simulator.messages().len(), 0);
    }
}

async fn post(api: &Api, body: impl Into<Body>) -> Answer {
    Answer::to(api.request(Method::POST, SEND).body(body.into())).await
}

/// Asserts that this body is a plain 400 that says `wanted`.
async fn assert_bad(api: &Api, body: &[u8], wanted: &str) {
    let about = String::from_utf8_lossy(&body[..body.len().min(120)]).into_owned();
    let answer = post(api, body.to_vec()).await;
    answer.assert_error(400, &about);
    assert!(answer.text("/message").contains(wanted), "{about}: {}", answer.text("/message"));
    assert!(answer.text("/message").chars().count() < 700, "{about}");
    assert!(answer.body.get("code").is_none(), "{about}: {:?}", answer.body);
}

#[tokio::test]
async fn a_body_that_is_wrong_is_refused_by_the_name_of_its_field() {
    let world = World::new().await;
    let (api, untouched) = (world.api(), Untouched::of(&world).await);

    let deep = |depth: usize| format!(r#"{{"to":{}1{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let deep_objects = format!("{}1{}", r#"{"to":"#.repeat(10_000), "}".repeat(10_000));
    for (body, wanted) in [
        (&b""[..], "JSON"),
        (b" \n", "JSON"),
        (b"{", "JSON"),
        (b"{}}", "JSON"),
        (b"{'to':'1'}", "JSON"),
        (b"to=07701234567&template=store_hours", "JSON"),
        (b"<to>07701234567</to>", "JSON"),
        (b"{\"to\":\"1\",}", "JSON"),
        (b"{\"to\":NaN}", "JSON"),
        (b"{\"to\":01}", "JSON"),
        (b"\xef\xbb\xbf{\"to\":\"1\"}", "JSON"),
        (b"\xff\xfe{\x00}\x00", "JSON"),
        (b"\x00", "JSON"),
        (b"{\"to\":\"\xff\"}", "to"),
        (b"{\"to\":\"\xc3\"}", "to"),
        (b"{\"to\":\"\xed\xa0\x80\"}", "to"),
        (b"{\"to\":\"a\x01\"}", "to"),
        (b"{\"to\":\"a\nb\"}", "to"),
        (b"null", "object"),
        (b"true", "object"),
        (b"42", "object"),
        (b"\"text\"", "object"),
        (b"[]", "object"),
        (br#"[{"to":"07701234567","template":"store_hours"}]"#, "object"),
        (br#"["07701234567",null,"store_hours"]"#, "object"),
        (b"{}", "to"),
        (br#"{"to":"07701234567"}"#, "template"),
        (br#"{"template":"store_hours"}"#, "to"),
        (br#"{"to":1e999,"template":"store_hours"}"#, "to"),
        (br#"{"to":"1","to":"2","template":"store_hours"}"#, "to"),
        (br#"{"to":"1","template":"a","header":{"text":"a","text":"b"}}"#, "header"),
        (br#"{"to":"1","template":"a","variables":{"1":"a","1":"b"}}"#, "variables"),
        (br#"{"to":"1","t\u006f":"2","template":"store_hours"}"#, "to"),
        (br#"{"to":"1","template":"store_hours","colour":"red"}"#, "colour"),
        (br#"{"to":"1","template":"store_hours","Reference":"x"}"#, "Reference"),
        (br#"{"to":"1","template":"store_hours","workspaceId":"x"}"#, "workspaceId"),
        (br#"{"to":"1","template":"store_hours","__proto__":{}}"#, "__proto__"),
        (br#"{"to":"1","template":"a","header":{"image":"x"}}"#, "image"),
        (br#"{"to":"1","template":"a","header":["x"]}"#, "header"),
        (br#"{"to":"1","template":"a","variables":{"1":{"2":"x"}}}"#, "variables.1"),
        (br#"{"to":"1","template":"a","variables":[["x"]]}"#, "variables[0]"),
        (br#"{"to":"1","template":"a","variables":[null]}"#, "variables[0]"),
        (br#"{"to":"1","template":"a","variables":[1.5e300]}"#, "variables[0]"),
        (br#"{"to":"1","template":"a","buttonVariables":["x",false]}"#, "buttonVariables[1]"),
        (br#"{"to":"1","template":"a","buttonVariables":{"0":"x"}}"#, "buttonVariables"),
        (deep(10_000).as_bytes(), "JSON"),
        (deep(100).as_bytes(), "to"),
        (deep_objects.as_bytes(), "JSON"),
        ("[".repeat(MIB / 2).as_bytes(), "JSON"),
        (format!(r#"{{"to":{}}}"#, "9".repeat(100_000)).as_bytes(), "to"),
        (format!(r#"{{"to":-0.{}}}"#, "1".repeat(100_000)).as_bytes(), "to"),
        (format!(r#"{{"{}":1}}"#, "n".repeat(MIB / 2)).as_bytes(), "nnnn"),
    ] {
        assert_bad(&api, body, wanted).await;
    }

    // Wrong types, for every field that takes a text.
    for (field, body) in TEXTS {
        for wrong in
            ["7", "-0.5", "1e400", "true", "[]", "{}", r#"["a"]"#, r#"{"a":"b"}"#, "99999999999999999999999"]
        {
            let start = body.find('@').unwrap();
            let opening = body[..start].rfind('"').unwrap();
            let closing = start + body[start..].find('"').unwrap();
            let wrong = format!("{}{wrong}{}", &body[..opening], &body[closing + 1..]);
            assert_bad(&api, wrong.as_bytes(), field).await;
        }
        // U+0000 and lone surrogates; both as an escape, since as they are they are no UTF-8 or no JSON.
        for text in
            [r"\u0000", r"a\u0000b", r"\ud800", r"\udc00", r"\ud83d x", r"\ude00\ud83d", r"\uD800\uD800"]
        {
            assert_bad(&api, body.replace('@', text).as_bytes(), field).await;
        }
    }
    // The same in names of fields, and for what is neither text nor list.
    for name in [r"\u0000", r"\ud800"] {
        let body = format!(r#"{{"to":"1","template":"order_ready","variables":{{"{name}":"x"}}}}"#);
        assert_bad(&api, body.as_bytes(), "variables").await;
        assert_bad(&api, format!(r#"{{"to":"1","{name}":"x"}}"#).as_bytes(), "").await;
    }
    for (field, wrong) in [
        ("variables", r#""x""#),
        ("variables", "1"),
        ("variables", "false"),
        ("header", r#""https://x.example""#),
        ("header", "1"),
        ("buttonVariables", r#""x""#),
        ("buttonVariables", "0"),
    ] {
        let body = format!(r#"{{"to":"07701234567","template":"store_hours","{field}":{wrong}}}"#);
        assert_bad(&api, body.as_bytes(), field).await;
    }

    // Lengths and forms.
    for (field, value) in [
        ("template", json!("")),
        ("template", json!("t".repeat(513))),
        ("name", json!("  ")),
        ("name", json!("ن".repeat(201))),
        ("language", json!("")),
        ("language", json!("x".repeat(36))),
        ("reference", json!("r".repeat(129))),
        ("header.link", json!({ "link": "http://x.example/a" })),
        ("header.link", json!({ "link": "ftp://x.example/a" })),
        ("header.link", json!({ "link": "//x.example/a" })),
        ("header.link", json!({ "link": "https://" })),
        ("header.link", json!({ "link": "javascript:alert(1)" })),
        ("header.link", json!({ "link": format!("https://x.example/{}", "a".repeat(3_000)) })),
        ("header.filename", json!({ "link": "https://x.example/a", "filename": "" })),
        ("header.text", json!({ "text": "a\nb" })),
    ] {
        let mut body = json!({ "to": "07701234567", "template": "store_hours" });
        body[field.split('.').next().unwrap()] = value;
        assert_bad(&api, body.to_string().as_bytes(), field).await;
    }
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn a_body_over_one_mebibyte_is_refused_however_it_comes() {
    let world = World::new().await;
    let (api, untouched) = (world.api(), Untouched::of(&world).await);
    let padded = |size: usize| {
        let start = br#"{"to":"12","template":"store_hours","reference":""#;
        let mut body = start.to_vec();
        body.resize(size - 2, b'x');
        body.extend_from_slice(b"\"}");
        body
    };
    let in_chunks = |body: Vec<u8>| {
        let chunks: Vec<_> =
            body.chunks(60_000).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect();
        Body::wrap_stream(stream::iter(chunks))
    };
    for size in [MIB + 1, 2 * MIB] {
        post(&api, padded(size)).await.assert_error(413, "with its length");
        post(&api, in_chunks(padded(size))).await.assert_error(413, "without its length");
    }
    // As long as it may be, it is read.
    for body in [Body::from(padded(MIB)), in_chunks(padded(MIB))] {
        let answer = post(&api, body).await;
        answer.assert_error(400, "exactly a mebibyte");
        assert!(answer.text("/message").contains("reference"));
    }
    // The refusal comes for the announcement alone.
    let head = format!("Content-Length: {}\r\n\r\n", 20 * MIB);
    let answer = raw(&world, "POST", SEND, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // Compressed or not makes no difference: a body is read as it comes.
    let packed = api.request(Method::POST, SEND).header("Content-Encoding", "gzip").body("\x1f\u{8b}");
    Answer::to(packed).await.assert_error(400, "packed");
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn absurd_headers_and_paths_get_the_error_body() {
    let world = World::new().await;
    let (api, untouched) = (world.api(), Untouched::of(&world).await);
    let bytes = |value: &[u8]| HeaderValue::from_bytes(value).unwrap();

    // Keys that are none, whatever else is asked.
    let long = format!("Bearer msk_{}", "a".repeat(50_000));
    for authorization in [
        &b""[..],
        b"Bearer",
        b"Bearer ",
        b"Basic bXNrOng=",
        b"Digest username=\"x\"",
        b"Bearer\xff\xfe",
        b"Bearer msk_\xd9\x85",
        b"Bearer null",
        long.as_bytes(),
        world.key.as_bytes(),
    ] {
        let request = api.bare(Method::POST, SEND).header("authorization", bytes(authorization)).body("{");
        let answer = Answer::to(request).await;
        answer.assert_error(401, &String::from_utf8_lossy(&authorization[..authorization.len().min(40)]));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let twice = api.request(Method::GET, "/v1/me").bearer_auth(&world.key);
    Answer::to(twice).await.assert_error(401, "two Authorization headers");

    // Other headers are nobody's business, however odd.
    for (name, value) in [
        ("x-long", "x".repeat(60_000)),
        ("cookie", "session=".to_owned() + &"y".repeat(10_000)),
        ("content-type", "text/plain; charset=utf-16".to_owned()),
        ("accept", "application/xml;q=9".to_owned()),
        ("accept-encoding", "br;q=x, gzip;;".to_owned()),
        ("x-forwarded-for", "::1, <script>".to_owned()),
        ("range", "bytes=9-1".to_owned()),
        ("if-match", "\"nothing\"".to_owned()),
        ("x-http-method-override", "DELETE".to_owned()),
    ] {
        let request =
            api.request(Method::POST, SEND).header(name, value).body(r#"{"to":"12","template":"x"}"#);
        Answer::to(request).await.assert_refused(400, "invalid_phone", &json!({}), name);
        let odd = api.request(Method::GET, "/v1/me").header(name, bytes(b"\xff\x80 \xd9\x85"));
        assert_eq!(Answer::to(odd).await.status, 200, "{name}");
    }

    // Paths, ids and methods that there are not.
    let long = format!("/v1/{}", "x".repeat(20_000));
    for path in [
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v1/me/",
        "/v1//me",
        "/v1/ME",
        "/v1/me%00",
        "/v1/%00",
        "/v1/%ff%fe",
        "/v1/..%2fme",
        "/v1/me;x=1",
        "/v1/templates/not-a-uuid",
        "/v1/contacts/not-a-uuid",
        "/v1/contacts/00000000-0000-0000-0000-000000000000",
        "/v1/contacts/%00",
        "/v1/conversations/%d9%85",
        "/v1/conversations/'%20OR%201=1--/messages",
        long.as_str(),
    ] {
        api.get(path).await.assert_error(404, &path[..path.len().min(60)]);
    }
    for (path, methods, allow) in [
        ("/v1/me", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"], "GET"),
        ("/v1/templates", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"], "GET"),
        (SEND, ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "FETCH"], "POST"),
    ] {
        for method in methods {
            let answer = Answer::to(api.request(method.parse().unwrap(), path)).await;
            answer.assert_error(405, &format!("{method} {path}"));
            assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
        }
    }

    // Queries.
    for (query, field) in [
        ("status=Approved", "status"),
        ("status=", "status"),
        ("status=approved&status=paused", "status"),
        ("status=%00", "status"),
        ("status=%ff", "status"),
        ("category=utility", "category"),
        ("category=UTILITY%20", "category"),
        ("category=SALES", "category"),
    ] {
        let answer = api.get(&format!("/v1/templates?{query}")).await;
        answer.assert_error(400, query);
        assert!(answer.text("/message").contains(field), "{query}: {:?}", answer.body);
    }
    for query in [
        "unknown=1",
        "limit=99999",
        "Status=approved",
        "&&&=",
        "status[]=x",
        "%ff=%fe",
        "status=approved&x=%00",
    ] {
        let answer = api.get(&format!("/v1/templates?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {:?}", answer.body);
    }
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn what_is_no_http_ends_its_own_connection_only() {
    let world = World::new().await;
    let untouched = Untouched::of(&world).await;
    let crowd = "X-Many: 1\r\n".repeat(500) + "\r\n";
    let huge = format!("X-Huge: {}\r\n\r\n", "x".repeat(300_000));
    for rest in [
        crowd.as_bytes(),
        huge.as_bytes(),
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"to\"\r\nzz\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        b"no header\r\n\r\n",
        b"X-\x00: 1\r\n\r\n",
        b"Idempotency-Key: a\x00b\r\nContent-Length: 2\r\n\r\n{}",
    ] {
        let answer = raw(&world, "POST", SEND, rest).await;
        let about = String::from_utf8_lossy(&rest[..rest.len().min(60)]);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{about}: {answer}");
    }
    let answer = raw(&world, "NONSENSE \x01", "no path", b"\r\n").await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(world.api().get("/v1/me").await.status, 200);
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn the_widest_values_that_are_allowed_are_sent() {
    let world = World::new().await;
    let api = world.api();
    let widest: Vec<Value> = vec![
        json!({ "to": "07701234567", "template": "store_hours", "name": "ن".repeat(200), "reference": "ر".repeat(128) }),
        json!({ "to": "07701234567", "template": "store_hours", "name": null, "language": null, "from": null,
                "variables": null, "code": null, "header": null, "buttonVariables": null, "reference": null }),
        json!({ "to": "07701234567", "template": "store_hours", "variables": [], "header": {}, "buttonVariables": [] }),
        json!({ "to": "07701234567", "template": "store_hours", "variables": {} }),
        json!({ "to": "07701234567", "template": "order_ready", "variables": ["😀 \u{202e}{{2}}", "'; --\\ \"\u{7f}"] }),
        json!({ "to": "07701234567", "template": "login_code", "code": "abc-XYZ-0123456" }),
    ];
    for body in &widest {
        let answer = api.send(body).await;
        assert_eq!(answer.status, 201, "{body}: {:?}", answer.body);
        assert_eq!(answer.body["reference"], body["reference"], "{body}");
    }
    assert_eq!(world.simulator.messages().len(), widest.len());
}

/// Writes a request as it is, and reads the first line of the answer; empty when there is none.
async fn raw(world: &World, method: &str, path: &str, rest: &[u8]) -> String {
    let address = world.service.base_url().trim_start_matches("http://");
    let mut connection = TcpStream::connect(address).await.unwrap();
    let key = &world.key;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n"
    );
    // A server that has heard enough may close while we are still talking.
    let _ = connection.write_all(&[head.as_bytes(), rest].concat()).await;
    let mut line = String::new();
    let _ = BufReader::new(connection).read_line(&mut line).await;
    line
}
