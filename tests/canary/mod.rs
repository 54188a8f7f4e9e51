//! A one-time code and a number that must be nowhere: not in the database, not in the log at its finest, not
//! in the metrics, not in what an operator is shown, neither in clear nor in base64 or hexadecimal digits.

mod turns;

use std::process::Command;

use data_encoding::{BASE64, BASE64URL, HEXLOWER, HEXUPPER};
use memchr::memmem;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, CODES_NUMBER, PASSWORD, Rows, SHOP, World, command, eventually};

const CODE: &str = "K9Z-4417-QX";
/// What every spelling of the marked number holds.
const NUMBER: &str = "7715908263";
/// The number as its owner writes it, in three ways.
const SPELLINGS: [&str; 3] = ["٠٧٧١ ٥٩٠ ٨٢٦٣", "+964 (771) 590-8263", "00964 771 590 8263"];
/// An ordinary notice's recipient, who may be found.
const ORDINARY: &str = "7701234567";

/// Something to look for, in every form it could take.
struct Needles(Vec<(String, Vec<u8>)>);

impl Needles {
    /// Returns the forms of `secret`: as it is, and inside of base64 and of hexadecimal digits.
    fn of(secret: &str) -> Self {
        let mut forms = vec![
            ("clear".to_owned(), secret.to_owned()),
            ("hex".to_owned(), HEXLOWER.encode(secret.as_bytes())),
            ("HEX".to_owned(), HEXUPPER.encode(secret.as_bytes())),
        ];
        for (alphabet, engine) in [("base64", BASE64), ("base64url", BASE64URL)] {
            for before in 0..3 {
                let text = engine.encode(&[vec![0; before], secret.as_bytes().to_vec()].concat());
                // What the neighbours' bits reach into is left out: at the start, and before any padding.
                let inner = (before * 8).div_ceil(6)..(before + secret.len()) * 8 / 6;
                let inner = text.get(inner).unwrap().to_owned();
                forms.push((format!("{alphabet} at {before}"), inner.clone()));
                forms.push((format!("hex of {alphabet} at {before}"), HEXLOWER.encode(inner.as_bytes())));
            }
        }
        Self(forms.into_iter().map(|(form, text)| (form, text.into_bytes())).collect())
    }

    /// Returns the same for a number, also as people write it.
    fn of_number(digits: &str, spellings: &[&str]) -> Self {
        let mut needles = Self::of(digits);
        let arabic = |digit: char| char::from_u32(u32::from(digit) + 0x0660 - 0x30).unwrap();
        needles.0.push(("Arabic-Indic".to_owned(), digits.chars().map(arabic).collect::<String>().into()));
        for spelling in spellings {
            needles.0.push(("as written".to_owned(), spelling.as_bytes().to_vec()));
        }
        needles
    }

    /// The forms that are in `hay`.
    fn found_in(&self, hay: &[u8]) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(_, needle)| memmem::find(hay, needle).is_some())
            .map(|(form, _)| form.as_str())
            .collect()
    }
}

#[test]
fn the_search_finds_a_number_wherever_it_is_hidden() {
    let needles = Needles::of_number(NUMBER, &SPELLINGS);
    for before in 0..3 {
        for after in 0..3 {
            let text = format!("{}964{NUMBER}{}", "x".repeat(before), "y".repeat(after));
            for hidden in [
                text.clone(),
                BASE64.encode(text.as_bytes()),
                BASE64URL.encode(text.as_bytes()).replace('=', ""),
                HEXLOWER.encode(text.as_bytes()),
                HEXUPPER.encode(text.as_bytes()),
                HEXLOWER.encode(BASE64.encode(text.as_bytes()).as_bytes()),
                format!("wamid.{}", BASE64.encode(format!("\x1d\x18\x0d{text}\x15\x02\0").as_bytes())),
            ] {
                assert!(
                    !needles.found_in(format!("before {hidden} after").as_bytes()).is_empty(),
                    "{hidden}"
                );
            }
        }
    }
    for spelling in SPELLINGS {
        assert!(!needles.found_in(format!("to: {spelling}").as_bytes()).is_empty());
    }
    assert_eq!(
        needles.found_in(format!("wamid.{} 771-590", BASE64.encode(b"9647701234567")).as_bytes()),
        [""; 0]
    );
}

