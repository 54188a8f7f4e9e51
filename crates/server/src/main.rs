//! The command line of the service.

use std::{
    io::{IsTerminal, stdin},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches};
use clap_complete::Shell;
use domain::{
    clock::Clock,
    vault::{Binding, KeysFound, ResealValues},
};
use mimalloc::MiMalloc;
use serde_json::json;
use server::{
    cli::{AssistantCommand, Cli, Command, ContractCommand, MasterKeyCommand, Webhook},
    config::{self, ModelConfig, Source},
    counters, doctor, logging,
    operate::{self, Said},
    pdf::READ_PDF,
    print,
    serve::{self, Listeners, Outside, Signals, StopRequest},
    system::{SystemClock, open_all_files_allowed},
    telemetry::Telemetry,
    wiring::{
        Files, Foundation, Operations, UseCases, assistant_settings, guarded_client, model_key, read_turns,
        system_client, systems,
    },
};
use tracing::{field::display, info, warn};

/// The system's allocator took a quarter of a send's time (docs/change/decisions/store.md, "Memory").
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Exit code when the input cannot be parsed, as clap has it.
const UNREADABLE: u8 = 2;

/// Exit code when the process was interrupted while stopping, as of any failure.
const FAILED: i32 = 1;

fn main() -> ExitCode {
    // Before anything else is read or started: it has to have nothing of the service.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == READ_PDF) {
        return if pdf_text::serve().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let read = Cli::shown().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match read {
        Ok(cli) => cli,
        Err(error) => return unreadable(&error),
    };
    let json = cli.json;
    // Fails only where a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return complain(&error.into(), json),
    };
    match runtime.block_on(run(cli)) {
        Ok(code) => code,
        Err(error) => complain(&error, json),
    }
}

/// Reports clap's error, or prints its help; for a script like any other error.
fn unreadable(error: &clap::Error) -> ExitCode {
    let asks_for_json = std::env::args_os().any(|argument| argument == "--json");
    if !(error.use_stderr() && asks_for_json) {
        error.exit();
    }
    let told = error.to_string();
    let why = told.split_once("\n\n").map_or(&*told, |(why, _)| why);
    print::tell(&json!({ "error": why.trim_start_matches("error: ").trim() }).to_string());
    UNREADABLE.into()
}

fn complain(error: &anyhow::Error, json: bool) -> ExitCode {
    print::tell(&if json {
        json!({ "error": format!("{error:#}") }).to_string()
    } else {
        print::one_line(&format!("messaging-service: {error:#}"))
    });
    if operate::is_unreadable(error) { UNREADABLE.into() } else { ExitCode::FAILURE }
}

async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    // Commands that need no settings, and help where a setting is wrong.
    match &cli.command {
        Command::Settings { markdown: false } => return done(&operate::settings(), cli.json),
        Command::Settings { markdown: true } => return done(&config::page().into(), cli.json),
        Command::Completions { shell } => {
            tell(&completions(*shell))?;
            return Ok(ExitCode::SUCCESS);
        }
        Command::Assistant(AssistantCommand::Say(arguments)) => {
            return done(&operate::say(arguments)?, cli.json);
        }
        Command::Manual { folder } => {
            return done(&operate::manual::write(Cli::command(), folder)?, cli.json);
        }
        _ => {}
    }
    let asks = stdin().is_terminal() && !cli.yes;
    if let Some(question) = cli.command.question() {
        operate::confirm(&question, asks, &mut stdin().lock())?;
    }
    let source = Source::read(cli.config.as_deref())?;
    match cli.command {
        #[cfg(feature = "sandbox")]
        Command::Sandbox(arguments) => Box::pin(server::sandbox::run(arguments, &source)).await,
        Command::Serve => {
            let telemetry = Telemetry::start(source.telemetry()?.as_ref(), &source.trust()?)?;
            logging::start(&source.log()?, telemetry.as_ref())?;
            serve::record_metrics(telemetry.as_ref())?;
            let served = serve_until_asked(&source).await;
            if let Some(telemetry) = telemetry {
                telemetry.stop().await;
            }
            served.map(|()| ExitCode::SUCCESS)
        }
        Command::Doctor { workspace } => {
            let report = doctor::examine(&source, workspace).await;
            tell(report.said().printed(cli.json))?;
            Ok(if report.is_well() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Health { ready } => {
            let said = operate::health::ask(source.serve()?.admin_listen, ready).await?;
            done(&said.into(), cli.json)
        }
        Command::Contract(ContractCommand::Check(system)) => {
            Ok(match operate::contract::check(&system, SystemClock.now()).await {
                Ok(verdict) => {
                    tell(&verdict.said)?;
                    verdict.code.into()
                }
                Err(error) => {
                    complain(&error, cli.json);
                    UNREADABLE.into()
                }
            })
        }
        Command::Webhook(Webhook::Verify(delivery)) => {
            let verdict = operate::verify::delivery(&delivery, SystemClock.now())?;
            judged(verdict.holds, verdict.said, cli.json)
        }
        Command::MasterKey(command @ (MasterKeyCommand::Check | MasterKeyCommand::Reseal)) => {
            let (alone, said) = master_key(&command, &source).await?;
            judged(alone, said, cli.json)
        }
        command => done(&Box::pin(operate_on(command, &source, asks)).await?, cli.json),
    }
}

fn completions(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "messaging-service", &mut text);
    let text = String::from_utf8_lossy(&text);
    // For bash, clap_complete goes to `messaging__service…` for a program with a hyphen, but puts the words
    // of each command under `messaging__subcmd__service…`: nothing would be completed after the first word.
    if shell == Shell::Bash {
        text.replace("messaging__subcmd__service", "messaging__service")
    } else {
        text.into_owned()
    }
}

