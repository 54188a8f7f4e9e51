//! Everything on this machine, with one command: PostgreSQL, a stand-in for the network, the service, a demo
//! workspace, and a receiver of its webhooks.

mod database;
mod demo;
mod ready;
mod receiver;
mod world;

use std::{
    net::{Ipv4Addr, SocketAddr},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use ipnet::IpNet;
use network_simulator::Simulator;
use secrecy::SecretString;
use url::Url;

use self::{database::SandboxDatabase, demo::Demo, ready::Ready, receiver::Receiver, world::World};
use crate::{
    cli::SandboxArgs,
    config::{LogConfig, NetworkConfig, Role, Source, StoreConfig},
    logging,
    serve::{self, Listeners, Running},
    system::SystemClock,
    wiring::{Foundation, Operations, guarded_client},
};

/// The port that is tried first when none is asked for.
const USUAL_PORT: u16 = 8080;
/// The stand-in posts a message's statuses this long after one another.
const STATUS_DELAY: Duration = Duration::from_millis(200);

/// What belongs to a running sandbox, in the order in which it is stopped.
struct Parts {
    running: Running,
    simulator: Simulator,
    receiver: Receiver,
    database: SandboxDatabase,
}

/// Runs a sandbox until it is asked to end, or the demo once.
///
/// # Errors
/// When a part cannot be started: one line for the person at the terminal.
pub async fn run(arguments: SandboxArgs, source: &Source) -> anyhow::Result<ExitCode> {
    let quiet = LogConfig { filter: "warn".to_owned(), json: false };
    logging::start(&if source.says("log") { source.log()? } else { quiet })?;
    let asked = serve::asked_to_end();
    tokio::pin!(asked);
    let (parts, ready) = tokio::select! {
        started = start(&arguments, source) => started?,
        ended = &mut asked => return ended.map(|()| ExitCode::SUCCESS),
    };
    let ended = if arguments.demo {
        tokio::select! {
            shown = Demo::new(&ready, &parts.receiver).run() => shown,
            ended = &mut asked => ended.map(|()| ExitCode::FAILURE),
        }
    } else {
        ready.print(arguments.json);
        if !arguments.json {
            parts.receiver.print_events();
        }
        asked.await.map(|()| ExitCode::SUCCESS)
    };
    parts.stop().await;
    ended
}

async fn start(arguments: &SandboxArgs, source: &Source) -> anyhow::Result<(Parts, Ready)> {
    let listeners = listeners(arguments.port)?;
    let public = listeners.public.local_addr()?;
    let admin = listeners.admin.local_addr()?;
    let base_url: Url = format!("http://{public}").parse()?;

    let database = SandboxDatabase::make(source).await?;
    let secrets = Secrets::make();
    let network_webhook = base_url.join("networks/meta/webhook")?;
    let simulator = simulator(&secrets, &network_webhook).await?;
    let receiver = Receiver::start()?;

    let store = StoreConfig {
        database_url: database.url().to_owned(),
        pool_size: 16,
        keys: adapter_vault::Keyring::new(adapter_vault::MasterKey::parse(&secrets.master_key)?, Vec::new()),
    };
    let foundation = Foundation::open(&store, Arc::new(SystemClock))?;
    let network = NetworkConfig {
        graph_url: simulator.url(),
        graph_version: "v25.0".to_owned(),
        app_secret: SecretString::from(secrets.app_secret.clone()),
        verify_token: SecretString::from(secrets.verify_token.clone()),
    };
    let policy = guarded_http::Policy { allowed: loopback() };
    let roles = [Role::Api, Role::Dispatcher, Role::Worker];
    let running = serve::start(&foundation, &network, policy.clone(), listeners, &roles)?;

    let operations = Operations::new(&foundation, guarded_client(policy)?);
    let world = World::make(
        &operations,
        &running.use_cases,
        &SecretString::from(secrets.token.clone()),
        &receiver,
        &arguments.webhook,
    )
    .await
    .context("the demo workspace")?;
    let ready = Ready {
        base_url,
        admin_url: format!("http://{admin}").parse()?,
        workspace_id: world.workspace,
        api_key: world.key,
        keys: world.keys,
        numbers: world.numbers,
        network: ready::Network {
            simulator_url: simulator.url(),
            webhook_url: network_webhook,
            app_secret: secrets.app_secret,
            verify_token: secrets.verify_token,
        },
        webhooks: world.webhooks,
        database_url: database.url().to_owned(),
    };
    Ok((Parts { running, simulator, receiver, database }, ready))
}

impl Parts {
    async fn stop(self) {
        self.simulator.stop().await;
        self.running.stop().await;
        self.receiver.stop().await;
        self.database.remove().await;
    }
}

/// The port that was asked for; else the usual one, or any free one where that is taken.
fn listeners(asked: Option<u16>) -> anyhow::Result<Listeners> {
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match asked {
        Some(port) => Listeners::bind(local(port), local(0)),
        None => Listeners::bind(local(USUAL_PORT), local(0)).or_else(|_| Listeners::bind(local(0), local(0))),
    }
}

/// The ranges that a sandbox may deliver to besides public addresses.
fn loopback() -> Vec<IpNet> {
    [IpNet::from(ipnet::Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8))]
        .into_iter()
        .chain([IpNet::from(ipnet::Ipv6Net::new_assert(std::net::Ipv6Addr::LOCALHOST, 128))])
        .collect()
}

/// Made anew for each sandbox.
struct Secrets {
    master_key: String,
    app_secret: String,
    verify_token: String,
    token: String,
}

impl Secrets {
    fn make() -> Self {
        let hex = || {
            let mut bytes = [0; 32];
            adapter_vault::fill_random(&mut bytes);
            hex::encode(bytes)
        };
        Self { master_key: hex(), app_secret: hex(), verify_token: hex(), token: hex() }
    }
}

async fn simulator(secrets: &Secrets, webhook_url: &Url) -> anyhow::Result<Simulator> {
    let mut config = network_simulator::Config::new(secrets.app_secret.clone(), secrets.verify_token.clone());
    config.accounts = network_simulator::demo_accounts(&SecretString::from(secrets.token.clone()))?;
    config.webhook_url = Some(webhook_url.clone());
    config.require_appsecret_proof = true;
    config.status_delay = STATUS_DELAY;
    Simulator::start(config).await.context("the stand-in for the network")
}
