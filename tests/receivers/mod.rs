//! The receivers of `docs/use/webhooks.md`, each run on a delivery that the service made.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use actix_web::{App, HttpServer, web};
use serde_json::json;

use crate::support::{Delivery, World, is_here, local_client, program};

mod guide;
mod spoilt;

const GUIDE: &str = include_str!("../../docs/use/webhooks.md");
const PYTHON: &str = include_str!("../../docs/use/receivers/receiver.py");
const NODE: &str = include_str!("../../docs/use/receivers/receiver.mjs");
const SHELL: &str = include_str!("../../docs/use/receivers/verify.sh");
const PATIENCE: Duration = Duration::from_secs(30);

/// The guide's receiver in Rust.
#[expect(
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a customer's program reads its clock and prints"
)]
#[path = "../../docs/use/receivers/receiver.rs"]
mod rust_receiver;

/// A delivery of the service with a body that is not plain ASCII, and the secret that signed it.
async fn delivery() -> (Delivery, String) {
    let world = World::new().await;
    let notice = json!({
        "to": "07701234567", "name": "سارة", "template": "order_ready", "variables": ["سارة", "A-1042"],
    });
    let answer = world.api().send(&notice).await;
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let delivery = world.receiver.next_of("message.sent").await;
    (delivery, world.webhook_secret.clone())
}

/// A receiver as a process of its own.
struct Running {
    child: Child,
    port: u16,
    lines: mpsc::Receiver<String>,
}

impl Running {
    fn start(program: &str, file: &Path, secret: &str) -> Self {
        let mut child = Command::new(program)
            .arg(file)
            .env("WEBHOOK_SECRET", secret)
            .env("PORT", "0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut running = Self { child, port: 0, lines };
        running.port = running.line().trim_start_matches("listening on ").parse().unwrap();
        running
    }

    fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the receiver prints")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Posts what is genuine, twice, then everything that must be refused.
async fn accepts_only_what_is_genuine(port: u16, delivery: &Delivery) {
    let client = local_client().build().unwrap();
    let call = async |header: Option<&str>, body: Vec<u8>| {
        let mut request = client.post(format!("http://127.0.0.1:{port}/")).body(body);
        if let Some(header) = header {
            request = request.header("X-Service-Signature", header);
        }
        request.send().await.unwrap().status().as_u16()
    };
    let (header, raw) = (delivery.header("x-service-signature"), delivery.raw.clone());
    assert_eq!(call(Some(header), raw.clone()).await, 204);
    assert_eq!(call(Some(header), raw.clone()).await, 204, "a repeat is acknowledged, too");
    for two in rotating(header) {
        assert_eq!(call(Some(&two), raw.clone()).await, 204, "while a rotation overlaps: {two}");
    }
    let printed_again = serde_json::to_vec_pretty(&delivery.body).unwrap();
    assert_eq!(call(Some(header), printed_again).await, 401);
    assert_eq!(call(None, raw.clone()).await, 401);
    for wrong in [old(header), "t=,v1=".to_owned(), "nonsense".to_owned(), header.replace("v1=", "v2=")] {
        assert_eq!(call(Some(&wrong), raw.clone()).await, 401, "{wrong}");
    }
}

/// The header as it is while a rotation overlaps, seen by a receiver with the old secret and by one with the
/// new.
fn rotating(header: &str) -> [String; 2] {
    let (t, v1) = header.split_once(',').unwrap();
    let other = format!("v1={}", "0".repeat(64));
    [format!("{t},{other},{v1}"), format!("{t},{v1},{other}")]
}

/// The header with a time that the HMAC does not vouch for.
fn old(header: &str) -> String {
    let (_, rest) = header.split_once(',').unwrap();
    format!("t={},{rest}", signed_at(header) - 301)
}

/// When it was signed, in unix seconds.
fn signed_at(header: &str) -> u64 {
    header.split(['=', ',']).nth(1).unwrap().parse().unwrap()
}

async fn program_is_a_receiver(program: &str, name: &str, source: &str) {
    if !is_here(program, "--version", "the receiver for it") {
        return;
    }
    let (delivery, secret) = delivery().await;
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), name, source.as_bytes());
    let mut running = Running::start(program, &file, &secret);
    accepts_only_what_is_genuine(running.port, &delivery).await;
    assert_eq!(running.line(), format!("message.sent {}", delivery.text("/id")));
    let repeated = running.lines.try_recv();
    assert!(repeated.is_err(), "a repeat was worked on again: {repeated:?}");
    spoilt::is_survived(running.port, &secret, signed_at(delivery.header("x-service-signature"))).await;
    assert_eq!(running.line(), "ping 0192f0c1-7a00-7000-8000-00000000000b");
    assert!(running.is_alive());
}

