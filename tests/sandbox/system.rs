//! The system of a sandbox's workspace: the reference shop, or one that somebody is building.

use adapter_postgres::testing::TestDatabase;
use reference_shop::{Config, ReferenceShop};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use super::{PATIENCE, Sandbox, command};
use crate::support::{Answer, Api, Browser, is_here, program};

/// The sandbox's owner, signed in.
async fn owner(sandbox: &Sandbox) -> Browser {
    let base_url = sandbox.text("/dashboardUrl").strip_suffix("/dashboard").unwrap();
    let mut browser = Browser::new(base_url);
    let given =
        json!({ "email": sandbox.text("/members/0/email"), "password": sandbox.text("/members/0/password") });
    let signed_in = browser.post("/sign-in", &given).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    browser.keep(&signed_in);
    browser
}

#[tokio::test]
async fn the_shop_of_a_sandbox_is_connected_answers_and_obeys_its_control_routes() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let mut fields: Vec<&String> = sandbox.ready["system"].as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, ["baseUrl", "controlUrl", "secret"]);
    let (base, control) = (sandbox.text("/system/baseUrl"), sandbox.text("/system/controlUrl"));

    let owner = owner(&sandbox).await;
    let shown = owner.get("/system").await;
    assert_eq!((shown.text("/baseUrl"), shown.text("/state")), (base, "active"));
    assert_eq!(shown.body["capabilities"], json!(["catalog", "orders", "customers", "appointments"]));
    let asked = Api::new(base, sandbox.text("/system/secret")).get("/products?q=Pampers").await;
    assert_eq!((asked.status, asked.text("/products/0/id")), (200, "1001"));
    let control = Api::new(control, "");
    let requests = control.get("/requests").await;
    let paths: Vec<&Value> =
        requests.body["requests"].as_array().unwrap().iter().map(|request| &request["path"]).collect();
    assert_eq!(paths, ["/shop/contract/verify", "/shop/contract/products"]);

    // A fault that is switched on shows where the owner looks.
    let faults = json!({ "faults": ["right_secret_refused"] });
    let fault = Answer::to(control.request(Method::PUT, "/faults").json(&faults)).await;
    assert_eq!(fault.status, 200, "{fault:?}");
    assert_eq!(owner.post("/system/verify", &json!({})).await.text("/state"), "needs_reconnection");
    let calls = owner.get("/system/calls").await;
    assert_eq!(calls.body["rows"].as_array().map(Vec::len), Some(2), "{calls:?}");
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}

#[tokio::test]
async fn a_system_of_ones_own_is_connected_in_its_place() {
    let database = TestDatabase::fresh().await;
    let own = ReferenceShop::start(Config::new("own-secret")).await.unwrap();
    let arguments = ["--system", &own.base_url(), "--system-secret", "own-secret"];
    let sandbox = Sandbox::start(Some(&database), &arguments).await;
    let said = json!({ "baseUrl": own.base_url(), "secret": "own-secret", "controlUrl": null });
    assert_eq!(sandbox.ready["system"], said);
    assert_eq!(owner(&sandbox).await.get("/system").await.text("/state"), "active");
    assert_eq!(own.requests().len(), 1);
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}

#[test]
fn a_base_without_a_secret_is_a_usage_error() {
    for arguments in [["--system", "http://127.0.0.1:1"], ["--system-secret", "x"]] {
        let output = program().arg("sandbox").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("--system <URL>") && said.contains("--system-secret <SECRET>"), "{said}");
    }
}

/// Runs the lines of a text that begin with `curl` and continue behind a backslash; returns the output of
/// each.
async fn run_lines(text: &str) -> Vec<(String, String)> {
    let joined = text.replace("\\\n", " ");
    let mut answers = Vec::new();
    for line in joined.lines().filter(|line| line.starts_with("  curl ")) {
        let output = Command::new("sh").args(["-c", line]).env("no_proxy", "*").output().await.unwrap();
        answers.push((line.to_owned(), String::from_utf8(output.stdout).unwrap()));
    }
    answers
}

#[tokio::test]
async fn the_lines_that_a_person_is_shown_of_the_system_run_as_they_stand() {
    if !is_here("curl", "--version", "the lines that a sandbox shows of its system") {
        return;
    }
    let database = TestDatabase::fresh().await;
    let mut child = command(Some(&database), &[]).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut shown = String::new();
    let read = async {
        while !shown.contains("its signature verified:") {
            shown += &output.next_line().await.unwrap().expect("it ended");
            shown.push('\n');
        }
    };
    tokio::time::timeout(PATIENCE, read).await.expect("not ready in time");
    let (_, ours) = shown.split_once("The workspace's own system is a shop").unwrap();
    let answers = run_lines(ours).await;
    let words = ["\"1001\"", "/shop/contract/verify", "right_secret_refused", "\"rows\":[{"];
    assert_eq!(answers.len(), words.len(), "{answers:?}");
    for ((line, answer), words) in answers.iter().zip(words) {
        assert!(answer.contains(words), "{line}: {answer}");
    }
    assert!(answers[3].1.contains("\"state\":\"active\""), "{answers:?}");
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
    assert_eq!(ended.code(), Some(0));
}
