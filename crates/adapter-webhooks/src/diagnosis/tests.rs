//! One delivery, spoilt in every way.

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};
use domain::webhooks::WebhookSecret;
use proptest::prelude::*;
use time::OffsetDateTime;

use super::{Diagnosis, Finding, Headers, Reprinted, diagnose};
use crate::signature;

const SECRET: &str = "whsec_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const BODY: &str = r#"{"id":"0192f0c1-7a00-7000-8000-000000000009","type":"message.sent","data":{"name":"سارة \"S\" <3","url":"https://palm.example/a"}}"#;
/// 2026-11-21 00:00 UTC.
const T: i64 = 1_795_219_200;

fn signed_with(secret: &str, t: &str) -> String {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    HEXLOWER.encode(ring::hmac::sign(&key, format!("{t}.{BODY}").as_bytes()).as_ref())
}

fn header() -> String {
    format!("t={T},v1={}", signed_with(SECRET, &T.to_string()))
}

fn of(secret: &str, header: &str, body: &[u8], at: i64) -> Diagnosis {
    let diagnosis = diagnose(secret, Headers::Service(header), body, at);
    let now = OffsetDateTime::from_unix_timestamp(at);
    if let Ok(now) = now {
        let verified = signature::verify(&WebhookSecret::from(secret.to_owned()), Some(header), body, now);
        assert_eq!(diagnosis.holds, verified.is_ok(), "{verified:?}: {diagnosis:?}");
    }
    assert_eq!(diagnosis.holds, diagnosis.reasons.is_empty());
    diagnosis
}

fn of_body(body: impl AsRef<[u8]>) -> Vec<Finding> {
    of(SECRET, &header(), body.as_ref(), T).reasons
}

fn of_header(header: &str) -> Vec<Finding> {
    of(SECRET, header, BODY.as_bytes(), T).reasons
}

fn of_secret(secret: &str) -> Vec<Finding> {
    of(secret, &header(), BODY.as_bytes(), T).reasons
}

#[test]
fn what_is_as_it_was_sent_holds() {
    assert_eq!(
        of(SECRET, &header(), BODY.as_bytes(), T),
        Diagnosis { holds: true, reasons: Vec::new(), notes: Vec::new() }
    );
    for at in [T - 300, T + 300] {
        assert!(of(SECRET, &header(), BODY.as_bytes(), at).holds, "{at}");
    }
}

#[test]
fn a_secret_is_known_however_it_was_pasted() {
    let digits = SECRET.strip_prefix("whsec_").unwrap();
    let table = [
        (format!("{SECRET}\n"), vec![Finding::SecretSpaces]),
        (format!(" {SECRET}"), vec![Finding::SecretSpaces]),
        (format!("\"{SECRET}\""), vec![Finding::SecretQuotes]),
        (format!("'{SECRET}'\r\n"), vec![Finding::SecretSpaces, Finding::SecretQuotes]),
        (format!("WEBHOOK_SECRET={SECRET}"), vec![Finding::SecretAssignment]),
        (digits.to_owned(), vec![Finding::SecretPrefix]),
        (format!("{digits} "), vec![Finding::SecretSpaces, Finding::SecretPrefix]),
        (format!("whsec_{}", digits.to_uppercase()), vec![Finding::SecretCapitals]),
    ];
    for (secret, reasons) in table {
        assert_eq!(of_secret(&secret), reasons, "{secret:?}");
    }
}

#[test]
fn another_secret_is_told_from_a_changed_body() {
    let other = SECRET.replace("1f", "1e");
    assert_eq!(of_secret(&other), [Finding::OtherSecret]);
    assert_eq!(of_secret(SECRET.trim_end_matches("1c1d1e1f")), [Finding::SecretForm]);
    assert_eq!(of_secret("msk_0001"), [Finding::SecretForm]);
    assert_eq!(of_secret(""), [Finding::SecretForm]);
    let changed = BODY.replace("message.sent", "message.read");
    assert_eq!(
        of_body(&changed),
        [Finding::OtherSecret],
        "it looks as it was sent: nothing better can be said"
    );
    let changed = BODY.replace("\"data\":", "\"data\": ").replace("sent", "read");
    assert_eq!(of_body(changed), [Finding::NoMatch]);
}

