//! The service as a child process.

use std::{
    fs::OpenOptions,
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::Value;
use tokio::sync::oneshot;

use super::Usage;

/// Program, settings and environment of the service.
#[derive(Debug, Clone)]
pub struct ServiceSettings {
    pub program: PathBuf,
    /// `MESSAGING_…` variables without their prefix.
    pub variables: Vec<(&'static str, String)>,
    /// Other variables, which are no settings.
    pub environment: Vec<(&'static str, String)>,
    /// File that its log is appended to; `None` to discard the log.
    pub log: Option<PathBuf>,
}

impl ServiceSettings {
    /// Returns a copy with one setting changed.
    pub fn with(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut changed = self.clone();
        changed.variables.retain(|(known, _)| *known != name);
        changed.variables.push((name, value.into()));
        changed
    }

    /// The child inherits nothing of our own environment.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().stdin(Stdio::null());
        for (name, value) in &self.variables {
            command.env(format!("MESSAGING_{name}"), value);
        }
        command.envs(self.environment.iter().map(|(name, value)| (*name, value)));
        command
    }

    /// Starts an operator's command with its output piped.
    pub fn begin(&self, arguments: &[&str]) -> anyhow::Result<Child> {
        let mut command = self.command();
        command.args(arguments).stdout(Stdio::piped());
        command.spawn().with_context(|| format!("starting {}", self.program.display()))
    }

    /// Runs an operator's command and returns its output.
    pub fn operate(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let program = self.program.display();
        let output = self.command().args(arguments).output().with_context(|| format!("running {program}"))?;
        if !output.status.success() {
            bail!("{arguments:?} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// A running `serve`, killed when dropped.
#[derive(Debug)]
pub struct Service {
    child: Child,
    pub address: SocketAddr,
    /// Time from the start of the process until it reported that it serves.
    pub started_in: Duration,
}

impl Service {
    /// Starts the service on free ports and waits until it reports that it serves; if it ends before, the
    /// error has its last output.
    pub async fn start(settings: &ServiceSettings) -> anyhow::Result<Self> {
        let started = Instant::now();
        let mut child = settings
            .command()
            .arg("serve")
            .env("MESSAGING_LISTEN", "127.0.0.1:0")
            .env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0")
            .env("MESSAGING_LOG_FORMAT", "json")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", settings.program.display()))?;
        let lines = BufReader::new(child.stderr.take().context("no standard error")?).lines();
        let (serving, served) = oneshot::channel();
        let mut log = match &settings.log {
            Some(file) => Some(OpenOptions::new().create(true).append(true).open(file)?),
            None => None,
        };
        // The log is read to its end, or the service would block.
        std::thread::spawn(move || {
            let mut serving = Some(serving);
            let mut last = String::new();
            for line in lines.map_while(Result::ok) {
                if let Some(log) = &mut log {
                    let _ = writeln!(log, "{line}");
                }
                if let (Some(address), true) = (address_in(&line), serving.is_some())
                    && let Some(serving) = serving.take()
                {
                    let _ = serving.send(Ok(address));
                }
                last = line;
            }
            if let Some(serving) = serving {
                let _ = serving.send(Err(last));
            }
        });
        match served.await.context("its log ended")? {
            Ok(address) => Ok(Self { child, address, started_in: started.elapsed() }),
            Err(last) => bail!("the service did not start: {last}"),
        }
    }

    /// Returns the process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the service ends by itself; returns whether it succeeded.
    pub fn wait(mut self) -> anyhow::Result<bool> {
        Ok(self.child.wait()?.success())
    }

    /// Returns the service's CPU time.
    pub fn usage(&self) -> anyhow::Result<Usage> {
        Usage::of(self.process())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses the public address from the line that reports serving.
fn address_in(line: &str) -> Option<SocketAddr> {
    if !line.contains("\"serving\"") {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let fields = line.get("fields")?;
    if fields.get("message")?.as_str()? != "serving" {
        return None;
    }
    fields.get("listen")?.as_str()?.parse().ok()
}