fn written(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[tokio::test]
async fn the_receiver_in_python_takes_a_real_delivery() {
    program_is_a_receiver("python3", "receiver.py", PYTHON).await;
}

#[tokio::test]
async fn the_receiver_in_typescript_takes_a_real_delivery() {
    program_is_a_receiver("node", "receiver.mjs", NODE).await;
}

#[actix_web::test]
async fn the_receiver_in_rust_takes_a_real_delivery() {
    let (delivery, secret) = delivery().await;
    let seen = std::sync::Mutex::default();
    let webhooks = web::Data::new(rust_receiver::Webhooks { secret: secret.clone(), seen });
    let kept = webhooks.clone();
    let server = HttpServer::new(move || {
        App::new().app_data(webhooks.clone()).default_service(web::post().to(rust_receiver::receive))
    });
    let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let port = server.addrs()[0].port();
    let server = server.run();
    let handle = server.handle();
    let serving = tokio::spawn(server);
    accepts_only_what_is_genuine(port, &delivery).await;
    assert_eq!(kept.seen.lock().unwrap().len(), 1);
    spoilt::is_survived(port, &secret, signed_at(delivery.header("x-service-signature"))).await;
    assert_eq!(kept.seen.lock().unwrap().len(), 2);
    handle.stop(false).await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_shell_script_knows_a_real_delivery() {
    if !is_here("openssl", "version", "the receiver for it") {
        return;
    }
    let (delivery, secret) = delivery().await;
    let folder = tempfile::tempdir().unwrap();
    let script = written(folder.path(), "verify.sh", SHELL.as_bytes());
    let body = written(folder.path(), "body.json", &delivery.raw);
    let verify = |secret: &str, header: &str, body: &Path| {
        Command::new("sh").arg(&script).args([secret, header]).arg(body).output().unwrap().status.success()
    };
    let header = delivery.header("x-service-signature");
    assert!(rotating(header).iter().all(|two| verify(&secret, two, &body)));
    assert!(verify(&secret, header, &body));
    assert!(!verify("whsec_another", header, &body));
    assert!(!verify(&secret, &old(header), &body));
    let printed_again = serde_json::to_vec_pretty(&delivery.body).unwrap();
    assert!(!verify(&secret, header, &written(folder.path(), "other.json", &printed_again)));
    let cut = &delivery.raw[..delivery.raw.len() / 2];
    assert!(!verify(&secret, header, &written(folder.path(), "cut.json", cut)));
    assert!(!verify(&secret, header, &folder.path().join("no-such-file")));
    for wrong in spoilt::wrong_times(&secret, signed_at(header), &delivery.raw) {
        assert!(!verify(&secret, &wrong, &body), "{wrong}");
    }
    let mut without_openssl = Command::new("sh");
    without_openssl.env("PATH", spoilt::a_broken_openssl(folder.path()));
    let output = without_openssl.arg(&script).args([&secret, header]).arg(&body).output().unwrap();
    assert!(!output.status.success(), "what could not be checked is not genuine");
}

/// Runs `webhook verify`; returns whether the signature is right, and the output.
fn said_of(secret: &str, header: &str, body: &[&str], input: &[u8]) -> (bool, String) {
    let mut child = program()
        .args(["webhook", "verify", "--secret", secret, "--header", header, "--body"])
        .args(body)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that does not read its input may have ended before all of it is written.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[tokio::test]
async fn the_program_verifies_a_real_delivery_and_says_why_one_does_not_hold() {
    let (delivery, secret) = delivery().await;
    let folder = tempfile::tempdir().unwrap();
    let header = delivery.header("x-service-signature");
    let file = written(folder.path(), "body.json", &delivery.raw);
    let (file, text) = (file.to_str().unwrap(), String::from_utf8(delivery.raw.clone()).unwrap());
    let holds = (true, "the signature holds\n".to_owned());
    assert_eq!(said_of(&secret, header, &[file], b""), holds);
    assert_eq!(said_of(&secret, header, &[&text], b""), holds);
    assert_eq!(said_of(&secret, header, &["-"], &delivery.raw), holds);
    assert_eq!(said_of("-", header, &[file], format!("{secret}\n").as_bytes()), holds);

    let refused = |said: (bool, String), words: &[&str]| {
        assert!(!said.0 && said.1.starts_with("the signature does not hold:\n- "), "{said:?}");
        assert_eq!(said.1.lines().count(), 1 + words.len(), "{said:?}");
        assert!(words.iter().all(|words| said.1.contains(words)), "{said:?}");
        assert!(!said.1.contains(&secret), "{said:?}");
    };
    let other = "whsec_".to_owned() + &"0".repeat(64);
    refused(said_of(&other, header, &[file], b""), &["not the address's current secret"]);
    let mut sorted = delivery.body.clone();
    sorted.sort_all_objects();
    let printed_again = serde_json::to_string_pretty(&sorted).unwrap();
    refused(said_of(&secret, header, &[&printed_again], b""), &["in another order"]);
    let spaced = text.replace("\":", "\": ");
    refused(said_of(&secret, header, &[&spaced], b""), &["parsed and printed again, with other spacing"]);
    refused(
        said_of(&secret, header, &["-"], &[&delivery.raw[..], b"\n"].concat()),
        &["white space was added"],
    );
    let t: i64 = header.split(['=', ',']).nth(1).unwrap().parse().unwrap();
    let later = (t + 400).to_string();
    refused(said_of(&secret, header, &[file, "--at", &later], b""), &["it was signed 400 s before"]);
    refused(said_of(&secret, "", &[file], b""), &["the header is empty"]);
}

#[test]
fn a_body_that_is_nowhere_is_complained_of() {
    for (secret, body, words, code) in
        [("whsec_00", "no-such-file", "neither JSON nor a file", 2), ("-", "-", "not both", 2)]
    {
        let mut command = program();
        command.args(["webhook", "verify", "--secret", secret, "--header", "t=1,v1=00", "--body", body]);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
        assert_eq!((output.status.code(), output.stdout), (Some(code), Vec::new()));
    }
}

#[test]
fn the_guide_names_every_receiver() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/receivers");
    let mut receivers = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(GUIDE.contains(&format!("(receivers/{name})")), "{name}");
        receivers += 1;
    }
    assert_eq!(receivers, 4);
}

#[test]
fn the_published_vector_holds() {
    let cell = |name: &str| {
        let row = GUIDE.lines().find(|line| line.starts_with(&format!("| {name} | `"))).expect("the row");
        row.split('`').nth(1).expect("a value")
    };
    let (secret, body, header) = (cell("secret"), cell("body"), cell("header"));
    let verified = |now| rust_receiver::verified(secret, header, body.as_bytes(), now);
    assert_eq!(said_of(secret, header, &[body, "--at", "1795219500"], b"").1, "the signature holds\n");
    assert!(verified(1_795_219_200) && verified(1_795_219_500));
    assert!(!verified(1_795_219_501) && !verified(1_795_218_899));
}