/// Runs a command that has one result; `asks` is whether it may ask the terminal.
async fn operate_on(command: Command, source: &Source, asks: bool) -> anyhow::Result<Said> {
    Ok(match command {
        Command::Migrate(arguments) => {
            operate::migrate(&arguments, &source.database_url()?, &source.trust()?).await?.into()
        }
        Command::Workspace(command) => operate::workspace(command, &operations(source).await?).await?,
        Command::Member(command) => {
            operate::member(command, &operations(source).await?, &source.invitation_url()?).await?
        }
        Command::Group(command) => operate::group(command, &operations(source).await?).await?,
        Command::Broadcast(command) => operate::broadcast(command, &operations(source).await?, asks).await?,
        Command::Contacts(command) => operate::contacts(command, &operations(source).await?).await?,
        Command::Number(command) => operate::number(command, &operations(source).await?).await?,
        Command::Template(command) => operate::template(command, &operations(source).await?).await?,
        Command::Key(command) => operate::key(command, &operations(source).await?).await?,
        Command::Webhook(Webhook::Address(command)) => {
            operate::webhook(command, &operations(source).await?).await?
        }
        Command::Page(command) => {
            logging::start(&source.log()?, None)?;
            let foundation = foundation(source).await?;
            let use_cases = UseCases::new(&foundation, &source.network()?, None)?;
            operate::page(command, &use_cases, &foundation.stores).await?
        }
        Command::Account(command) => {
            logging::start(&source.log()?, None)?;
            let foundation = foundation(source).await?;
            let use_cases = UseCases::new(&foundation, &source.network()?, None)?;
            operate::account(command, &use_cases, &foundation.stores).await?
        }
        Command::MasterKey(MasterKeyCommand::HashKey) => {
            operate::master_key::hash_key(&source.keys()?)?.into()
        }
        Command::MasterKey(MasterKeyCommand::Adopt) => {
            let foundation = Foundation::open(&source.store()?, Arc::new(SystemClock))?;
            foundation.ready().await?;
            operate::master_key::adopt(&foundation.check_keys()).await?.into()
        }
        Command::System(command) => {
            let foundation = foundation(source).await?;
            let systems = systems(&foundation, system_client(source.policy()?, &foundation.trust)?);
            if let Some(question) = operate::replaces(&command, &systems).await? {
                operate::confirm(&question, asks, &mut stdin().lock())?;
            }
            operate::system(command, &foundation, &systems).await?
        }
        Command::Assistant(command) => {
            let foundation = foundation(source).await?;
            let model = source.model()?;
            let own_keys = model.as_ref().is_some_and(|model| model.own_keys);
            let price = model.as_ref().and_then(ModelConfig::price);
            let manage = assistant_settings(&foundation, model.map(|model| model.first.model), price);
            let (key, read) = (model_key(&foundation, own_keys), read_turns(&foundation));
            operate::assistant(command, &foundation, &manage, &key, &read).await?
        }
        Command::Quarantine(command) => {
            let foundation = foundation(source).await?;
            let use_cases = UseCases::new(&foundation, &source.network()?, None)?;
            operate::quarantine(command, &use_cases.manage_quarantine).await?
        }
        #[cfg(feature = "sandbox")]
        Command::Sandbox(_) => anyhow::bail!("this command says more than one thing"),
        Command::Serve
        | Command::Doctor { .. }
        | Command::Health { .. }
        | Command::Contract(_)
        | Command::Webhook(Webhook::Verify(_))
        | Command::MasterKey(MasterKeyCommand::Check | MasterKeyCommand::Reseal)
        | Command::Settings { .. }
        | Command::Completions { .. }
        | Command::Manual { .. } => anyhow::bail!("this command says more than one thing"),
    })
}

