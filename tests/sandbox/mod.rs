//! `sandbox`: one command, and everything runs.

mod calls;
mod examples;
mod model;
mod phones;
mod sign_up;
mod system;
mod whole;

use std::{collections::HashSet, net::TcpListener, process::Stdio, time::Duration};

use adapter_postgres::testing::TestDatabase;
use adapter_webhooks::signature;
use domain::{clock::Clock, webhooks::WebhookSecret};
use graph_client::signature as network_signature;
use local_postgres::{Options, Postgres};
use reqwest::Method;
use serde_json::{Value, json};
use server::system::SystemClock;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};
use tokio_postgres::NoTls;

use crate::support::{Answer, Api, Receiver, Rows, SHOP_NUMBER, eventually, program};

/// Long enough for a busy machine; reached only by a test that fails.
const PATIENCE: Duration = Duration::from_secs(90);
const TO: &str = "٠٧٧٠ ١٢٣ ٤٥٦٧";

/// A running `sandbox --json`.
struct Sandbox {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
    ready: Value,
}

/// `sandbox` with these arguments, on the tests' server, or on one of its own.
fn command(database: Option<&TestDatabase>, arguments: &[&str]) -> Command {
    let mut command = Command::from(program());
    command.arg("sandbox").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    if let Some(database) = database {
        command.env("MESSAGING_DATABASE_URL", database.url());
    }
    command
}

impl Sandbox {
    async fn start(database: Option<&TestDatabase>, arguments: &[&str]) -> Self {
        let mut child = command(database, &[&["--json"], arguments].concat()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = timeout(PATIENCE, output.next_line()).await.expect("not ready in time").unwrap();
        let ready = serde_json::from_str(&line.expect("it ended")).unwrap();
        Self { child, output, ready }
    }

    fn text(&self, pointer: &str) -> &str {
        self.ready.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer}"))
    }

    fn api(&self) -> Api {
        Api::new(self.text("/baseUrl"), self.text("/apiKey"))
    }

