//! The running server, and the small shell that stops it when our process is gone.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::account::Account;
use crate::binaries::Binaries;
use crate::error::{Error, io};
use crate::folders::environment;

/// Time for the server to become ready: a durable cluster may have to replay its log first.
const READY_LIMIT: Duration = Duration::from_mins(1);

/// Time for the server to stop; the shell turns a slow stop into an immediate one after 10 s.
const STOP_LIMIT: Duration = Duration::from_secs(15);

/// Polling interval while waiting for a file or a process.
const LOOK: Duration = Duration::from_millis(5);

/// Settings of a server's start.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) binaries: &'a Binaries,
    pub(crate) account: Option<Account>,
    pub(crate) data: &'a Path,
    pub(crate) log: &'a Path,
    pub(crate) durable: bool,
    /// Libraries loaded at the start.
    pub(crate) libraries: Vec<String>,
}

/// A running server. Stops when dropped, and when our process dies.
#[derive(Debug)]
pub(crate) struct Keeper {
    shell: Child,
    pub(crate) port: u16,
}

/// Reason why a server is not running.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// Another program took the port after we found it free: the next try takes another.
    PortTaken,
    Failed(Error),
}

impl From<Error> for NotStarted {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Keeper {
    /// Runs the server and waits until it accepts connections.
    pub(crate) fn start(plan: &Plan<'_>) -> Result<Self, NotStarted> {
        let port = free_port()?;
        let log = File::create(plan.log).map_err(io("making", plan.log))?;
        let mut shell = command(Path::new("/bin/sh"), plan.account, plan.data);
        shell
            .args(["-c", include_str!("keeper.sh"), "keeper"])
            .arg(plan.binaries.program("postgres"))
            .arg("-D")
            .arg(plan.data)
            .args(settings(port, plan).iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(log.try_clone().map_err(io("sharing", plan.log))?)
            .stderr(log)
            // Ctrl-C in a terminal goes to our whole process group: the server ends after us, not with us.
            .process_group(0);
        let shell = shell.spawn().map_err(io("running", Path::new("/bin/sh")))?;
        let mut keeper = Self { shell, port };
        keeper.wait_until_ready(plan)?;
        Ok(keeper)
    }

    fn wait_until_ready(&mut self, plan: &Plan<'_>) -> Result<(), NotStarted> {
        let status = plan.data.join("postmaster.pid");
        let deadline = Instant::now() + READY_LIMIT;
        loop {
            if fs::read_to_string(&status)
                .is_ok_and(|lines| lines.lines().nth(7).map(str::trim) == Some("ready"))
            {
                return Ok(());
            }
            if self.ended().is_some() {
                let log = fs::read_to_string(plan.log).unwrap_or_default();
                if log.contains("could not bind") {
                    return Err(NotStarted::PortTaken);
                }
                return Err(Error::Program { program: "postgres", output: tail(&log) }.into());
            }
            if Instant::now() > deadline {
                return Err(Error::Slow("start").into());
            }
            thread::sleep(LOOK);
        }
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        self.shell.try_wait().ok().flatten()
    }

    /// Stops the server and waits for its end.
    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        drop(self.shell.stdin.take());
        let deadline = Instant::now() + STOP_LIMIT;
        while self.ended().is_none() {
            if Instant::now() > deadline {
                return Err(Error::Slow("stop"));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            tracing::warn!(%error, "the private PostgreSQL may still run");
        }
    }
}

/// Ends the server of an owner that died (its shell may be about to end it, or be gone as well), and removes
/// the leftovers of a crash. The caller owns the folder, so no living owner can be harmed.
pub(crate) fn end_orphan(data: &Path) -> Result<(), Error> {
    let status = data.join("postmaster.pid");
    let deadline = Instant::now() + STOP_LIMIT;
    let mut asked = false;
    while let Some(process) = server_in(&status) {
        if test_kill_process(process).is_err() || serves(process, data) == Some(false) {
            return fs::remove_file(&status).or_else(absent).map_err(io("removing", &status));
        }
        if Instant::now() > deadline {
            let process = process.as_raw_nonzero().get();
            return Err(Error::StillServed { folder: data.to_owned(), process });
        }
        if !asked && serves(process, data) == Some(true) {
            asked = kill_process(process, Signal::INT).is_ok();
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

fn absent(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn server_in(status: &Path) -> Option<Pid> {
    let lines = fs::read_to_string(status).ok()?;
    Pid::from_raw(lines.lines().next()?.trim().parse().ok()?)
}

/// Returns whether that process is a server working in that folder; `None` if the system does not tell.
fn serves(process: Pid, data: &Path) -> Option<bool> {
    let works_in = PathBuf::from(format!("/proc/{}/cwd", process.as_raw_nonzero()));
    Some(fs::read_link(works_in).ok()? == data)
}

fn free_port() -> Result<u16, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|it| it.local_addr());
    address.map(|it| it.port()).map_err(io("looking for a free port of", Path::new("127.0.0.1")))
}

/// Builds a command of the server's user, working in its folder, with only PATH of our environment.
pub(crate) fn command(program: &Path, account: Option<Account>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("LC_ALL", "C").current_dir(folder);
    if let Some(path) = environment("PATH") {
        command.env("PATH", path);
    }
    if let Some(account) = account {
        account.run(&mut command);
    }
    command
}

fn settings(port: u16, plan: &Plan<'_>) -> Vec<String> {
    let flush = if plan.durable { "on" } else { "off" };
    vec![
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        "unix_socket_directories=".to_owned(),
        "max_connections=300".to_owned(),
        "jit=off".to_owned(),
        "timezone=UTC".to_owned(),
        "log_timezone=UTC".to_owned(),
        "lc_messages=C".to_owned(),
        // The log says what went wrong, never the values or the statement.
        "log_error_verbosity=terse".to_owned(),
        "log_min_error_statement=panic".to_owned(),
        format!("fsync={flush}"),
        format!("synchronous_commit={flush}"),
        format!("full_page_writes={flush}"),
        format!("shared_preload_libraries={}", plan.libraries.join(",")),
    ]
}

/// Returns the end of a program's output, on one line.
pub(crate) fn tail(output: &str) -> String {
    let lines: Vec<_> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let skipped = lines.len().saturating_sub(3);
    lines.into_iter().skip(skipped).collect::<Vec<_>>().join("; ")
}
