//! A private server: made, started, stopped.

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

/// A port that was free a moment ago is seldom taken, and hardly ever this many times in a row.
const PORTS_TRIED: u32 = 10;

/// How and where a private server runs.
#[derive(Debug, Clone)]
pub struct Options {
    /// Holds the clusters, one per process that runs at the same time, each in a numbered folder. Where the
    /// server's user may not enter it (root's home), a folder of the system's temporary one stands in.
    pub folder: PathBuf,
    /// Whether what is committed survives a crash of the machine. Tests need not pay for that; what a
    /// cluster that is not durable holds may be thrown away when it cannot be opened.
    pub durable: bool,
    /// Whether to begin with an empty cluster even where an earlier one was left.
    pub fresh: bool,
    /// Libraries that the server loads at its start, such as `pg_stat_statements`; those that it came without are left
    /// out.
    pub libraries: Vec<String>,
    /// Where programs are fetched to when this machine has none; `None`: they are not fetched.
    pub cache: Option<PathBuf>,
    /// The Maven repository they are fetched from: the public one, or a mirror of it.
    pub releases: String,
}

impl Options {
    /// For tests: not durable, kept from run to run, fetching nothing.
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

/// A server to make databases on: one that somebody names, or a private one.
#[derive(Debug)]
pub enum Postgres {
    /// The address of a database on it, from which others can be made.
    Named(String),
    /// Ours, for as long as this lives.
    Private(Cluster),
}

impl Postgres {
    /// The named server, else a private one.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub fn open(named: Option<String>, options: &Options) -> Result<Self, Error> {
        match named {
            Some(address) => Ok(Self::Named(address)),
            None => Cluster::start(options).map(Self::Private),
        }
    }

    /// The address of a database from which others can be made.
    pub fn admin_url(&self) -> String {
        match self {
            Self::Named(address) => address.clone(),
            Self::Private(cluster) => cluster.admin_url(),
        }
    }
}

/// A private server, running. It is stopped when this is dropped, and when our process ends, however it does.
#[derive(Debug)]
pub struct Cluster {
    // Dropped in this order: the server stops before another process may have the folder.
    keeper: Keeper,
    slot: Slot,
}

impl Cluster {
    /// Makes the cluster where there is none, starts it and waits until it takes connections. It blocks:
    /// async callers go through `tokio::task::spawn_blocking`.
    ///
    /// # Errors
    /// One line for the person at the terminal, such as the package to install.
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

    /// The address of a database of this name, as its superuser. The name stands in it as it is given.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.keeper.port)
    }

    /// The address of the database `postgres`, from which others are made.
    pub fn admin_url(&self) -> String {
        self.url("postgres")
    }

    /// Where its data is.
    pub fn data_folder(&self) -> PathBuf {
        self.slot.data()
    }

    /// Where it writes its log.
    pub fn log_file(&self) -> PathBuf {
        self.slot.log()
    }

    /// Stops it and waits for its end, which takes some 0.1 s.
    ///
    /// # Errors
    /// [`Error::Slow`] when it has not ended after 15 s.
    pub fn stop(mut self) -> Result<(), Error> {
        self.keeper.stop()
    }
}

/// The programs to run: those of the version that made the data, else the best.
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

/// Makes an empty cluster: UTF-8, ordered by code point, open to whoever reaches its port on 127.0.0.1.
fn make(binaries: &Binaries, account: Option<Account>, slot: &Slot) -> Result<(), Error> {
    // `C.UTF-8` also knows letters other than ASCII's, but not every system has it.
    init(binaries, account, slot, "C.UTF-8").or_else(|_| init(binaries, account, slot, "C"))?;
    // A cluster that was cut off while it was made never bears the name of a finished one.
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
        // Should we be killed now, it goes on for a moment: nobody else may work there meanwhile.
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