    async fn get(&self, url: &str) -> (u16, String) {
        let answer = Api::new(url, "").bare(Method::GET, "").send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Sends it a signal; what else it printed, and its exit code.
    async fn end(mut self, signal: &str) -> (Vec<String>, Option<i32>) {
        let id = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
        let ended = timeout(PATIENCE, self.child.wait()).await.expect("it did not end").unwrap();
        let mut more = Vec::new();
        while let Some(line) = self.output.next_line().await.unwrap() {
            more.push(line);
        }
        (more, ended.code())
    }
}

#[tokio::test]
async fn json_is_one_line_that_a_script_can_work_with() {
    let (database, own) = (TestDatabase::fresh().await, Receiver::start().await);
    let sandbox = Sandbox::start(Some(&database), &["--webhook", own.url()]).await;
    let fields: HashSet<&str> = sandbox.ready.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = [
        "baseUrl",
        "adminUrl",
        "workspaceId",
        "apiKey",
        "keys",
        "numbers",
        "pages",
        "network",
        "webhooks",
        "system",
        "model",
        "databaseUrl",
        "dashboardUrl",
        "members",
        "configuration",
        "masterKey",
    ];
    assert_eq!(fields, HashSet::from(wanted));

    // Every key opens what its name says, and nothing else.
    let scopes = ["contacts:read", "contacts:write", "conversations:read", "messages:send"];
    let keys = sandbox.ready["keys"].as_object().unwrap();
    assert_eq!(keys.keys().map(String::as_str).collect::<HashSet<_>>(), HashSet::from(scopes));
    for (scope, key) in keys {
        let api = Api::new(sandbox.text("/baseUrl"), key.as_str().unwrap());
        for (path, opens) in [("/v1/me", "contacts:read"), ("/v1/templates", "messages:send")] {
            let wanted = if scope == opens { 200 } else { 403 };
            assert_eq!(api.get(path).await.status, wanted, "{scope}: {path}");
        }
    }
    let me = sandbox.api().get("/v1/me").await;
    assert_eq!(me.body["key"]["scopes"].as_array().map(Vec::len), Some(4), "{:?}", me.body);
    assert!(me.body.to_string().contains(sandbox.text("/workspaceId")), "{:?}", me.body);

    let pages = serde_json::json!([{ "pageId": "1234567890", "instagramId": "17841400000000001" }]);
    assert_eq!(sandbox.ready["pages"], pages);
    let numbers = sandbox.ready["numbers"].as_array().unwrap();
    let number = |number: &Value| {
        assert_eq!(number.as_object().unwrap().len(), 4, "{number}");
        let text = |name: &str| number[name].as_str().unwrap().to_owned();
        (text("phone"), text("phoneNumberId"), text("account"), number["sendOnly"].as_bool().unwrap())
    };
    let numbers: Vec<_> = numbers.iter().map(number).collect();
    let row = |phone: &str, id: &str, account: &str, send_only| {
        (phone.to_owned(), id.to_owned(), account.to_owned(), send_only)
    };
    assert_eq!(
        numbers,
        [
            row(SHOP_NUMBER, "106540352242922", "102290129340398", false),
            row("+9647700000002", "106540352242933", "102290129340398", true),
            row("+9647800000003", "106540352242944", "102290129340407", false),
        ]
    );

    // A send reaches the network and a receiver of one's own, signed with the secret that was printed.
    let webhooks = sandbox.ready["webhooks"].as_array().unwrap();
    assert_eq!(webhooks.len(), 2);
    assert_eq!(webhooks[1]["url"], own.url());
    let secret = WebhookSecret::from(webhooks[1]["secret"].as_str().unwrap().to_owned());
    let notice = json!({ "to": TO, "template": "order_ready", "variables": ["سارة", "A-1042"] });
    let sent = sandbox.api().send(&notice).await;
    assert_eq!(sent.status, 201, "{:?}", sent.body);
    let read = own.next_of("message.read").await;
    assert_eq!(read.text("/data/messageId"), sent.text("/id"));
    let header = Some(read.header("x-service-signature"));
    assert_eq!(signature::verify(&secret, header, &read.raw, SystemClock.now()), Ok(()));
    let simulator = Api::new(sandbox.text("/network/simulatorUrl"), "");
    let messages = simulator.get("/control/messages").await;
    // The other is the notice of the examples, which every sandbox begins with.
    assert_eq!(messages.body["data"].as_array().map(Vec::len), Some(2), "{:?}", messages.body);

    // A script can play the network.
    let (webhook, token) = (sandbox.text("/network/webhookUrl"), sandbox.text("/network/verifyToken"));
    let handshake = format!("{webhook}?hub.mode=subscribe&hub.challenge=42&hub.verify_token={token}");
    assert_eq!(sandbox.get(&handshake).await, (200, "42".to_owned()));
    let raw = json!({ "object": "whatsapp_business_account", "entry": [] }).to_string();
    let app_secret = sandbox.text("/network/appSecret").to_owned().into();
    let signature = network_signature::sign(&app_secret, raw.as_bytes());
    let posted =
        Api::new(webhook, "").bare(Method::POST, "").header("X-Hub-Signature-256", signature).body(raw);
    assert_eq!(Answer::to(posted).await.status, 200);

    // An operator can look in.
    let admin = sandbox.text("/adminUrl");
    for (path, said) in
        [("healthz", "alive"), ("readyz", "ready"), ("metrics", "messaging_webhook_attempts_total")]
    {
        let (status, body) = sandbox.get(&format!("{admin}/{path}")).await;
        assert!(status == 200 && body.contains(said), "{path}: {status} {body}");
    }
    let url = sandbox.text("/databaseUrl").to_owned();
    assert_eq!(Rows::of(&url).await.count("messages").await, 2);

    // And nothing is left of it.
    let (base, key) = (sandbox.text("/baseUrl").to_owned(), sandbox.text("/apiKey").to_owned());
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
    // Another sandbox may have taken the port by now; this one's key opens nothing there.
    let after = Api::new(&base, &key).request(Method::GET, "/v1/me").send().await;
    assert!(after.map_or(true, |answer| answer.status() == 401), "it still answers");
    let gone = tokio_postgres::connect(&url, NoTls).await.err().expect("its database is still there");
    assert!(
        gone.to_string().contains("does not exist") || format!("{gone:?}").contains("does not exist"),
        "{gone:?}"
    );
}

#[tokio::test]
async fn the_demo_workspace_has_templates_of_every_kind() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let answer = sandbox.api().get("/v1/templates").await;
    let templates = answer.body["data"].as_array().unwrap();
    let any = |what: &str, like: &dyn Fn(&Value) -> bool| {
        assert!(templates.iter().any(like), "no template {what}: {templates:?}");
    };
    for status in ["approved", "pending", "rejected", "paused"] {
        any(status, &|template| template["status"] == status);
    }
    for category in ["UTILITY", "AUTHENTICATION", "MARKETING"] {
        any(category, &|template| template["category"] == category);
    }
    for header in ["text", "image", "video", "document"] {
        any(header, &|template| template.to_string().to_lowercase().contains(&format!("\"{header}\"")));
    }
    let named = |name: &str| templates.iter().filter(|template| template["name"] == name).count();
    assert_eq!(named("order_ready"), 3, "two languages in one account, and the other account's");
    assert_eq!(sandbox.end("-INT").await, (Vec::new(), Some(0)));
}