#[tokio::test]
async fn a_one_time_code_and_its_number_are_nowhere() {
    let world = World::logging("trace").await;
    let sent = send_everything(&world).await;
    let rows = world.rows().await;
    world.simulator.settled().await;
    eventually("nothing left to do", async || {
        let open = rows.count("journal").await + rows.count("delivery_queue").await;
        (open == 0).then_some(())
    })
    .await;
    assert_eq!(sent.iter().filter(|answer| answer.status == 201).count(), 7);

    let mut hays = dump(&rows).await;
    hays.extend(pg_dump(&world.secrets.database_url));
    hays.push(("the log".to_owned(), world.service.log().join("\n").into_bytes()));
    hays.push(("the metrics".to_owned(), metrics(&world).await.into_bytes()));
    for listing in [["number", "list"], ["template", "list"]] {
        let said = world.operator(&[&listing[..], &[&world.workspace]].concat());
        hays.push((format!("{listing:?}"), said.into_bytes()));
    }

    for (name, needles) in
        [("the code", Needles::of(CODE)), ("the number", Needles::of_number(NUMBER, &SPELLINGS))]
    {
        for (place, hay) in &hays {
            let found = needles.found_in(hay);
            assert!(found.is_empty(), "{name} is in {place}: {found:?}");
        }
    }

    // The same search of the same hay finds what may be found.
    let ordinary = Needles::of_number(ORDINARY, &[]);
    let places = hays.iter().filter(|(_, hay)| !ordinary.found_in(hay).is_empty());
    let places: Vec<&str> = places.map(|(place, _)| place.as_str()).collect();
    assert!(places.contains(&"table contacts"), "{places:?}");
    // Though not in the log, which names nobody.
    let database = |place: &&str| place.starts_with("table ") || *place == "pg_dump";
    assert!(places.iter().all(database), "{places:?}");
    let lines = world.service.log();
    assert!(lines.iter().any(|line| line.contains("\"TRACE\"")), "the log is not at its finest");
}

#[tokio::test]
async fn what_is_made_or_given_at_the_dashboard_is_nowhere_in_clear() {
    let world = World::new().await;
    let (base_url, workspace) = (world.service.base_url(), &world.workspace);
    let owner = Browser::joined(base_url, &world.secrets, workspace, "owner@palm.example", "owner").await;
    let made = async |path: &str, body: Value| {
        let made = owner.post(path, &body).await;
        assert!([200, 201].contains(&made.status), "{path}: {made:?}");
        made
    };
    let token = "token-of-the-demo";
    made("/accounts", json!({ "networkId": SHOP, "token": token })).await;
    made("/pages", json!({ "token": token })).await;
    let url = world.receiver.url();
    let webhook = made("/webhooks", json!({ "url": url, "events": ["message.sent"] })).await;
    let rotate = format!("/webhooks/{}/rotate", webhook.text("/id"));
    let rotated = made(&rotate, json!({ "overlapMinutes": 60 })).await;
    let key = made("/api-keys", json!({ "label": "shop", "scopes": ["contacts:read"] })).await;
    let factor = made("/me/second-factor", json!({ "password": PASSWORD })).await;
    let cookie = owner.cookie.clone().unwrap();

    let mut hays = dump(&world.rows().await).await;
    // And again when another master key has sealed it.
    let (old_key, new_key) = (&world.secrets.master_key, "6b".repeat(32));
    let mut reseal = command(&world.secrets);
    reseal.env("MESSAGING_MASTER_KEY", &new_key).env("MESSAGING_PREVIOUS_MASTER_KEYS", old_key);
    let resealed = reseal.args(["master-key", "reseal"]).output().unwrap();
    assert!(resealed.status.success(), "{resealed:?}");
    let hash_key = world.operator(&["master-key", "hash-key"]);
    hays.push(("what sealing anew says".to_owned(), resealed.stdout));
    hays.extend(dump(&world.rows().await).await);
    hays.extend(pg_dump(&world.secrets.database_url));
    hays.push(("the log".to_owned(), world.service.log().join("\n").into_bytes()));
    let log = owner.get("/audit?limit=100").await.body.to_string();
    hays.push(("the log of changes".to_owned(), log.into_bytes()));
    for (name, secret) in [
        ("a network's token", token),
        ("a webhook's secret", webhook.text("/secret")),
        ("its next one", rotated.text("/secret")),
        ("an API key", key.text("/key")),
        ("a second factor", factor.text("/secret")),
        ("a session", cookie.split_once('=').unwrap().1),
        ("a password", PASSWORD),
        ("a master key", old_key),
        ("the next one", &new_key),
        ("the key of hashes", hash_key.trim()),
    ] {
        assert!(secret.len() > 10, "{name}: {secret}");
        // The whole text, or behind the prefix that tells what it is.
        let needles = Needles::of(secret.rsplit('_').next().unwrap());
        for (place, hay) in &hays {
            let found = needles.found_in(hay);
            assert!(found.is_empty(), "{name} is in {place}: {found:?}");
        }
    }
}

