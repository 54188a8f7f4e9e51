//! Bodies that are wrong: the error body, never a 5xx, and nothing written.

use futures_util::stream;
use reqwest::{Body, Method};
use serde_json::{Value, json};

use crate::support::{Answer, Api, Untouched, World};

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
        r#"{"to":"07701234567","template":"new_season","variables":["Sara"],"header":{"link":"@"}}"#,
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

/// Bodies that are no JSON, no object, or not the object that a send is; and what the refusal says.
fn malformed() -> Vec<(Vec<u8>, &'static str)> {
    let deep = |depth: usize| format!(r#"{{"to":{}1{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let deep_objects = format!("{}1{}", r#"{"to":"#.repeat(10_000), "}".repeat(10_000));
    let fixed: &[(&[u8], &str)] = &[
        (b"", "JSON"),
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
        (br#"{"to":"1","template":"a","header":{"location":{"latitude":1}}}"#, "longitude"),
        (br#"{"to":"1","template":"a","header":{"location":{"latitude":"1","longitude":1}}}"#, "latitude"),
        (br#"{"to":"1","template":"a","header":{"location":{"latitude":91,"longitude":1}}}"#, "latitude"),
        (
            br#"{"to":"1","template":"a","header":{"location":{"latitude":1,"longitude":-180.1}}}"#,
            "longitude",
        ),
        (
            br#"{"to":"1","template":"a","header":{"location":{"latitude":1,"longitude":1,"city":"x"}}}"#,
            "city",
        ),
        (br#"{"to":"1","template":"a","variables":{"1":{"2":"x"}}}"#, "variables.1"),
        (br#"{"to":"1","template":"a","variables":[["x"]]}"#, "variables[0]"),
        (br#"{"to":"1","template":"a","variables":[null]}"#, "variables[0]"),
        (br#"{"to":"1","template":"a","variables":[1.5e300]}"#, "variables[0]"),
        (br#"{"to":"1","template":"a","buttonVariables":["x",false]}"#, "buttonVariables[1]"),
        (br#"{"to":"1","template":"a","buttonVariables":{"0":"x"}}"#, "buttonVariables"),
    ];
    let large = [
        (deep(10_000), "JSON"),
        (deep(100), "to"),
        (deep_objects, "JSON"),
        ("[".repeat(MIB / 2), "JSON"),
        (format!(r#"{{"to":{}}}"#, "9".repeat(100_000)), "to"),
        (format!(r#"{{"to":-0.{}}}"#, "1".repeat(100_000)), "to"),
        (format!(r#"{{"{}":1}}"#, "n".repeat(MIB / 2)), "nnnn"),
    ];
    let fixed = fixed.iter().map(|(body, wanted)| (body.to_vec(), *wanted));
    fixed.chain(large.map(|(body, wanted)| (body.into_bytes(), wanted))).collect()
}

#[tokio::test]
async fn a_body_that_is_wrong_is_refused_by_the_name_of_its_field() {
    let world = World::new().await;
    let (api, untouched) = (world.api(), Untouched::of(&world).await);

    for (body, wanted) in malformed() {
        assert_bad(&api, &body, wanted).await;
    }

    // Wrong types, for every field that takes a text.
    for (field, body) in TEXTS {
        for wrong in
            ["7", "-0.5", "1e400", "true", "[]", "{}", r#"["a"]"#, r#"{"a":"b"}"#, "99999999999999999999999"]
        {
            let wrong = body.replace("\"@\"", wrong);
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
    // Compressed or not makes no difference: a body is read as it comes.
    let packed = api.request(Method::POST, SEND).header("Content-Encoding", "gzip").body("\x1f\u{8b}");
    Answer::to(packed).await.assert_error(400, "packed");
    untouched.assert_still(&world).await;
}

#[tokio::test]
async fn the_widest_values_that_are_allowed_are_sent() {
    let world = World::new().await;
    let api = world.api();
    let widest: Vec<Value> = vec![
        json!({ "to": "07701234567", "template": "store_hours", "name": "ن".repeat(200), "reference": "ر".repeat(128) }),
        // An empty name is none.
        json!({ "to": "07701234567", "template": "store_hours", "name": "  " }),
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
