//! `bench dashboard`: cost of the dashboard's pages to a browser, and to a server with many of them.
//!
//! The service runs as its sandbox, which has the network's stand-in and members who can sign in.
//! `tests/browser/bench` measures in a Chromium, and prints each figure as a line.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::{
    figures::{Figures, Goal},
    machine::connect,
    say::{done, say},
    world::Options,
};

/// Open conversations of the inbox, and messages of its longest conversation.
const SIZE: (u32, u32) = (10_000, 50_000);
/// The same two for a quick look.
const SMALL: (u32, u32) = (300, 1_000);

/// The fields read from the sandbox's message that it is ready.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    database_url: String,
}

/// One line of the measurements.
#[derive(Deserialize)]
struct Measured {
    name: String,
    value: f64,
    unit: Unit,
    /// Upper bound, if there is one.
    goal: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Ms,
    Kb,
    Mb,
    Elements,
    Events,
    Messages,
    Requests,
    Rows,
    Shift,
    Streams,
}

impl Unit {
    const fn word(self) -> &'static str {
        match self {
            Self::Ms => "ms",
            Self::Kb => "KB",
            Self::Mb => "MB",
            Self::Elements => "elements",
            Self::Events => "events",
            Self::Messages => "messages",
            Self::Requests => "requests",
            Self::Rows => "rows",
            Self::Shift => "of the window",
            Self::Streams => "streams",
        }
    }
}

/// Measures the pages and notes the figures; `journeys` is the folder with the scripts that drive the
/// browser.
pub async fn run(options: &Options, journeys: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let (sandbox, line) = Sandbox::start(&options.server)?;
    let ready: Ready = serde_json::from_str(&line).context("the sandbox did not say where it is")?;
    let started = Instant::now();
    let (conversations, messages) = if options.small { SMALL } else { SIZE };
    let seed = include_str!("seed.sql")
        .replace("%CONVERSATIONS%", &conversations.to_string())
        .replace("%MESSAGES%", &messages.to_string());
    connect(&ready.database_url).await?.batch_execute(&seed).await.context("seeding")?;
    done(&format!("seeded {conversations} conversations and {messages} messages of one"), started);

    let journeys = journeys.to_owned();
    let small = options.small;
    let measured = tokio::task::spawn_blocking(move || measure(&journeys, &line, small)).await??;
    drop(sandbox);
    for Measured { name, value, unit, goal } in measured {
        figures.note(name, (value, unit.word()), None, goal.map(Goal::AtMost));
    }
    Ok(())
}

/// Runs the measurements; prints the lines that are no figures.
fn measure(journeys: &Path, ready: &str, small: bool) -> anyhow::Result<Vec<Measured>> {
    let mut command = Command::new("node");
    command.arg("bench/main.js").current_dir(journeys).env("READY", ready).stdout(Stdio::piped());
    if small {
        command.env("SMALL", "1");
    }
    let mut child = command.spawn().context("Node is needed")?;
    let mut measured = Vec::new();
    for line in BufReader::new(child.stdout.take().context("Node has no output")?).lines() {
        let line = line?;
        match serde_json::from_str(&line) {
            Ok(figure) => measured.push(figure),
            Err(_) => say(&line),
        }
    }
    if !child.wait()?.success() {
        bail!("the measurements in the browser did not come to their end");
    }
    Ok(measured)
}

/// A running sandbox, asked to end when dropped.
struct Sandbox(Child);

impl Sandbox {
    /// Starts a sandbox; returns it with its message that it is ready.
    fn start(program: &Path) -> anyhow::Result<(Self, String)> {
        let mut child = Command::new(program)
            .args(["sandbox", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        let printed = child.stdout.take();
        let sandbox = Self(child);
        let mut printed = BufReader::new(printed.context("the sandbox has no output")?);
        let mut line = String::new();
        printed.read_line(&mut line)?;
        // It prints every event; somebody has to read them.
        std::thread::spawn(move || std::io::copy(&mut printed, &mut std::io::sink()));
        Ok((sandbox, line))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // A kill would leave its PostgreSQL to be cleaned up by the next run.
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}