/// One-time codes and a notice of a send-only number, in every way that they can end; one ordinary notice.
async fn send_everything(world: &World) -> Vec<Answer> {
    let api = world.api();
    let code = |to: &str, reference: &str| json!({ "to": to, "template": "login_code", "code": CODE, "name": "سارة", "reference": reference });
    let quiet = json!({
        "to": SPELLINGS[0], "template": "order_ready", "variables": [SPELLINGS[0], CODE], "from": CODES_NUMBER,
        "language": "ar",
    });
    let faults = async |faults: Value| world.simulator.set_faults(&faults).unwrap();
    let mut answers = Vec::new();

    for (key, spelling) in SPELLINGS.iter().enumerate() {
        answers.push(api.send_once(&format!("login {key}"), &code(spelling, "seen")).await);
    }
    let replay = api.send_once("login 0", &code(SPELLINGS[0], "seen")).await;
    assert_eq!(replay.header("idempotency-replayed"), Some("true"));
    assert!(replay.text("/to").ends_with(NUMBER));
    answers.push(api.send(&quiet).await);
    // A key may be made of anything.
    answers
        .push(api.send_once(&format!("{CODE} {NUMBER} {}", SPELLINGS[0]), &code(SPELLINGS[1], "key")).await);
    world.receiver.next_of("message.read").await;

    // It fails later, in words that hold the number.
    let words = |number: &str| format!("+964 {number} cannot be reached (0{number}, 964{number})");
    let details = words(NUMBER);
    faults(
        json!([{ "kind": "error", "code": 131_026, "async": true, "title": details, "details": details }]),
    )
    .await;
    answers.push(api.send(&code(SPELLINGS[2], "fails")).await);
    let failed = world.receiver.next_of("message.failed").await;
    assert!(!failed.text("/data/error/message").contains(NUMBER), "{:?}", failed.body);
    let network_id = world.simulator.messages().last().unwrap()["id"].clone();
    for status in ["failed", "read"] {
        let again =
            json!({ "messageId": network_id, "status": status, "errors": [{ "code": 1, "title": details }] });
        world.control(Method::POST, "statuses", &again).await;
    }

    // It is refused at once, in such words.
    faults(json!([{ "kind": "error", "code": 131_026, "title": details, "details": details }])).await;
    assert_eq!(api.send_once("refused", &code(SPELLINGS[0], "refused")).await.status, 422);
    assert_eq!(api.send(&quiet).await.status, 422);
    // Nobody knows; later a status tells.
    faults(json!([{ "kind": "cut_after_accept" }, { "kind": "drop_statuses" }])).await;
    assert_eq!(api.send_once("unknown", &code(SPELLINGS[1], "unknown")).await.status, 504);
    let network_id = world.simulator.messages().last().unwrap()["id"].clone();
    let status = json!({ "messageId": network_id, "status": "delivered" });
    world.control(Method::POST, "statuses", &status).await;
    faults(json!([{ "kind": "server_error_html", "accept": true }])).await;
    assert_eq!(api.send(&quiet).await.status, 504);
    faults(json!([{ "kind": "garbled_answer" }])).await;
    assert_eq!(api.send(&code(SPELLINGS[0], "garbled")).await.status, 504);
    // It cannot be sent at all, or is no request.
    faults(json!([{ "kind": "throttle", "times": 9 }])).await;
    assert_eq!(api.send(&code(SPELLINGS[0], "throttled")).await.status, 503);
    faults(json!([])).await;
    let wrong = json!({ "to": SPELLINGS[0], "template": "login_code", "code": format!("{CODE}-{NUMBER}") });
    assert_eq!(api.send(&wrong).await.status, 400);
    let wrong = json!({ "to": SPELLINGS[0], "template": "login_code", "code": CODE, NUMBER: CODE });
    assert_eq!(api.send(&wrong).await.status, 400);
    assert_eq!(api.get(&format!("/v1/messages/{NUMBER}?code={CODE}")).await.status, 400);
    assert_eq!(api.get(&format!("/v1/messages/{NUMBER}")).await.status, 404);
    // The person answers the send-only number.
    let written = json!({
        "phoneNumberId": "106540352242933", "from": format!("+964{NUMBER}"), "name": NUMBER,
        "message": { "type": "text", "text": { "body": CODE } },
    });
    world.control(Method::POST, "inbound", &written).await;

    let ordinary = json!({
        "to": format!("0{ORDINARY}"), "template": "order_ready", "language": "ar", "variables": ["سارة", "A-1042"],
    });
    answers.push(api.send(&ordinary).await);
    answers
}