#[test]
fn a_body_that_was_printed_again_is_seen_through() {
    let spaced = |what| vec![Finding::BodyReprinted { what }];
    let python = r#"{"id": "0192f0c1-7a00-7000-8000-000000000009", "type": "message.sent", "data": {"name": "\u0633\u0627\u0631\u0629 \"S\" <3", "url": "https://palm.example/a"}}"#;
    assert_eq!(of_body(python), spaced(Reprinted::SpacedAndEscaped));
    let pretty = "{\n  \"id\": \"0192f0c1-7a00-7000-8000-000000000009\",\r\n\t\"type\": \"message.sent\",\n  \"data\": {\n    \"name\": \"سارة \\\"S\\\" <3\",\n    \"url\": \"https://palm.example/a\"\n  }\n}\n";
    assert_eq!(of_body(pretty), spaced(Reprinted::Spaced));
    let php = BODY.replace("https://palm.example/a", "https:\\/\\/palm.example\\/a");
    assert_eq!(of_body(php), spaced(Reprinted::Escaped));
    let go = BODY.replace('<', "\\u003c");
    assert_eq!(of_body(go), spaced(Reprinted::Escaped));
    let sorted = r#"{"data":{"name":"سارة \"S\" <3","url":"https://palm.example/a"},"id":"0192f0c1-7a00-7000-8000-000000000009","type":"message.sent"}"#;
    assert_eq!(of_body(sorted), [Finding::BodyReordered]);
}

#[test]
fn what_was_put_around_a_body_is_seen_through() {
    let latin: String = BODY.bytes().map(char::from).collect();
    let encoded = BASE64.encode(BODY.as_bytes());
    let string = format!("\"{}\"", BODY.replace('\\', "\\\\").replace('"', "\\\""));
    let table = [
        (format!("{BODY}\n"), vec![Finding::BodyEnds]),
        (format!(" {BODY}\r\n"), vec![Finding::BodyEnds]),
        (format!("\u{feff}{BODY}"), vec![Finding::BodyMark]),
        (string, vec![Finding::BodyInString]),
        (encoded.clone(), vec![Finding::BodyInBase64]),
        (format!("{encoded}\n"), vec![Finding::BodyEnds, Finding::BodyInBase64]),
        (latin, vec![Finding::BodyCharset]),
        (String::new(), vec![Finding::BodyEmpty]),
        (BODY.replace("سارة", "\u{fffd}\u{fffd}"), vec![Finding::BodyReplaced]),
    ];
    for (body, reasons) in table {
        assert_eq!(of_body(&body), reasons, "{body}");
    }
    assert_eq!(of_body([0xff, 0xfe, b'{']), [Finding::NoMatch]);
}

#[test]
fn a_header_says_what_is_wrong_with_its_form() {
    let v1 = signed_with(SECRET, &T.to_string());
    let table = [
        (String::new(), vec![Finding::HeaderEmpty]),
        (format!("X-Service-Signature: t={T},v1={v1}"), vec![Finding::HeaderName]),
        (format!("\"t={T},v1={v1}\""), vec![Finding::HeaderQuotes]),
        (format!("x-service-signature: 't={T},v1={v1}'"), vec![Finding::HeaderName, Finding::HeaderQuotes]),
        (format!("t={T};v1={v1}"), vec![Finding::HeaderSeparator]),
        (format!("t={T} v1={v1}"), vec![Finding::HeaderSeparator]),
        (format!("t = {T}, v1 = {v1}"), vec![Finding::HeaderSpaces]),
        (format!("T={T},V1={v1}"), vec![Finding::HeaderCapitals]),
        (format!("v1={v1}"), vec![Finding::NoTime]),
        (v1.clone(), vec![Finding::NoTag, Finding::NoTime]),
        (format!("t={T}"), vec![Finding::NoTag]),
        (format!("t={T},v2={v1}"), vec![Finding::NoTag]),
        (format!("t=noon,v1={v1}"), vec![Finding::TimeForm]),
        (format!("t={T},t={T},v1={v1}"), vec![Finding::SeveralTimes { count: 2 }]),
        (format!("t={},t={T},v1={v1}", T - 1), vec![Finding::SeveralTimes { count: 2 }]),
        (format!("t={T},v1={v1}0"), vec![Finding::TagForm { length: 65 }]),
        (format!("t={T},v1="), vec![Finding::TagForm { length: 0 }]),
        (format!("t={T}000,v1={v1}"), vec![Finding::TimeInMilliseconds]),
    ];
    for (header, reasons) in table {
        assert_eq!(of_header(&header), reasons, "{header}");
    }
    let base64 = BASE64.encode(&HEXLOWER_PERMISSIVE.decode(v1.as_bytes()).unwrap());
    assert_eq!(of_header(&format!("t={T},v1={base64}")), [Finding::TagInBase64]);
}

