//! `docs/use/calls`: every call of the reference in four languages, each run against a sandbox as it stands.

#[path = "../../docs/use/calls/calls.rs"]
#[expect(unreachable_pub, reason = "it is a module of somebody else's")]
mod in_rust;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use adapter_postgres::testing::TestDatabase;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::Sandbox;
use crate::support::{Contract, is_here, local_client};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/use/calls");

/// What a proxy answers while the service behind it is restarted.
const PAGE: &str = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 28\r\nRetry-After: 0\r\n\
    Connection: close\r\n\r\n<html>502 Bad Gateway</html>";

/// Starts a proxy before the service, and answers its address. It answers `pages` times with its own page
/// whatever is safe to repeat, each request by itself.
async fn proxy(service: &str, pages: usize) -> String {
    let service = service.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
        while let Ok((mut client, _)) = listener.accept().await {
            let Some(request) = whole(&mut client).await else { continue };
            let text = String::from_utf8_lossy(&request).to_lowercase();
            let is_safe = text.starts_with("get ") || text.contains("idempotency-key:");
            let times = seen.entry(request.clone()).or_default();
            *times += 1;
            if is_safe && *times <= pages {
                client.write_all(PAGE.as_bytes()).await.unwrap();
                continue;
            }
            let line = request.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            let request = [&request[..line], b"Connection: close\r\n", &request[line..]].concat();
            let mut behind = TcpStream::connect(&service).await.unwrap();
            behind.write_all(&request).await.unwrap();
            let _ = tokio::io::copy(&mut behind, &mut client).await;
        }
    });
    format!("http://{address}")
}

/// A request with its body; `None` where the connection ends before.
async fn whole(client: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).to_lowercase();
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let begins = request.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
            if request.len() >= begins + length.map_or(0, |length| length.parse().unwrap()) {
                return Some(request);
            }
        }
        if client.read_buf(&mut request).await.ok()? == 0 {
            return None;
        }
    }
}

/// Runs the command against a sandbox of its own, behind a proxy that answers each call with its own page at
/// first; it has to end well.
async fn runs(command: &mut Command) {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let base = proxy(sandbox.text("/baseUrl"), 1).await;
    command.env("SERVICE_URL", base).env("API_KEY", sandbox.text("/apiKey"));
    let mut command = std::mem::replace(command, Command::new("true"));
    // The proxy runs meanwhile.
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("Noor Ali") && said.contains("order-1042"), "{said}");
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}

#[tokio::test]
async fn every_call_runs_in_the_shell() {
    if is_here("curl", "--version", "the calls in the shell") && is_here("jq", "--version", "they") {
        runs(Command::new("sh").arg(Path::new(FOLDER).join("calls.sh"))).await;
    }
}

#[tokio::test]
async fn every_call_runs_in_python() {
    if is_here("python3", "--version", "the calls in Python") {
        runs(Command::new("python3").arg(Path::new(FOLDER).join("calls.py"))).await;
    }
}

#[tokio::test]
async fn every_call_runs_in_typescript() {
    if is_here("node", "--version", "the calls in TypeScript") {
        let folder = tempfile::tempdir().unwrap();
        if let Some(file) = for_node(folder.path()) {
            runs(Command::new("node").arg(file)).await;
        }
    }
}

/// The file as the Node that is here takes it: as it stands where Node leaves types out by itself, otherwise
/// as the TypeScript of `tests/browser` compiles it. `None` where that is not installed.
fn for_node(folder: &Path) -> Option<PathBuf> {
    let node = Command::new("node").arg("--version").output().unwrap();
    if leaves_types_out(&String::from_utf8_lossy(&node.stdout)) {
        return Some(Path::new(FOLDER).join("calls.ts"));
    }
    let browser = Path::new(FOLDER).join("../../../tests/browser");
    let tsc = browser.join("node_modules/.bin/tsc");
    if !is_here(tsc.to_str().unwrap(), "--version", "the calls in TypeScript") {
        return None;
    }
    let mut compile = Command::new(tsc);
    compile.args(["--project", "tsconfig.examples.json", "--noEmit", "false", "--outDir"]).arg(folder);
    let output = compile.current_dir(browser).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    // Its name alone says that it is a module.
    let module = folder.join("calls.mjs");
    std::fs::copy(folder.join("use/calls/calls.js"), &module).unwrap();
    Some(module)
}