#[tokio::test]
async fn two_sandboxes_run_side_by_side() {
    let database = TestDatabase::fresh().await;
    let (first, second) =
        tokio::join!(Sandbox::start(Some(&database), &[]), Sandbox::start(Some(&database), &[]));
    for pointer in ["/baseUrl", "/adminUrl", "/databaseUrl", "/apiKey", "/network/simulatorUrl"] {
        assert_ne!(first.text(pointer), second.text(pointer));
    }
    let foreign = Api::new(second.text("/baseUrl"), first.text("/apiKey"));
    assert_eq!(foreign.get("/v1/me").await.status, 401);
    let notice = json!({ "to": TO, "template": "store_hours" });
    assert_eq!(first.api().send(&notice).await.status, 201);
    assert_eq!(Rows::of(first.text("/databaseUrl")).await.count("sends").await, 2);
    assert_eq!(Rows::of(second.text("/databaseUrl")).await.count("sends").await, 1);
    assert_eq!(first.end("-INT").await, (Vec::new(), Some(0)));
    // The other one does not notice.
    assert_eq!(second.api().send(&notice).await.status, 201);
    assert_eq!(second.end("-TERM").await, (Vec::new(), Some(0)));
}

#[tokio::test]
async fn a_port_can_be_chosen_and_a_taken_one_is_said_in_one_line() {
    let database = TestDatabase::fresh().await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = command(Some(&database), &["--port", &port]).stderr(Stdio::piped()).output().await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len(), said.lines().count()), (Some(1), 0, 1), "{said}");
    assert!(said.contains(&format!("127.0.0.1:{port}")) && said.contains("in use"), "{said}");

    drop(taken);
    let sandbox = Sandbox::start(Some(&database), &["--port", &port]).await;
    assert_eq!(sandbox.text("/baseUrl"), format!("http://127.0.0.1:{port}"));
    assert_eq!(sandbox.end("-INT").await, (Vec::new(), Some(0)));
}

