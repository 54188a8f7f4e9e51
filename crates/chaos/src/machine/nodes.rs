//! The nodes: processes of the service over one database, behind one address.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use bench::machine::{Service, ServiceSettings};
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use super::{Clocks, Relay};

/// Time that a node has for starting again, with any number of failed attempts: its database may be away
/// meanwhile.
const PATIENCE: Duration = Duration::from_mins(1);
const AGAIN: Duration = Duration::from_millis(200);

/// Nodes, each running or not.
pub(crate) struct Nodes {
    settings: ServiceSettings,
    front: Relay,
    /// `None` if nodes have no clocks of their own.
    clocks: Option<Clocks>,
    running: Vec<Option<Service>>,
}

impl Nodes {
    pub(crate) async fn start(
        settings: ServiceSettings,
        front: Relay,
        clocks: Option<Clocks>,
        count: usize,
    ) -> anyhow::Result<Self> {
        let mut nodes = Self { settings, front, clocks, running: Vec::new() };
        nodes.running.resize_with(count, || None);
        for node in 0..count {
            nodes.set_clock(node, 0)?;
            nodes.revive(node).await?;
        }
        Ok(nodes)
    }

    pub(crate) fn count(&self) -> usize {
        self.running.len()
    }

    /// Ends a node at once, as `kill -9` does.
    pub(crate) fn kill(&mut self, node: usize) {
        if let Some(running) = self.running.get_mut(node) {
            // Dropping it kills it.
            *running = None;
        }
        self.lead();
    }

    /// Asks a node to end, and waits until it has; returns whether it ended well.
    pub(crate) async fn terminate(&mut self, node: usize) -> anyhow::Result<bool> {
        let Some(service) = self.running.get_mut(node).and_then(Option::take) else { return Ok(true) };
        // The node answers until it stops listening, and gets connections until then: the relay passes over
        // nodes that refuse.
        signal(service.process(), Signal::TERM)?;
        let ended = tokio::task::spawn_blocking(move || service.wait()).await??;
        self.lead();
        Ok(ended)
    }

    /// Pauses a node, or lets it go on.
    pub(crate) fn pause(&self, node: usize, still: bool) -> anyhow::Result<()> {
        let Some(Some(service)) = self.running.get(node) else { return Ok(()) };
        signal(service.process(), if still { Signal::STOP } else { Signal::CONT })
    }

    /// Returns whether the nodes have clocks of their own.
    pub(crate) fn has_clocks(&self) -> bool {
        self.clocks.is_some()
    }

    /// Sets a node's clock `seconds` ahead, or behind if negative, if it has one of its own.
    pub(crate) fn set_clock(&self, node: usize, seconds: i64) -> anyhow::Result<()> {
        self.clocks.as_ref().map_or(Ok(()), |clocks| clocks.set(node, seconds))
    }

    /// Starts a node again and waits until it serves; fails if that takes longer than [`PATIENCE`].
    pub(crate) async fn revive(&mut self, node: usize) -> anyhow::Result<()> {
        let since = Instant::now();
        let mut settings = self.settings.clone();
        settings.environment.extend(self.clocks.iter().flat_map(|clocks| clocks.environment(node)));
        let service = loop {
            match Service::start(&settings).await {
                Ok(service) => break service,
                Err(error) if since.elapsed() > PATIENCE => bail!("node {node} does not start: {error:#}"),
                Err(_) => sleep(AGAIN).await,
            }
        };
        *self.running.get_mut(node).context("there is no such node")? = Some(service);
        self.lead();
        Ok(())
    }

    /// Replaces the settings of nodes that start from now on.
    pub(crate) fn run_as(&mut self, settings: ServiceSettings) {
        self.settings = settings;
    }

    /// Starts a new process of a node, waits until it serves, and then ends the old one, as an upgrade does;
    /// fails if the old one does not end well.
    pub(crate) async fn replace(&mut self, node: usize) -> anyhow::Result<()> {
        let old = self.running.get_mut(node).context("there is no such node")?.take();
        self.revive(node).await?;
        let Some(old) = old else { return Ok(()) };
        signal(old.process(), Signal::TERM)?;
        if !tokio::task::spawn_blocking(move || old.wait()).await?? {
            bail!("node {node} did not end well");
        }
        Ok(())
    }

    fn lead(&self) {
        self.front.lead_to(self.running.iter().flatten().map(|service| service.address).collect());
    }
}

fn signal(process: u32, signal: Signal) -> anyhow::Result<()> {
    let process = Pid::from_raw(process.cast_signed()).context("no process")?;
    Ok(kill_process(process, signal)?)
}
