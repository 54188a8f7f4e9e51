//! `cargo xtask bench`: builds the service and the bench for release, and runs it.

use std::path::PathBuf;
use std::process::Command;

use clap::ValueEnum;

use crate::browser;
use crate::run::{cargo, run};
use crate::workspace::{Workspace, root};

/// What to measure. `docs/tools/benchmarks.md` says what each figure is.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    what: What,
    /// A hundredth of the rows and a few seconds: for a quick look, not for a figure.
    #[arg(long)]
    small: bool,
    /// With `search`: how many messages the searched workspace has, in place of ten million.
    #[arg(long, value_name = "COUNT")]
    messages: Option<u64>,
    /// Also write every figure to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// The API's reads, at a million contacts.
    Api,
    /// Sends, from the request to the last event's delivery.
    Send,
    /// Broadcasts, beside notices, with others beside them, and killed again and again.
    Broadcast,
    /// What customers write, from the network's post until it is recorded with its events.
    Inbound,
    /// Webhook deliveries, from a committed event to the record of its receipt.
    Webhooks,
    /// Others' reads and deliveries, beside webhook addresses that flood.
    Hostile,
    /// A list of a million people, by the operator's command.
    Import,
    /// Numbers with a digit wrong, and those of neighbours: which are read as whose.
    Phones,
    /// Calls to customers' own systems, beside a bare loop, and what one that hangs costs others.
    Systems,
    /// Turns of the assistant, and that nothing is doubled, late or begun too late.
    Assistant,
    /// The search in messages' texts, at ten million messages.
    Search,
    /// The dashboard's pages in a real Chromium, with 10,000 open conversations; needs Node and Chromium.
    Dashboard,
}

pub(crate) fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.messages.is_some() && !matches!(arguments.what, What::Search) {
        anyhow::bail!("--messages says how many messages `search` looks through");
    }
    if let What::Dashboard = arguments.what {
        browser::prepare()?;
    }
    let mut build = cargo();
    build.args(["build", "--release", "-p", "bench"]).current_dir(root());
    if !matches!(arguments.what, What::Phones | What::Systems) {
        build.args(["-p", "server"]);
    }
    run(&mut build)?;
    let target = Workspace::read()?.target_directory();
    let mut bench = Command::new(target.join("release/bench"));
    bench.arg(match arguments.what {
        What::Api => "api",
        What::Send => "send",
        What::Broadcast => "broadcast",
        What::Inbound => "inbound",
        What::Webhooks => "webhooks",
        What::Hostile => "hostile",
        What::Import => "import",
        What::Phones => "phones",
        What::Systems => "systems",
        What::Assistant => "assistant",
        What::Search => "search",
        What::Dashboard => "dashboard",
    });
    if let Some(messages) = arguments.messages {
        bench.arg("--messages").arg(messages.to_string());
    }
    if let What::Dashboard = arguments.what {
        bench.arg("--journeys").arg(browser::folder());
    }
    bench.arg("--server").arg(target.join("release/messaging-service"));
    bench.arg("--folder").arg(target.join("bench"));
    if arguments.small {
        bench.arg("--small");
    }
    if let Some(file) = &arguments.json {
        bench.arg("--json").arg(file);
    }
    run(&mut bench)
}
