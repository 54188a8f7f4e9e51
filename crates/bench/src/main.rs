//! `bench api|send|broadcast|inbound|webhooks|hostile|import|phones|systems|assistant|search|dashboard`: run
//! by `cargo xtask bench`, which builds the programs that it measures.

use std::{path::PathBuf, process::ExitCode};

use bench::{
    api, assistant, broadcast, dashboard, figures::Figures, import, inbound, phones, say::say, search, send,
    systems, webhooks, world::Options,
};
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
    /// The service's program, built for release.
    #[arg(long, global = true, default_value = "target/release/messaging-service")]
    server: PathBuf,
    /// Where the private PostgreSQL keeps its data.
    #[arg(long, global = true, default_value = "target/bench")]
    folder: PathBuf,
    /// A hundredth of the rows and a few seconds: for a quick look, not for a figure.
    #[arg(long, global = true)]
    small: bool,
    /// Also write every figure to this file.
    #[arg(long, global = true, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
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
    /// Calls to customers' own systems, and what one that hangs costs others.
    Systems,
    /// Turns of the assistant, and that nothing is doubled, late or begun too late.
    Assistant,
    /// The search in messages' texts, by the dashboard's API.
    Search {
        /// How many messages the searched workspace has.
        #[arg(long, default_value_t = search::MESSAGES, value_parser = clap::value_parser!(i64).range(1..))]
        messages: i64,
    },
    /// The dashboard's pages in a browser, with 10,000 open conversations.
    Dashboard {
        /// The folder of what drives the browser.
        #[arg(long, default_value = "tests/browser")]
        journeys: PathBuf,
    },
    /// The loop that calls to systems are made in, with the service's client or a bare one; prints what it
    /// came to.
    #[command(hide = true)]
    SystemLoop {
        /// What calls.
        #[arg(value_enum)]
        with: systems::With,
        /// What is asked.
        #[arg(value_enum)]
        kind: systems::Kind,
        /// The system.
        base: String,
        /// How often.
        count: u64,
    },
    /// The loop that deliveries are compared with; prints what it came to.
    #[command(hide = true)]
    PostLoop {
        /// Where it posts.
        url: String,
        /// How often.
        count: u64,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let folder = std::path::absolute(&arguments.folder)?;
    let options = Options { server: arguments.server, folder, small: arguments.small };
    let mut figures = Figures::default();
    match arguments.what {
        What::Api => api::run(&options, &mut figures).await?,
        What::Send => send::run(&options, &mut figures).await?,
        What::Broadcast => broadcast::run(&options, &mut figures).await?,
        What::Inbound => inbound::run(&options, &mut figures).await?,
        What::Webhooks => webhooks::run(&options, &mut figures).await?,
        What::Hostile => webhooks::run_hostile(&options, &mut figures).await?,
        What::Import => import::run(&options, &mut figures).await?,
        What::Phones => phones::run(options.small, &mut figures)?,
        What::Systems => systems::run(options.small, &mut figures).await?,
        What::Assistant => assistant::run(&options, &mut figures).await?,
        What::Search { messages } => search::run(&options, messages, &mut figures).await?,
        What::Dashboard { journeys } => dashboard::run(&options, &journeys, &mut figures).await?,
        What::SystemLoop { with, kind, base, count } => {
            say(&serde_json::to_string(&systems::run_loop(with, kind, &base, count).await?)?);
            return Ok(());
        }
        What::PostLoop { url, count } => {
            say(&serde_json::to_string(&webhooks::run_post_loop(&url, count).await?)?);
            return Ok(());
        }
    }
    say(&figures.table());
    if let Some(file) = arguments.json {
        figures.write(&file)?;
    }
    Ok(())
}
