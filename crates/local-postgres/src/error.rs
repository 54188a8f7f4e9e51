//! Errors of private servers and their databases.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why there is no server, or no database on it. Each message is one line for the person at the
/// terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither this machine nor the release server has PostgreSQL's programs.
    #[error(
        "no PostgreSQL on this machine ({reason}): install the package `postgresql` (Debian, Ubuntu: \
         `apt-get install postgresql`), `postgresql-server` (Fedora) or `postgresql@17` (Homebrew)"
    )]
    NoBinaries {
        /// Reason why fetching them failed.
        reason: String,
    },
    /// The folder holds a durable cluster that no PostgreSQL on this machine can open.
    #[error("{folder} was made by PostgreSQL {made_by}: install that version, or remove the folder")]
    OtherVersion {
        /// Data folder of the cluster.
        folder: PathBuf,
        /// Major version that created it.
        made_by: u32,
    },
    /// The unprivileged user that runs the server may not enter the folder, nor the temporary one.
    #[error("the user that runs PostgreSQL may not enter {0}: choose a folder open to all users")]
    Unreachable(PathBuf),
    /// The folder that stands in for an unreachable one belongs to somebody else.
    #[error("{0} belongs to another user: remove it, or choose another folder")]
    NotOurs(PathBuf),
    /// Every numbered place in the folder is in use.
    #[error("{0} is in use by too many servers at once")]
    NoFreeSlot(PathBuf),
    /// Started as root on a machine that has neither a user `postgres` nor a user `nobody`.
    #[error("PostgreSQL does not run as root, and this machine has neither a user `postgres` nor `nobody`")]
    NoUnprivilegedUser,
    /// A server without an owner still runs in the folder.
    #[error("process {process} still serves {folder}: stop it first")]
    StillServed {
        /// Data folder of the cluster.
        folder: PathBuf,
        /// The server's process id.
        process: i32,
    },
    /// One of PostgreSQL's programs failed.
    #[error("{program} failed: {output}")]
    Program {
        /// Name of the program.
        program: &'static str,
        /// End of its output.
        output: String,
    },
    /// The server did not become ready, or did not stop, within the time it is given.
    #[error("PostgreSQL did not {0} in time")]
    Slow(&'static str),
    /// A file or a process could not be handled.
    #[error("{doing} {path}: {source}")]
    Io {
        /// Action that failed.
        doing: &'static str,
        /// File or program that it was done with.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The URL of a server is not of the form `postgres://…`.
    #[error("the database's address is not of the form postgres://user@host:port/database")]
    Address,
    /// The server refused a statement.
    #[error("the database refused: {0}")]
    Sql(#[from] tokio_postgres::Error),
    /// Filling a template database failed.
    #[error("preparing the template database failed: {0}")]
    Template(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Builds an [`Error::Io`] for `map_err` that says what was being done to which path.
pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { doing, path: path.to_owned(), source }
}