/// Every row of every table, with what is binary once in hexadecimal digits and once as it is.
async fn dump(rows: &Rows) -> Vec<(String, Vec<u8>)> {
    let tables = "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables
                  WHERE table_type = 'BASE TABLE'
                    AND table_schema NOT IN ('pg_catalog', 'information_schema')";
    let tables = rows.texts(tables).await;
    assert!(tables.iter().any(|table| table == "public.sends"), "{tables:?}");
    let mut dump = Vec::new();
    for output in ["hex", "escape"] {
        rows.change(&format!("SET bytea_output = {output}")).await;
        for table in &tables {
            let lines = rows.texts(&format!("SELECT t::text FROM {table} t")).await;
            let name = table.strip_prefix("public.").unwrap_or(table);
            dump.push((format!("table {name}"), lines.join("\n").into_bytes()));
        }
    }
    dump
}

/// What PostgreSQL's own program writes, where this machine has it.
fn pg_dump(database_url: &str) -> Option<(String, Vec<u8>)> {
    let dumped = Command::new("pg_dump").args(["--inserts", database_url]).output().ok()?;
    let said = String::from_utf8_lossy(&dumped.stderr);
    // Of an older release than the server it refuses to work; the dump above is complete without it.
    (dumped.status.success() || !said.contains("version mismatch")).then(|| {
        assert!(dumped.status.success(), "{said}");
        ("pg_dump".to_owned(), dumped.stdout)
    })
}

async fn metrics(world: &World) -> String {
    let metrics = crate::support::Api::new(world.service.admin_url(), "").bare(Method::GET, "/metrics");
    let metrics = metrics.send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("messaging_webhook_attempts_total"), "{metrics}");
    metrics
}
