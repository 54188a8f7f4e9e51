//! The program as a child process.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use serde_json::Value;
use server::config::SETTINGS;
use tokio::sync::oneshot;
use url::Url;

use super::Secrets;

const PROGRAM: &str = env!("CARGO_BIN_EXE_messaging-service");

/// A running `messaging-service serve`, killed when dropped.
pub(crate) struct Service {
    child: Child,
    base_url: String,
    admin_url: String,
    log: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Service {
    /// Starts it on free ports and waits until it serves.
    pub(crate) async fn start(secrets: &Secrets) -> Self {
        Self::start_with(secrets, &[]).await
    }

    /// Starts it with more settings.
    pub(crate) async fn start_with(secrets: &Secrets, settings: &[(&str, &str)]) -> Self {
        let mut serve = command(secrets);
        serve.arg("serve");
        Self::start_as(serve, settings).await
    }

    /// Starts a command that serves.
    pub(crate) async fn start_as(mut serve: Command, settings: &[(&str, &str)]) -> Self {
        let mut child = serve
            .env("MESSAGING_LISTEN", "127.0.0.1:0")
            .env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0")
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (ready, serving) = oneshot::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let kept = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            let mut ready = Some(ready);
            for line in lines.map_while(Result::ok) {
                // Of what it writes afterwards, which may be a lot, nothing is read here.
                if ready.is_some()
                    && let Some(addresses) = serving_at(&line)
                    && let Some(ready) = ready.take()
                {
                    let _ = ready.send(addresses);
                }
                kept.lock().unwrap().push(line);
            }
        });
        let Ok((listen, admin)) = serving.await else {
            panic!("the service did not start: {}", log.lock().unwrap().join("\n"));
        };
        let (base_url, admin_url) = (format!("http://{listen}"), format!("http://{admin}"));
        Self { child, base_url, admin_url, log, reader: Some(reader) }
    }

    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) fn admin_url(&self) -> &str {
        &self.admin_url
    }

    pub(crate) fn network_webhook(&self) -> Url {
        format!("{}/networks/meta/webhook", self.base_url).parse().unwrap()
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its log so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// Ends it at once, as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
    }

    /// Asks it to end, and waits; whether it ended well.
    pub(crate) fn terminate(&mut self) -> bool {
        self.signal("-TERM");
        self.ended() == Some(0)
    }

    /// Asks it to end as Ctrl-C does, and does not wait.
    pub(crate) fn interrupt(&self) {
        self.signal("-INT");
    }

    /// Waits for its end; returns the code by which it ended by itself.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        let ended = self.child.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        ended.code()
    }

    fn signal(&self, signal: &str) {
        Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The addresses in the line that says it serves.
fn serving_at(line: &str) -> Option<(String, String)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let fields = line.get("fields")?;
    if fields.get("message")?.as_str()? != "serving" {
        return None;
    }
    let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
    // Who answers no requests listens for none.
    Some((text("listen").unwrap_or_default(), text("admin")?))
}

/// Runs an operator's command and answers what it printed; it must succeed.
pub(crate) fn operator(secrets: &Secrets, arguments: &[&str]) -> String {
    let output = command(secrets).args(arguments).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The program without a setting, whatever the tests were started with.
pub(crate) fn program() -> Command {
    let mut command = Command::new(PROGRAM);
    for setting in SETTINGS {
        command.env_remove(setting.variable());
    }
    command
}

/// The program with the settings of a world.
pub(crate) fn command(secrets: &Secrets) -> Command {
    let mut command = program();
    command
        .env("MESSAGING_DATABASE_URL", &secrets.database_url)
        .env("MESSAGING_MASTER_KEY", &secrets.master_key)
        .env("MESSAGING_APP_SECRET", &secrets.app_secret)
        .env("MESSAGING_VERIFY_TOKEN", &secrets.verify_token)
        .env("MESSAGING_GRAPH_URL", &secrets.graph_url)
        .env("MESSAGING_FILES_FOLDER", secrets.files_folder.path())
        .env("MESSAGING_ALLOW_NETWORKS", "127.0.0.0/8")
        .env("MESSAGING_STOP_DELAY", "0")
        // Each connection costs PostgreSQL a process and this program its statements anew.
        .env("MESSAGING_POOL_SIZE", "6")
        .env("MESSAGING_LOG", &secrets.log)
        .env("MESSAGING_LOG_FORMAT", "json");
    command
}
