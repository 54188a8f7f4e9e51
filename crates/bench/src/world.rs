//! Ground of every bench: a private PostgreSQL, the network's stand-in, and workspaces created by the
//! operator's commands.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use adapter_vault::{Keyring, MasterKey, RingVault};
use anyhow::Context;
use domain::{
    access::ApiKeySecret,
    vault::{SealContext, Vault},
};
use network_simulator::{Account, Config, Number, Simulator};
use secrecy::SecretString;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::{
    load::Keys,
    machine::{PrivatePostgres, ServiceSettings, StatementCosts, connect},
    reference::Pgbench,
};

const DATABASE: &str = "bench";
/// Access token of both accounts at the network's stand-in.
const TOKEN: &str = "token-of-the-bench";
const APP_SECRET: &str = "app-secret-of-the-bench";
const VERIFY_TOKEN: &str = "verify-token-of-the-bench";
/// Master key; it protects made-up data only.
const MASTER_KEY: &str = "6262626262626262626262626262626262626262626262626262626262626262";
/// Numbers of each account: the network's limit per number, 80 messages a second, never binds.
const NUMBERS: u64 = 40;
/// Messages that the network's stand-in remembers; a bench looks at none of them.
const REMEMBERED: usize = 1_000;

/// Options of a bench.
#[derive(Debug, Clone)]
pub struct Options {
    /// The service's program.
    pub server: PathBuf,
    /// Folder of the database and the scripts.
    pub folder: PathBuf,
    pub small: bool,
}

impl Options {
    /// Returns the duration of one measurement.
    pub fn length(&self) -> Duration {
        Duration::from_secs(if self.small { 1 } else { 5 })
    }
}

/// A workspace with an account of 40 numbers.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub id: Uuid,
    /// Numbers as they are written in `from`.
    pub numbers: Vec<String>,
}

/// Everything but the service.
pub struct World {
    /// Settings that the service is started with.
    pub settings: ServiceSettings,
    /// Connection to the database, past the service.
    pub database: Client,
    /// Stand-in for the network.
    pub simulator: Simulator,
    /// The measured workspace, and another to compare it with.
    pub workspaces: [Workspace; 2],
    /// Server of the database. Dropped last.
    pub postgres: PrivatePostgres,
    folder: PathBuf,
    vault: Arc<dyn Vault>,
}

impl World {
    /// Starts what is needed and makes the workspaces.
    pub async fn new(options: &Options) -> anyhow::Result<Self> {
        Self::with(options, |_| ()).await
    }

    /// Does the same with the configuration of the network's stand-in adjusted.
    pub async fn with(options: &Options, adjust: impl FnOnce(&mut Config)) -> anyhow::Result<Self> {
        let postgres = PrivatePostgres::start(&options.folder.join("postgres"))?;
        // Before anything takes long.
        pgbench(&postgres, &options.folder).check()?;
        let database_url = postgres.database(DATABASE).await?;
        StatementCosts::off(&connect(&database_url).await?).await?;
        let accounts = accounts()?;
        let simulator = simulator(&accounts, adjust).await?;
        let settings = ServiceSettings {
            program: options.server.clone(),
            variables: vec![
                ("DATABASE_URL", database_url.clone()),
                ("MASTER_KEY", MASTER_KEY.to_owned()),
                ("APP_SECRET", APP_SECRET.to_owned()),
                ("VERIFY_TOKEN", VERIFY_TOKEN.to_owned()),
                ("GRAPH_URL", simulator.url().to_string()),
                ("FILES_FOLDER", options.folder.join("files").display().to_string()),
                ("ALLOW_NETWORKS", "127.0.0.0/8".to_owned()),
                // The network's own rate is not what is measured.
                ("NUMBER_RATE", "1000000".to_owned()),
            ],
            environment: Vec::new(),
            log: None,
        };
        settings.operate(&["migrate"])?;
        let workspaces = [workspace(&settings, &accounts[0])?, workspace(&settings, &accounts[1])?];
        let database = connect(&database_url).await?;
        let keys = Keyring::new(MasterKey::parse(MASTER_KEY)?, Vec::new());
        let vault = Arc::new(RingVault::new(&keys)?);
        let folder = options.folder.clone();
        Ok(Self { settings, database, simulator, workspaces, postgres, folder, vault })
    }