/// Whether this version of Node runs TypeScript without being asked to.
fn leaves_types_out(version: &str) -> bool {
    let mut parts =
        version.trim().trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    match (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) {
        (22, minor) => minor >= 18,
        (23, minor) => minor >= 6,
        (major, _) => major >= 24,
    }
}

#[test]
fn a_node_leaves_types_out_from_22_18_and_from_23_6_on() {
    let versions = ["v20.20.2\n", "v22.17.0", "v22.18.0\n", "v23.5.1", "v23.6.0", "v24.0.0", ""];
    assert_eq!(versions.map(leaves_types_out), [false, false, true, false, true, true, false]);
}

#[tokio::test]
async fn every_call_runs_in_rust_and_a_refusal_is_told_with_its_code() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let client = local_client().timeout(Duration::from_secs(65)).build().unwrap();
    let (base, key) = (proxy(sandbox.text("/baseUrl"), 1).await, sandbox.text("/apiKey").to_owned());
    let service = in_rust::Service { client: client.clone(), base, key: key.clone() };
    in_rust::all(&service, "test").await.unwrap();
    let sent = sandbox.api().get("/v1/messages?reference=order-1042").await;
    assert!(!sent.body["data"].as_array().unwrap().is_empty(), "{sent:?}");

    let nowhere = serde_json::json!({ "to": "12", "template": "store_hours" });
    let sent = service.call(reqwest::Method::POST, "/v1/messages/template", Some(nowhere), None).await;
    let Err(in_rust::CallError::Refused { status: 400, answer }) = sent else { panic!("{sent:?}") };
    assert_eq!(answer["code"], "invalid_phone");
    // A page that stays is told by its status.
    let away = in_rust::Service { client, base: proxy(sandbox.text("/baseUrl"), usize::MAX).await, key };
    let sent = away.call(reqwest::Method::GET, "/v1/me", None, None).await;
    assert!(matches!(&sent, Err(in_rust::CallError::Refused { status: 502, .. })), "{sent:?}");
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
}

/// What the text calls, without the marks of its language: `GET /v1/contacts/ id`.
fn plain(text: &str) -> String {
    text.replace("Method::", "").replace("&[", "").replace(['"', ','], "")
}

fn calls(text: &str, method: &str, path: &str) -> bool {
    let (head, tail) = path.split_once("{id}").unwrap_or((path, ""));
    let wanted = format!("{} {head}", method.to_uppercase());
    let rest = |line: &str| line.split_once(&wanted).map(|(_, rest)| rest.to_owned());
    text.lines().filter_map(rest).any(|rest| match (head == path, tail) {
        (true, _) => !rest.starts_with('/'),
        (false, "") => !rest.contains('/') || rest.contains("jq"),
        (false, tail) => rest.contains(tail),
    })
}

#[test]
fn each_language_has_every_call_of_the_reference() {
    let document: Value = serde_json::from_str(adapter_http::openapi()).unwrap();
    for file in ["calls.sh", "calls.py", "calls.ts", "calls.rs"] {
        let text = plain(&std::fs::read_to_string(Path::new(FOLDER).join(file)).unwrap());
        for (method, path) in Contract::new(&document.to_string()).routes() {
            assert!(calls(&text, &method, &path), "{file}: {method} {path}");
        }
        assert!(!calls(&text, "get", "/v1/messages/{id}/history"), "{file}");
        assert!(!calls(&text, "put", "/v1/contacts"), "{file}");
    }
}
