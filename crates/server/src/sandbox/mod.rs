//! Runs everything on this machine with one command: PostgreSQL, a stand-in for the network, the service, a
//! demo workspace, a shop as its own system, and a receiver of its webhooks.

mod addresses;
mod chat;
mod configuration;
mod database;
mod demo;
mod example;
mod members;
mod model;
mod ready;
mod receiver;
mod secrets;
mod sign_in;
mod system;
mod world;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use graph_client::webhook::Gate;
use network_simulator::Simulator;
use secrecy::SecretString;
use tls_trust::Trust;
use tokio::time::timeout;
use url::Url;

use self::{
    addresses::{loopback, url_of},
    configuration::Addresses,
    database::SandboxDatabase,
    demo::Demo,
    model::Model,
    ready::Ready,
    receiver::Receiver,
    secrets::Secrets,
    sign_in::SignInLinks,
    system::System,
    world::World,
};
use crate::{
    cli::SandboxArgs,
    config::{
        DashboardConfig, FilesConfig, FilesPlace, LogConfig, NetworkConfig, Role, SignUpConfig, Source,
        StoreConfig,
    },
    dashboard, logging,
    serve::{self, Listeners, Outside, Running, Signals},
    system::SystemClock,
    wiring::{Foundation, Operations, guarded_client},
};

/// Port tried first when none is asked for.
const USUAL_PORT: u16 = 8080;
/// Most bytes of an uploaded list of people, as by default.
const IMPORT_LIMIT: usize = 64 * 1024 * 1024;
/// Pause between the statuses that the stand-in posts of one message.
const STATUS_DELAY: Duration = Duration::from_millis(200);
/// Longest wait at the end for what the network is posting.
const LAST_POSTS: Duration = Duration::from_secs(1);

const GRAPH_VERSION: &str = "v25.0";
const ROLES: [Role; 3] = [Role::Api, Role::Dispatcher, Role::Worker];

/// Configuration id of the sign-up dialog; the stand-in takes any.
const SIGN_UP_CONFIGURATION: &str = "1";

struct Parts {
    services: Services,
    database: SandboxDatabase,
}

struct Services {
    running: Running,
    operations: Operations,
    simulator: Simulator,
    receiver: Receiver,
    sign_in_links: SignInLinks,
    system: System,
    model: Model,
    base_url: Url,
    admin_url: Url,
    network_webhook: Url,
    network: NetworkConfig,
    configuration: PathBuf,
}

/// Runs a sandbox until it is asked to end, or the demo once.
///
/// # Errors
/// When a part cannot be started: one line for the person at the terminal.
pub async fn run(arguments: SandboxArgs, source: &Source) -> anyhow::Result<ExitCode> {
    let quiet = LogConfig { filter: "warn".to_owned(), json: false };
    logging::start(&if source.says("log") { source.log()? } else { quiet }, None)?;
    let system = system::asked_for(&arguments)?;
    let mut signals = Signals::listen()?;
    let asked = signals.asked_to_end(None);
    tokio::pin!(asked);
    let listeners = listeners(arguments.port)?;
    let server = tokio::select! {
        biased;
        _ = &mut asked => return Ok(ExitCode::SUCCESS),
        opened = database::server(source) => opened?,
    };
    // From here on, a request to end waits until there is something to end: nothing is left half-made.
    let database = SandboxDatabase::make(server).await?;
    let (parts, ready) = Box::pin(start(&arguments, system, database, listeners)).await?;
    let ended = if arguments.demo {
        tokio::select! {
            shown = Demo::new(&ready, &parts.services.receiver).run() => shown,
            _ = &mut asked => Ok(ExitCode::FAILURE),
        }
    } else {
        ready.print(arguments.json);
        if !arguments.json {
            parts.services.receiver.print_events();
        }
        asked.await;
        Ok(ExitCode::SUCCESS)
    };
    parts.stop().await;
    ended
}

/// Starts everything else; if that fails, removes what was made.
async fn start(
    arguments: &SandboxArgs,
    system: Option<system::Address>,
    database: SandboxDatabase,
    listeners: Listeners,
) -> anyhow::Result<(Parts, Ready)> {
    let secrets = Secrets::make();
    let parts = match Services::start(arguments, &secrets, system, &database, listeners).await {
        Ok(services) => Parts { services, database },
        Err(error) => {
            database.remove().await;
            return Err(error);
        }
    };
    match parts.furnish(arguments, secrets).await.context("the demo workspace") {
        Ok(ready) => Ok((parts, ready)),
        Err(error) => {
            parts.stop().await;
            Err(error)
        }
    }
}

