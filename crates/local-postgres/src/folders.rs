//! Folders of clusters and fetched programs.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::account::Account;
use crate::error::{Error, io};

/// Returns the user's folder for what can be fetched again: `XDG_CACHE_HOME`, else `.cache` in the home
/// folder.
pub fn user_cache_folder() -> Option<PathBuf> {
    user_folder("XDG_CACHE_HOME", ".cache")
}

/// Returns the user's folder for what should stay: `XDG_DATA_HOME`, else `.local/share` in the home folder.
pub fn user_data_folder() -> Option<PathBuf> {
    user_folder("XDG_DATA_HOME", ".local/share")
}

fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let chosen = environment(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    chosen.or_else(|| Some(PathBuf::from(environment("HOME")?).join(in_home)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "PATH and the user's folders are the machine's, not our settings"
)]
pub(crate) fn environment(variable: &str) -> Option<OsString> {
    env::var_os(variable).filter(|value| !value.is_empty())
}

/// Creates the folder or, if the server's user may not enter it, one of the same name in the system's folder
/// for temporary files. Returns the created one.
pub(crate) fn reachable(folder: &Path, account: Option<Account>) -> Result<PathBuf, Error> {
    let folder = make(folder)?;
    let Some(account) = account else { return Ok(folder) };
    if account.may_enter(&folder) {
        return Ok(folder);
    }
    let ours = env::temp_dir().join("local-postgres-root");
    make_ours(&ours)?;
    let mut stand_in = ours.canonicalize().map_err(io("looking at", &ours))?;
    for part in folder.components().skip(1) {
        stand_in.push(part);
        make_ours(&stand_in)?;
    }
    if account.may_enter(&stand_in) { Ok(stand_in) } else { Err(Error::Unreachable(folder)) }
}

fn make(folder: &Path) -> Result<PathBuf, Error> {
    fs::create_dir_all(folder).map_err(io("making", folder))?;
    folder.canonicalize().map_err(io("looking at", folder))
}

/// Creates a folder in the system's temporary one, where anybody may write: an existing folder is used only
/// if it is ours.
fn make_ours(folder: &Path) -> Result<(), Error> {
    match DirBuilder::new().mode(0o755).create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(io("making", folder)(error));
        }
        _ => {}
    }
    let found = fs::symlink_metadata(folder).map_err(io("looking at", folder))?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(Error::NotOurs(folder.to_owned()));
    }
    open_to_all(folder)
}

/// Lets every user enter the folder and read in it, whatever the umask.
pub(crate) fn open_to_all(folder: &Path) -> Result<(), Error> {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(io("opening", folder))
}