/// Runs a command about the master key; returns whether nothing is left to do, and the text to print.
async fn master_key(command: &MasterKeyCommand, source: &Source) -> anyhow::Result<(bool, String)> {
    let store = source.store()?;
    let has_hash_key = store.keys.has_hash_key();
    let foundation = Foundation::open(&store, Arc::new(SystemClock))?;
    let found = foundation.check(source).await?;
    let keys = foundation.check_keys();
    let values = ResealValues { values: foundation.stores.sealed_values };
    let verdict = if matches!(command, MasterKeyCommand::Check) {
        operate::master_key::check(&values, &keys, found, has_hash_key).await?
    } else {
        operate::master_key::reseal(&values, &keys, &*foundation.deps.clock, has_hash_key).await?
    };
    Ok((verdict.alone, verdict.said))
}

fn done(said: &Said, json: bool) -> anyhow::Result<ExitCode> {
    tell(said.printed(json))?;
    Ok(if said.fails() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn judged(holds: bool, said: String, json: bool) -> anyhow::Result<ExitCode> {
    tell(Said::verdict(holds, said).printed(json))?;
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the answer of a command. An empty list prints no line.
fn tell(said: &str) -> anyhow::Result<()> {
    let said = said.trim_end();
    let end = if said.is_empty() { "" } else { "\n" };
    print::out(&format!("{said}{end}")).context("standard output cannot be written to")
}

/// Opens the foundation of a command, with its keys checked against the database as far as it can tell.
async fn foundation(source: &Source) -> anyhow::Result<Foundation> {
    let foundation = Foundation::open(&source.store()?, Arc::new(SystemClock))?;
    foundation.check(source).await?;
    Ok(foundation)
}

async fn operations(source: &Source) -> anyhow::Result<Operations> {
    let foundation = foundation(source).await?;
    Ok(Operations::new(&foundation, guarded_client(source.policy()?, &foundation.trust)?))
}

async fn serve_until_asked(source: &Source) -> anyhow::Result<()> {
    let (store, network, policy, serve) =
        (source.store()?, source.network()?, source.policy()?, source.serve()?);
    let dashboard = source.dashboard()?;
    let (files, model) = (source.files()?, source.model()?);
    let listeners = Listeners::bind(serve.listen, serve.admin_listen, &serve.roles)?;
    let (listen, admin) = (listeners.listen().map(display), listeners.admin.local_addr()?);
    if let Err(error) = open_all_files_allowed() {
        warn!(%error, "the limit of open files stays as it is");
    }
    let foundation = Foundation::open(&store, Arc::new(SystemClock))?;
    if foundation.check(source).await? == KeysFound::HashKeyUnclear {
        warn!("{}", operate::master_key::HASH_KEY_UNCLEAR);
    }
    Files::check(&foundation, &files).await?;
    if foundation.vault.binding() < Binding::Complete {
        warn!("{}", operate::master_key::NOT_BOUND);
    }
    // The numbering plans take tens of milliseconds to load: done beside the start, not in the first request.
    tokio::task::spawn_blocking(domain::phone::warm);
    let outside = Outside { network: &network, files: &files, model: model.as_ref() };
    let mut signals = Signals::listen()?;
    let running = serve::start(&foundation, outside, policy, &dashboard, listeners, &serve.roles)?;
    serve::tell_roles(&serve.roles);
    counters::count_from_zero(&running.use_cases.receive_updates.webhooks);
    info!(listen, %admin, roles = ?serve.roles, "serving");
    // A person at a keyboard has no load balancer that must notice.
    let delay = match signals.asked_to_end(Some(&running)).await {
        StopRequest::BySupervisor => serve.stop_delay,
        StopRequest::ByKeyboard => Duration::ZERO,
    };
    tokio::select! {
        () = running.stop(delay) => Ok(()),
        () = signals.interrupted() => end_at_once(),
    }
}

/// Ends the process; work in progress is left as a kill leaves it.
#[expect(clippy::exit, reason = "whoever asks twice waits for nothing, and a runtime waits for its threads")]
fn end_at_once() -> ! {
    warn!(
        "interrupted while stopping: ending at once; leases and the networks' statuses settle what was under way"
    );
    std::process::exit(FAILED)
}