#[tokio::test]
async fn what_a_sandbox_cannot_work_with_is_said_in_one_line() {
    let database = TestDatabase::fresh().await;
    for (named, arguments, words) in [
        (database.url(), &["--webhook", "http://10.0.0.1/events"][..], "not on the public internet"),
        (
            database.url(),
            &["--system", "http://10.0.0.1", "--system-secret", "s"],
            "not on the public internet",
        ),
        (
            database.url(),
            &["--system", "shop.example", "--system-secret", "s"],
            "--system: the address must be",
        ),
        (database.url(), &["--system", "http://127.0.0.1:1/?a", "--system-secret", "s"], "a query"),
        (database.url(), &["--system", "http://127.0.0.1:1/#a", "--system-secret", "s"], "a fragment"),
        (database.url(), &["--system", "ftp://127.0.0.1:1", "--system-secret", "s"], "must use https"),
        (
            database.url(),
            &["--system", "http://127.0.0.1:1", "--system-secret", "hunter2\nx"],
            "a line break",
        ),
        (database.url(), &["--system", "http://127.0.0.1:1", "--system-secret", ""], "the secret is empty"),
        (database.url(), &["--system", "http://127.0.0.1:1", "--system-secret", "hunter2"], "the system at"),
        ("postgres://me:hunter2@127.0.0.1:1/x", &[], "database"),
        ("mysql://127.0.0.1/x", &[], "database"),
    ] {
        let mut command = command(None, arguments);
        let command = command.env("MESSAGING_DATABASE_URL", named).stderr(Stdio::piped());
        let output = timeout(PATIENCE, command.output()).await.expect("it waits").unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{arguments:?}: {said}");
        assert!(said.starts_with("messaging-service: ") && said.contains(words), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

/// The sandboxes' databases on a server.
async fn databases(server: &Rows) -> Vec<String> {
    server.texts("SELECT datname::text FROM pg_database WHERE datname LIKE 'sandbox%'").await
}

#[tokio::test]
async fn a_sandbox_that_never_came_to_run_leaves_no_database() {
    // A server of this test's own, so that every sandbox's database on it is this test's.
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new(folder.path().join("postgres"));
    let server = tokio::task::spawn_blocking(move || Postgres::open(None, &options)).await.unwrap().unwrap();
    let rows = Rows::of(&server.admin_url()).await;

    let refused = ["--webhook", "http://10.0.0.1/events"];
    let output = command(None, &refused).env("MESSAGING_DATABASE_URL", server.admin_url()).output().await;
    assert_eq!(output.unwrap().status.code(), Some(1));
    assert_eq!(databases(&rows).await, [""; 0]);

    // Asked to end while it is starting.
    let mut child =
        command(None, &["--json"]).env("MESSAGING_DATABASE_URL", server.admin_url()).spawn().unwrap();
    eventually("its database", async || databases(&rows).await.pop()).await;
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
    let ended = timeout(PATIENCE, child.wait()).await.expect("it did not end").unwrap();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(databases(&rows).await, [""; 0]);
}

#[tokio::test]
async fn the_demo_sends_shows_the_exchange_and_ends_well() {
    let chat = include_str!("chat.txt");
    let database = TestDatabase::fresh().await;
    // On the tests' server, and on one of its own.
    for database in [Some(&database), None] {
        let output = timeout(PATIENCE, command(database, &["--demo"]).stderr(Stdio::piped()).output());
        let output = output.await.expect("it did not end").unwrap();
        let (shown, said) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(0), "{shown}{said}");
        let chats = ["14,500", "29,000 د.ع", "[أؤكد]", "order.placed", "تم تسجيل طلبك", "stand-in"];
        let sends = [TO, "+9647701234567", "201 Created", "483920", "message.delivered", "message.read"];
        for words in sends.into_iter().chain(chats) {
            assert!(shown.contains(words), "{words} is not in: {shown}");
        }
        // The file has what is always worded alike, without the isolates that names and numbers stand in.
        let shown = shown.replace(['\u{2066}', '\u{2068}', '\u{2069}'], "");
        for line in chat.lines() {
            assert!(shown.contains(line), "{line} is not in: {shown}");
        }
        assert!(shown.trim_end().lines().last().unwrap().contains("The demo went through"), "{shown}");
        assert_eq!(said, "");
    }
}

#[tokio::test]
async fn a_private_server_ends_with_its_sandbox() {
    let sandbox = Sandbox::start(None, &[]).await;
    let url = sandbox.text("/databaseUrl").to_owned();
    assert_eq!(Rows::of(&url).await.count("workspaces").await, 1);
    let notice = json!({ "to": TO, "template": "store_hours" });
    assert_eq!(sandbox.api().send(&notice).await.status, 201);
    assert_eq!(sandbox.end("-INT").await, (Vec::new(), Some(0)));
    assert!(tokio_postgres::connect(&url, NoTls).await.is_err());
}

#[tokio::test]
async fn a_person_gets_lines_to_paste_that_work_and_sees_each_event() {
    let database = TestDatabase::fresh().await;
    let mut child = command(Some(&database), &[]).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = String::new();
    while !text.contains("Each event that arrives") {
        text.push_str(&timeout(PATIENCE, output.next_line()).await.unwrap().unwrap().expect("it ended"));
        text.push('\n');
    }
    // Those that ask the workspace's own system are tried by themselves.
    let (of_the_api, _) = text.split_once("The workspace's own system is").expect("it has a shop");
    let joined = of_the_api.replace("\\\n", " ");
    let pasted: Vec<&str> = joined.lines().filter_map(|line| line.trim().strip_prefix("curl ")).collect();
    assert_eq!(pasted.len(), 8, "{text}");
    if Command::new("curl").arg("--version").output().await.is_ok() {
        for (line, wanted) in pasted.iter().zip(["200", "200", "201", "201", "200", "200", "200", "200"]) {
            let line = format!("curl --noproxy '*' -sS -o /dev/null -w '%{{http_code}}' {line}");
            let done = Command::new("sh").args(["-c", &line]).output().await.unwrap();
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(String::from_utf8(done.stdout).unwrap(), wanted, "{line}: {said}");
        }
        let mut events = Vec::new();
        while events.len() < 5 {
            let line = timeout(PATIENCE, output.next_line()).await.unwrap().unwrap().expect("it ended");
            // What customers wrote comes in between, in no order with what was sent.
            let of_sends = line.starts_with("message.") && line != "message.received";
            events.extend(of_sends.then_some(line));
        }
        events.sort();
        let wanted = ["delivered", "delivered", "read", "read", "sent"].map(|kind| format!("message.{kind}"));
        assert_eq!(events, wanted);
    }
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().await.unwrap().success());
    let mut rest = String::new();
    timeout(PATIENCE, output.into_inner().read_to_string(&mut rest)).await.unwrap().unwrap();
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
}