impl Services {
    async fn start(
        arguments: &SandboxArgs,
        secrets: &Secrets,
        system: Option<system::Address>,
        database: &SandboxDatabase,
        listeners: Listeners,
    ) -> anyhow::Result<Self> {
        let listen = listeners.listen().context("a sandbox answers requests")?;
        let addresses = Addresses { listen, admin: listeners.admin.local_addr()? };
        let (base_url, admin_url) = (url_of(addresses.listen)?, url_of(addresses.admin)?);
        let network_webhook = base_url.join(Gate::PATH)?;
        let simulator = simulator(secrets, &network_webhook, base_url.join("dashboard/inbox")?).await?;
        let receiver = Receiver::start()?;
        let sign_in_links = SignInLinks::start(base_url.join("dashboard")?)?;
        let system = System::open(system).await?;
        let model = Model::open(arguments).await?;
        let keys =
            adapter_vault::Keyring::new(adapter_vault::MasterKey::parse(&secrets.master_key)?, Vec::new());
        let store = StoreConfig {
            database_url: database.url().to_owned(),
            trust: Trust::default(),
            pool_size: 16,
            keys,
        };
        let foundation = Foundation::open(&store, Arc::new(SystemClock))?;
        foundation.check(&Source::default()).await?;
        let network = network(&simulator, secrets)?;
        let configuration = configuration::write(database, secrets, &network, &addresses, model.config())?;
        let policy = guarded_http::Policy { allowed: loopback() };
        let operations = Operations::new(&foundation, guarded_client(policy.clone(), &foundation.trust)?);
        let place = FilesPlace::Folder(database.files_folder());
        let files = FilesConfig { place, transcription: None };
        let dashboard = DashboardConfig {
            import_limit: IMPORT_LIMIT,
            loopback_cookies: true,
            ..DashboardConfig::default()
        };
        let running = serve::start(
            &foundation,
            Outside { network: &network, files: &files, model: Some(model.config()) },
            policy,
            &dashboard,
            listeners,
            &ROLES,
        )?;
        Ok(Self {
            running,
            operations,
            simulator,
            receiver,
            sign_in_links,
            system,
            model,
            base_url,
            admin_url,
            network_webhook,
            network,
            configuration,
        })
    }
}

/// Returns the stand-in's settings as those of the network, with its sign-up dialog.
fn network(simulator: &Simulator, secrets: &Secrets) -> anyhow::Result<NetworkConfig> {
    let sign_up = SignUpConfig {
        dialog: simulator.url().join(&format!("{GRAPH_VERSION}/dialog/oauth"))?,
        app_id: network_simulator::APP_ID,
        configuration: SIGN_UP_CONFIGURATION.to_owned(),
    };
    Ok(NetworkConfig {
        graph_url: simulator.url(),
        graph_version: GRAPH_VERSION.to_owned(),
        app_id: Some(network_simulator::APP_ID),
        sign_up: Some(sign_up),
        app_secret: SecretString::from(secrets.app_secret.clone()),
        verify_token: SecretString::from(secrets.verify_token.clone()),
        number_rate: 80,
        shares_numbers: false,
    })
}

impl Parts {
    /// Fills the sandbox with the demo workspace.
    async fn furnish(&self, arguments: &SandboxArgs, secrets: Secrets) -> anyhow::Result<Ready> {
        let Services { operations, simulator, .. } = &self.services;
        let token = SecretString::from(secrets.token);
        let world = World::make(&self.services, &token, &arguments.webhook).await?;
        let system = self.services.system.connect(&operations.foundation, world.workspace).await?;
        let model = &self.services.model;
        let model = model.set(&operations.foundation, world.workspace, arguments.assistant()).await?;
        let base_url = &self.services.base_url;
        let invitations = dashboard::invitations(&operations.foundation, base_url.clone());
        Ok(Ready {
            members: members::join(base_url, &self.services.sign_in_links, &invitations, world.workspace)
                .await?,
            dashboard_url: base_url.join("dashboard")?,
            configuration: self.services.configuration.display().to_string(),
            master_key: secrets.master_key,
            base_url: base_url.clone(),
            admin_url: self.services.admin_url.clone(),
            workspace_id: world.workspace,
            api_key: world.key,
            keys: world.keys,
            numbers: world.numbers,
            pages: world.pages,
            network: ready::Network {
                simulator_url: simulator.url(),
                phones_url: simulator.url().join("phones")?,
                webhook_url: self.services.network_webhook.clone(),
                app_secret: secrets.app_secret,
                verify_token: secrets.verify_token,
            },
            webhooks: world.webhooks,
            system,
            model,
            database_url: self.database.url().to_owned(),
        })
    }

    /// Stops everything, each part before those it depends on. The service and the network depend on each
    /// other: the network posts nothing more, and stays until the service has ended.
    async fn stop(self) {
        let Services { running, simulator, receiver, sign_in_links, system, model, .. } = self.services;
        // Fails only for a callback that is refused, and none is set here.
        let _taken_away = simulator.set_webhook_url(None);
        let _in_time = timeout(LAST_POSTS, simulator.acknowledged()).await;
        running.stop(Duration::ZERO).await;
        simulator.stop().await;
        receiver.stop().await;
        sign_in_links.stop().await;
        system.close().await;
        model.close().await;
        self.database.remove().await;
    }
}

/// Binds the port that was asked for; else the usual one, or any free one where that is taken.
fn listeners(asked: Option<u16>) -> anyhow::Result<Listeners> {
    let local = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let bind = |port| Listeners::bind(local(port), local(0), &ROLES);
    match asked {
        Some(port) => bind(port),
        None => bind(USUAL_PORT).or_else(|_| bind(0)),
    }
}

async fn simulator(secrets: &Secrets, webhook_url: &Url, dashboard_url: Url) -> anyhow::Result<Simulator> {
    let mut config = network_simulator::Config::new(secrets.app_secret.clone(), secrets.verify_token.clone());
    config.accounts = network_simulator::demo_accounts(&SecretString::from(secrets.token.clone()))?;
    config.pages = vec![network_simulator::demo_page(&SecretString::from(secrets.token.clone()))];
    config.webhook_url = Some(webhook_url.clone());
    config.dashboard_url = Some(dashboard_url);
    config.require_appsecret_proof = true;
    config.status_delay = STATUS_DELAY;
    Simulator::start(config).await.context("the stand-in for the network")
}