#[test]
fn what_a_receiver_need_not_mind_is_a_note() {
    let v1 = signed_with(SECRET, &T.to_string());
    let capitals = of(SECRET, &format!("t={T},v1={}", v1.to_uppercase()), BODY.as_bytes(), T);
    assert_eq!((capitals.holds, capitals.notes), (true, vec![Finding::TagInCapitals]));
    let later = of(SECRET, &format!("v0=old, t={T},v1={v1} ,v2=new"), BODY.as_bytes(), T);
    assert_eq!((later.holds, later.notes), (true, Vec::new()));
    let rotated = of(SECRET, &format!("t={T},v1={v1},v1={}", "0".repeat(64)), BODY.as_bytes(), T);
    assert_eq!((rotated.holds, rotated.notes), (true, vec![Finding::SeveralTags { count: 2 }]));
}

#[test]
fn a_clock_is_told_from_a_time_zone_and_from_a_unit() {
    let at = |at| of(SECRET, &header(), BODY.as_bytes(), at).reasons;
    let zone = |hours: &str| Finding::TimeZone { hours: hours.to_owned() };
    assert_eq!(at(T + 301), [Finding::TooOld { seconds: 301 }]);
    assert_eq!(at(T - 301), [Finding::TooNew { seconds: 301 }]);
    assert_eq!(at(T + 10_805), [Finding::TooOld { seconds: 10_805 }, zone("3")]);
    assert_eq!(at(T - 19_800), [Finding::TooNew { seconds: 19_800 }, zone("5.5")]);
    assert_eq!(at(T + 86_400), [Finding::TooOld { seconds: 86_400 }]);
    assert_eq!(at(T * 1_000 + 250), [Finding::ClockInMilliseconds]);
}

#[test]
fn several_faults_are_all_named() {
    let reasons = of(&format!("{SECRET}\n"), &header(), format!("{BODY}\n").as_bytes(), T + 400).reasons;
    assert_eq!(reasons, [Finding::SecretSpaces, Finding::BodyEnds, Finding::TooOld { seconds: 400 }]);
}

/// The example that the Standard Webhooks libraries are tested with.
#[test]
fn standard_headers_are_judged_by_their_own_rule() {
    const STANDARD: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    let body = br#"{"test": 2432232314}"#;
    let judge = |secret: &str, timestamp: &str, signature: &str, body: &[u8], at| {
        let headers = Headers::Standard { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp, signature };
        diagnose(secret, headers, body, at)
    };
    let t = 1_614_265_330;
    let of = |signature: &str| judge(STANDARD, "1614265330", signature, body, t);
    assert!(of(SIGNED).holds);
    let two = of(&format!("v1,{} {SIGNED} v1a,later", "A".repeat(43) + "="));
    assert_eq!((two.holds, two.notes), (true, vec![Finding::SeveralTags { count: 2 }]));
    assert_eq!(of("v1a,later").reasons.first(), Some(&Finding::StandardTag));
    assert_eq!(of(SIGNED.trim_start_matches("v1,")).reasons.first(), Some(&Finding::StandardTag));
    let reasons =
        |secret: &str, timestamp: &str, body: &[u8], at| judge(secret, timestamp, SIGNED, body, at).reasons;
    assert_eq!(reasons(STANDARD, "now", body, t).first(), Some(&Finding::StandardTime));
    assert_eq!(reasons(STANDARD, "1614265330", body, t + 400), [Finding::TooOld { seconds: 400 }]);
    assert_eq!(reasons(&format!("{STANDARD}\n"), "1614265330", body, t), [Finding::SecretSpaces]);
    let ended = [&body[..], b"\n"].concat();
    assert_eq!(reasons(STANDARD, "1614265330", &ended, t), [Finding::BodyEnds]);
    let id = Headers::Standard { id: "", timestamp: "1614265330", signature: SIGNED };
    assert!(diagnose(STANDARD, id, body, t).reasons.contains(&Finding::StandardId));
}

#[test]
fn no_header_of_the_corpus_holds() {
    for header in include_str!("../../../../tests/corpora/webhook-signatures.txt").lines() {
        assert!(!of(SECRET, header, BODY.as_bytes(), T).holds, "{header}");
    }
}

proptest! {
    #[test]
    fn no_header_body_or_secret_makes_the_judgement_panic(
        header in "(t=[0-9]{0,20}|v1=[0-9a-fA-F]{0,70}|,| |;){0,6}|.{0,60}",
        body in prop::collection::vec(any::<u8>(), 0..120), secret in ".{0,40}", at in any::<i64>(),
    ) {
        prop_assert!(!of(SECRET, &header, &body, at).holds);
        of(&secret, &header, &body, at);
        let standard = Headers::Standard { id: &secret, timestamp: &header, signature: &header };
        diagnose(&secret, standard, &body, at);
    }
}
