//! PostgreSQL's programs on this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::account::Account;
use crate::folders::environment;

/// A folder that contains both `initdb` and `postgres`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binaries {
    folder: PathBuf,
    /// Major version, such as 17.
    pub(crate) version: u32,
}

impl Binaries {
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns whether the server has a library that it can load, in Debian's folder for them or in that of a
    /// build of one's own.
    pub(crate) fn have_library(&self, name: &str) -> bool {
        let beside = self.folder.parent().unwrap_or(&self.folder);
        let folders = [beside.join("lib"), beside.join("lib/postgresql")];
        let endings = ["so", "dylib"];
        folders.iter().any(|folder| endings.iter().any(|end| folder.join(format!("{name}.{end}")).is_file()))
    }

    /// Looks into a folder; `None` if it lacks one of the programs, or the server's user cannot run them.
    pub(crate) fn in_folder(folder: &Path, account: Option<Account>) -> Option<Self> {
        // A link in PATH leads to the folder where the programs are beside their libraries.
        let server = folder.join("postgres").canonicalize().ok()?;
        let folder = server.parent()?.to_owned();
        if !folder.join("initdb").is_file() || account.is_some_and(|account| !account.may_enter(&folder)) {
            return None;
        }
        let mut command = Command::new(&server);
        command.arg("--version").current_dir("/");
        if let Some(account) = account {
            account.run(&mut command);
        }
        let output = command.output().ok()?;
        let version = major_version(&String::from_utf8(output.stdout).ok()?)?;
        Some(Self { folder, version })
    }
}

/// Lists the programs of this machine and the cache, best first: the folders of `PATH` in their order, then
/// Debian's and the cache's, newest version first.
pub(crate) fn installed(
    cache: Option<&Path>,
    account: Option<Account>,
) -> impl Iterator<Item = Binaries> + use<> {
    let path = environment("PATH").unwrap_or_default();
    let mut found: Vec<_> = std::env::split_paths(&path).collect();
    found.extend(versions_in(Path::new("/usr/lib/postgresql")));
    found.extend(cache.map(versions_in).unwrap_or_default());
    found.into_iter().filter_map(move |folder| Binaries::in_folder(&folder, account))
}

/// Lists the `bin` folders in a folder of versions, newest first.
fn versions_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut versions: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let numbers: Option<Vec<u32>> = name.split('.').map(|part| part.parse().ok()).collect();
            Some((numbers?, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// Parses the major version: `postgres (PostgreSQL) 17.5 (Debian 17.5-1)` is 17.
fn major_version(printed: &str) -> Option<u32> {
    let version = printed.split_once("(PostgreSQL) ")?.1;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_the_server_prints() {
        for (printed, version) in [
            ("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n", Some(15)),
            ("postgres (PostgreSQL) 17.5\n", Some(17)),
            ("postgres (PostgreSQL) 18beta1\n", Some(18)),
            ("something else 3\n", None),
        ] {
            assert_eq!(major_version(printed), version, "{printed}");
        }
    }

    #[test]
    fn a_library_is_looked_for_where_a_server_has_them() {
        let root = tempfile::tempdir().unwrap();
        let binaries = Binaries { folder: root.path().join("bin"), version: 17 };
        for (folder, name) in [("lib", "a.so"), ("lib/postgresql", "b.dylib"), ("bin", "c.so")] {
            let folder = root.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(["a", "b", "c"].map(|name| binaries.have_library(name)), [true, true, false]);
    }

    #[test]
    fn the_newest_version_comes_first_by_number_and_not_by_letter() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "17.5.0", "17.10.0", "not-a-version"] {
            fs::create_dir(folder.path().join(version)).unwrap();
        }
        let expected: Vec<_> =
            ["17.10.0", "17.5.0", "15", "9.6"].map(|it| folder.path().join(it).join("bin")).into();
        assert_eq!(versions_in(folder.path()), expected);
    }
}
