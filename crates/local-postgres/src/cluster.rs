//! A private server: created, started, stopped.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::account::Account;
use crate::binaries::{self, Binaries};
use crate::error::{Error, io};
use crate::fetch::{self, RELEASES};
use crate::folders::reachable;
use crate::keeper::{Keeper, NotStarted, Plan, command, end_orphan, tail};
use crate::slot::Slot;

/// Most ports tried: one that was free a moment ago is seldom taken, and hardly ever this many times in a
/// row.
const PORTS_TRIED: u32 = 10;

/// Options of a private server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder of the clusters, one per process that runs at the same time, each in a numbered folder. If the
    /// server's user may not enter it (root's home), a folder in the system's temporary one is used instead.
    pub folder: PathBuf,
    /// Whether commits survive a crash of the machine. Tests need not pay for that; a cluster that is not
    /// durable may be thrown away if it cannot be opened.
    pub durable: bool,
    /// Whether to begin with an empty cluster even if an earlier one exists.
    pub fresh: bool,
    /// Libraries that the server loads at its start, such as `pg_stat_statements`; missing ones are left out.
    pub libraries: Vec<String>,
    /// Folder that programs are fetched into if this machine has none; `None` to fetch nothing.
    pub cache: Option<PathBuf>,
    /// Maven repository that they are fetched from: the public one, or a mirror of it.
    pub releases: String,
}

impl Options {
    /// Returns the options for tests: not durable, kept from run to run, fetching nothing.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            durable: false,
            fresh: false,
            libraries: Vec::new(),
            cache: None,
            releases: RELEASES.to_owned(),
        }
    }
}

/// A server to create databases on: a given one, or a private one.
#[derive(Debug)]
pub enum Postgres {
    /// URL of a database on it, from which others can be created.
    Named(String),
    /// A server of our own, running until this is dropped.
    Private(Cluster),
}

impl Postgres {
    /// Uses the given server, or starts a private one.
    pub fn open(named: Option<String>, options: &Options) -> Result<Self, Error> {
        match named {
            Some(address) => Ok(Self::Named(address)),
            None => Cluster::start(options).map(Self::Private),
        }
    }

    /// Returns the URL of a database from which others can be created.
    pub fn admin_url(&self) -> String {
        match self {
            Self::Named(address) => address.clone(),
            Self::Private(cluster) => cluster.admin_url(),
        }
    }
}

/// A running private server. Stopped when dropped, and when our process ends in any way.
#[derive(Debug)]
pub struct Cluster {
    // Dropped in this order: the server stops before another process may have the folder.
    keeper: Keeper,
    slot: Slot,
}

impl Cluster {
    /// Creates the cluster if there is none, starts it and waits until it accepts connections. Blocks: async
    /// callers go through `tokio::task::spawn_blocking`.
    ///
    /// # Errors
    /// Each is one line for the person at the terminal, such as the package to install.
    pub fn start(options: &Options) -> Result<Self, Error> {
        let account = Account::needed()?;
        let slot = Slot::take(&reachable(&options.folder, account)?)?;
        let data = slot.data();
        end_orphan(&data)?;
        if options.fresh {
            remove(&data)?;
        }
        let binaries = choose(&data, options, account)?;
        let warm = data.exists();
        if !warm {
            make(&binaries, account, &slot)?;
        }
        let log = slot.log();
        let libraries =
            options.libraries.iter().filter(|name| binaries.have_library(name)).cloned().collect();
        let (binaries, durable) = (&binaries, options.durable);
        let plan = Plan { binaries, account, data: &data, log: &log, durable, libraries };
        let keeper = match start(&plan) {
            Err(_) if warm && !options.durable => {
                remove(&data)?;
                make(binaries, account, &slot)?;
                start(&plan)?
            }
            started => started?,
        };
        tracing::debug!(port = keeper.port, folder = %data.display(), "a private PostgreSQL runs");
        Ok(Self { keeper, slot })
    }

    /// Returns the URL of the database `database`, as its superuser. The name is not escaped.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.keeper.port)
    }

    /// Returns the URL of the database `postgres`, from which others are created.
    pub fn admin_url(&self) -> String {
        self.url("postgres")
    }

    /// Returns the folder of its data.
    pub fn data_folder(&self) -> PathBuf {
        self.slot.data()
    }

    /// Returns the path of its log.
    pub fn log_file(&self) -> PathBuf {
        self.slot.log()
    }

    /// Stops the server and waits for its end, which takes about 0.1 s.
    ///
    /// # Errors
    /// [`Error::Slow`] if it has not ended after 15 s.
    pub fn stop(mut self) -> Result<(), Error> {
        self.keeper.stop()
    }
}

/// Chooses the programs: those of the version that created the data, else the best.
fn choose(data: &Path, options: &Options, account: Option<Account>) -> Result<Binaries, Error> {
    let cache = options.cache.as_deref().map(|cache| reachable(cache, account)).transpose()?;
    let mut installed = binaries::installed(cache.as_deref(), account);
    let made_by =
        fs::read_to_string(data.join("PG_VERSION")).ok().and_then(|it| it.trim().parse::<u32>().ok());
    if let Some(made_by) = made_by {
        if let Some(same) = installed.find(|it| it.version == made_by) {
            return Ok(same);
        }
        if options.durable {
            return Err(Error::OtherVersion { folder: data.to_owned(), made_by });
        }
        remove(data)?;
        installed = binaries::installed(cache.as_deref(), account);
    }
    match (installed.next(), cache) {
        (Some(first), _) => Ok(first),
        (None, Some(cache)) => fetch::fetch(&cache, &options.releases, account),
        (None, None) => Err(Error::NoBinaries { reason: "none in PATH or /usr/lib/postgresql".to_owned() }),
    }
}

/// Creates an empty cluster: UTF-8, ordered by code point, open to everybody who reaches its port on
/// 127.0.0.1.
fn make(binaries: &Binaries, account: Option<Account>, slot: &Slot) -> Result<(), Error> {
    // `C.UTF-8` also knows letters other than ASCII's, but not every system has it.
    init(binaries, account, slot, "C.UTF-8").or_else(|_| init(binaries, account, slot, "C"))?;
    // A cluster whose creation was interrupted never gets the name of a finished one.
    fs::rename(slot.unfinished(), slot.data()).map_err(io("renaming", &slot.unfinished()))
}

fn init(binaries: &Binaries, account: Option<Account>, slot: &Slot, locale: &str) -> Result<(), Error> {
    let folder = &slot.unfinished();
    remove(folder)?;
    DirBuilder::new().mode(0o700).create(folder).map_err(io("making", folder))?;
    if let Some(account) = account {
        account.give(folder)?;
    }
    let program = binaries.program("initdb");
    let output = command(&program, account, folder)
        .arg("-D")
        .arg(folder)
        .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
        .arg(format!("--locale={locale}"))
        // If we are killed now, it goes on for a moment: nobody else may work there meanwhile.
        .stdin(slot.share()?)
        .output()
        .map_err(io("running", &program))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Program { program: "initdb", output: tail(&String::from_utf8_lossy(&output.stderr)) })
}

fn start(plan: &Plan<'_>) -> Result<Keeper, Error> {
    for _ in 0..PORTS_TRIED {
        match Keeper::start(plan) {
            Ok(keeper) => return Ok(keeper),
            Err(NotStarted::PortTaken) => {}
            Err(NotStarted::Failed(error)) => return Err(error),
        }
    }
    Err(Error::Slow("find a free port"))
}

fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("removing", folder)(error)),
        _ => Ok(()),
    }
}