    /// Creates keys with every scope, past the operator's command, which creates one at a time.
    pub async fn keys(&self, workspace: &Workspace, count: usize) -> anyhow::Result<Arc<Keys>> {
        let secrets: Vec<_> =
            (0..count).map(|_| ApiKeySecret::generate(workspace.id.into(), &*self.vault)).collect();
        let hashes: Vec<Vec<u8>> =
            secrets.iter().map(|secret| secret.hash(&*self.vault).0.to_vec()).collect();
        let add = "INSERT INTO api_keys (key_hash, id, workspace_id, creator_id, label, scopes, created_at)
                   SELECT hash, gen_random_uuid(), workspace_id, id, 'bench',
                          '{contacts:read,contacts:write,conversations:read,messages:send}', now()
                   FROM members, unnest($2::bytea[]) hash WHERE workspace_id = $1";
        self.database.execute(add, &[&workspace.id, &hashes]).await.context("adding keys")?;
        Ok(Keys::new(secrets.iter().map(|secret| secret.reveal().to_owned()).collect()))
    }

    /// Runs `ANALYZE`, as autovacuum does within a minute of the tables' first rows; plans made while they
    /// were empty are made anew.
    pub async fn analyze(&self) -> anyhow::Result<()> {
        self.database.batch_execute("ANALYZE").await.context("analyzing")
    }

    /// Vacuums, analyzes and checkpoints, so that rows added past the service leave no background work.
    pub async fn tidy(&self) -> anyhow::Result<()> {
        self.database.batch_execute("VACUUM (ANALYZE)").await.context("vacuuming")?;
        self.database.batch_execute("CHECKPOINT").await.context("writing to the disk")
    }

    /// Seals as the service does.
    pub fn seal(&self, plain: &[u8], place: &SealContext) -> anyhow::Result<Vec<u8>> {
        Ok(self.vault.seal(plain, place)?)
    }

    /// Returns the secret that signs the network's posts.
    pub fn app_secret(&self) -> &'static str {
        APP_SECRET
    }

    /// Returns a `pgbench` that runs on this database.
    pub fn pgbench(&self, options: &str) -> Pgbench {
        Pgbench { options: options.to_owned(), ..pgbench(&self.postgres, &self.folder) }
    }

    /// Returns the address that PostgreSQL listens at.
    pub fn server(&self) -> SocketAddr {
        self.postgres.address()
    }

    /// Returns the database's URL as reached at another address.
    pub fn database_url_at(&self, address: SocketAddr) -> String {
        format!("postgres://postgres@{address}/{DATABASE}")
    }
}

fn pgbench(postgres: &PrivatePostgres, folder: &Path) -> Pgbench {
    Pgbench {
        program: postgres.pgbench(),
        server: postgres.address(),
        database: DATABASE.to_owned(),
        options: String::new(),
        folder: folder.join("scripts"),
    }
}

/// Returns the demo's businesses, each with as many numbers as sends may need.
fn accounts() -> anyhow::Result<[Account; 2]> {
    let demo = network_simulator::demo_accounts(&SecretString::from(TOKEN))?;
    let mut demo: [Account; 2] = demo.try_into().ok().context("the demo has two accounts")?;
    for (account, index) in demo.iter_mut().zip(0..) {
        account.numbers = (0..NUMBERS)
            .map(|number| {
                let number = index * NUMBERS + number;
                let id = (106_540_352_300_000 + number).to_string();
                // The network's messaging limit is not what is measured.
                let messaging_limit = "TIER_UNLIMITED".to_owned();
                Number { messaging_limit, ..Number::new(id, phone(number), "Bench") }
            })
            .collect();
    }
    Ok(demo)
}

fn phone(number: u64) -> String {
    format!("+{}", 9_647_700_900_000 + number)
}

async fn simulator(accounts: &[Account], adjust: impl FnOnce(&mut Config)) -> anyhow::Result<Simulator> {
    let mut config = Config::new(APP_SECRET, VERIFY_TOKEN);
    config.accounts = accounts.to_vec();
    config.keep = REMEMBERED;
    config.webhook_concurrency = 64;
    adjust(&mut config);
    Ok(Simulator::start(config).await?)
}

fn workspace(settings: &ServiceSettings, account: &Account) -> anyhow::Result<Workspace> {
    let owner = format!("{}@bench.example", account.id);
    let made =
        settings.operate(&["workspace", "create", "--name", &account.name, "--owner-email", &owner])?;
    let id = made.lines().find_map(|line| line.strip_prefix("workspace")).context("no workspace")?.trim();
    settings.operate(&["account", "connect", id, "--id", &account.id, "--token", TOKEN])?;
    let numbers = account.numbers.iter().map(|number| number.display_phone_number.clone()).collect();
    Ok(Workspace { id: id.parse()?, numbers })
}
