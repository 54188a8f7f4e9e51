//! Ground of a run: a database, the network's stand-in, receivers, and a workspace on all three networks.

use std::{fs, path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use bench::machine::{PrivatePostgres, ServiceSettings, connect};
use network_simulator::{Config, Simulator};
use secrecy::SecretString;

use crate::{
    books::Receivers,
    machine::{Disk, Relay},
    options::Options,
};

const DATABASE: &str = "chaos";
const TOKEN: &str = "token-of-the-demo";
const APP_SECRET: &str = "app-secret-of-the-demo";
const VERIFY_TOKEN: &str = "verify-token-of-the-demo";
/// Master key; it protects made-up data only.
const MASTER_KEY: &str = "6363636363636363636363636363636363636363636363636363636363636363";
const ACCOUNT: &str = "102290129340398";
const SCOPES: [&str; 4] = ["contacts:read", "contacts:write", "conversations:read", "messages:send"];
/// Messages that the network's stand-in remembers: all of them, since everything is checked in the end.
const REMEMBERED: usize = 4_000_000;
/// Attempts of the network at posting what was not accepted: enough that nothing is given up within a run.
const POSTED_AGAIN: usize = 400;
const POSTED_AGAIN_AFTER: Duration = Duration::from_millis(700);
const POST_TIMEOUT: Duration = Duration::from_secs(5);

/// Everything but the nodes and the load.
pub(crate) struct World {
    /// Settings of a node; its connection to the database can be cut.
    pub(crate) settings: ServiceSettings,
    /// Stand-in for the network.
    pub(crate) simulator: Arc<Simulator>,
    /// Relay in front of the nodes.
    pub(crate) front: Relay,
    pub(crate) way_to_database: Relay,
    pub(crate) receivers: Arc<Receivers>,
    /// URL of the database, past the relay.
    pub(crate) database_url: String,
    pub(crate) workspace: String,
    /// API keys with every scope.
    pub(crate) keys: Vec<String>,
    /// Ids of the webhook addresses.
    pub(crate) addresses: Vec<String>,
    /// Dropped before the database's server, which has files open on it.
    pub(crate) disk: Option<Disk>,
    _postgres: PrivatePostgres,
}

impl World {
    /// Starts everything and creates the workspace, with `keys` API keys.
    pub(crate) async fn new(options: &Options, keys: usize) -> anyhow::Result<Self> {
        empty(&options.folder)?;
        let postgres = PrivatePostgres::start(&options.folder.join("postgres"))?;
        let database_url = postgres.database(DATABASE).await?;
        let disk = if options.disk {
            Some(small_disk(&options.folder, &postgres, &database_url).await?)
        } else {
            None
        };
        let (front, way_to_database) = (Relay::start().await?, Relay::start().await?);
        way_to_database.lead_to(vec![postgres.address()]);
        let receivers = Arc::new(Receivers::start(options.seed).await?);
        let simulator = Arc::new(simulator(&front).await?);
        let direct = settings(options, &database_url, &simulator);
        direct.operate(&["migrate"])?;
        let workspace = direct.operate(&[
            "workspace",
            "create",
            "--name",
            "Palm Store",
            "--owner-email",
            "owner@palm.example",
        ])?;
        let workspace = after(&workspace, "workspace")?;
        direct.operate(&["account", "connect", &workspace, "--id", ACCOUNT, "--token", TOKEN])?;
        direct.operate(&["page", "connect", &workspace, "--token", TOKEN])?;
        let keys = (0..keys).map(|_| key(&direct, &workspace)).collect::<anyhow::Result<_>>()?;
        let addresses = receivers
            .urls()
            .iter()
            .map(|url| address(&direct, &workspace, url))
            .collect::<anyhow::Result<_>>()?;
        let there = format!("postgres://postgres@{}/{DATABASE}", way_to_database.address());
        let settings = ServiceSettings {
            log: Some(options.folder.join("nodes.log")),
            ..direct.with("DATABASE_URL", there)
        };
        Ok(Self {
            settings,
            simulator,
            front,
            way_to_database,
            receivers,
            database_url,
            workspace,
            keys,
            addresses,
            disk,
            _postgres: postgres,
        })
    }

    /// Runs an operator's command, past every relay.
    pub(crate) fn operate(&self, arguments: &[&str]) -> anyhow::Result<String> {
        self.settings.with("DATABASE_URL", self.database_url.clone()).operate(arguments)
    }
}

/// Empties the folder: leftovers of an earlier run would only confuse.
fn empty(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    let log = folder.join("nodes.log");
    if log.exists() {
        fs::remove_file(log)?;
    }
    Ok(())
}

fn settings(options: &Options, database_url: &str, simulator: &Simulator) -> ServiceSettings {
    ServiceSettings {
        program: options.before.as_ref().unwrap_or(&options.server).clone(),
        variables: vec![
            ("DATABASE_URL", database_url.to_owned()),
            ("MASTER_KEY", MASTER_KEY.to_owned()),
            ("APP_SECRET", APP_SECRET.to_owned()),
            ("VERIFY_TOKEN", VERIFY_TOKEN.to_owned()),
            ("GRAPH_URL", simulator.url().to_string()),
            ("FILES_FOLDER", options.folder.join("files").display().to_string()),
            ("ALLOW_NETWORKS", "127.0.0.0/8".to_owned()),
            // The network's own rate is not what is tested.
            ("NUMBER_RATE", "1000".to_owned()),
        ],
        environment: Vec::new(),
        log: None,
    }
}

async fn simulator(front: &Relay) -> anyhow::Result<Simulator> {
    let token = SecretString::from(TOKEN);
    let mut config = Config::new(APP_SECRET, VERIFY_TOKEN);
    config.accounts = network_simulator::demo_accounts(&token)?;
    config.pages = vec![network_simulator::demo_page(&token)];
    config.keep = REMEMBERED;
    config.webhook_retries = vec![POSTED_AGAIN_AFTER; POSTED_AGAIN];
    config.webhook_timeout = POST_TIMEOUT;
    config.webhook_url = Some(format!("http://{}/networks/meta/webhook", front.address()).parse()?);
    Ok(Simulator::start(config).await?)
}

/// Moves the tables to a small disk. The write-ahead log stays where it is, since a server that cannot write
/// it would not come back.
async fn small_disk(folder: &Path, postgres: &PrivatePostgres, database_url: &str) -> anyhow::Result<Disk> {
    let disk = Disk::mount(&folder.join("disk"), &postgres.data_folder())?;
    let database = connect(database_url).await?;
    let make = format!("CREATE TABLESPACE small LOCATION '{}'", disk.tables().display());
    database.batch_execute(&make).await.context("making the table space")?;
    database.batch_execute(&format!("ALTER DATABASE {DATABASE} SET default_tablespace = small")).await?;
    Ok(disk)
}

fn key(settings: &ServiceSettings, workspace: &str) -> anyhow::Result<String> {
    let mut arguments = vec!["key", "create", workspace, "--label", "chaos"];
    for scope in SCOPES {
        arguments.extend(["--scope", scope]);
    }
    let made = settings.operate(&arguments)?;
    Ok(made.lines().find(|line| line.starts_with("msk_")).context("no key")?.to_owned())
}

fn address(settings: &ServiceSettings, workspace: &str, url: &str) -> anyhow::Result<String> {
    let added = settings.operate(&["webhook", "add", workspace, url])?;
    let is_id = |word: &&str| word.len() == 36 && word.bytes().filter(|byte| *byte == b'-').count() == 4;
    Ok(added.split_whitespace().find(is_id).context("no address")?.to_owned())
}

fn after(text: &str, word: &str) -> anyhow::Result<String> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word));
    Ok(rest.with_context(|| format!("no {word}"))?.trim().to_owned())
}
