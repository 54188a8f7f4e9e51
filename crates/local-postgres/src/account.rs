//! User that the server runs as: it refuses to be root.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::error::{Error, io};

/// User other than ours that the server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    /// Finds the account; `None` if the server can run as the current user.
    pub(crate) fn needed() -> Result<Option<Self>, Error> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let path = Path::new("/etc/passwd");
        let users = fs::read_to_string(path).map_err(io("reading", path))?;
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| Self::find(&users, name))
            .map(Some)
            .ok_or(Error::NoUnprivilegedUser)
    }

    fn find(users: &str, name: &str) -> Option<Self> {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let matches = fields.next() == Some(name);
            let uid = fields.nth(1)?.parse().ok()?;
            let gid = fields.next()?.parse().ok()?;
            (matches && uid != 0).then_some(Self { uid, gid })
        })
    }

    /// Returns whether this user may enter the folder and all its parents.
    pub(crate) fn may_enter(self, folder: &Path) -> bool {
        folder.ancestors().all(|folder| {
            fs::metadata(folder).is_ok_and(|it| {
                let bit = match (it.uid() == self.uid, it.gid() == self.gid) {
                    (true, _) => 0o100,
                    (false, true) => 0o010,
                    (false, false) => 0o001,
                };
                it.mode() & bit != 0
            })
        })
    }

    pub(crate) fn give(self, path: &Path) -> Result<(), Error> {
        chown(path, Some(self.uid), Some(self.gid)).map_err(io("giving away", path))
    }

    pub(crate) fn run(self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_user_is_found_by_its_name_and_never_root() {
        let users = "root:x:0:0::/root:/bin/sh\nlist:x:38:39::/:/bin/sh\npostgres:x:0:0::/:/bin/sh\nbroken\n";
        assert_eq!(Account::find(users, "list"), Some(Account { uid: 38, gid: 39 }));
        assert_eq!(Account::find(users, "postgres"), None);
        assert_eq!(Account::find(users, "nobody"), None);
    }

    #[test]
    fn a_closed_parent_closes_all_below_it() {
        let parent = tempfile::tempdir().unwrap();
        let below = parent.path().join("below");
        fs::create_dir(&below).unwrap();
        let nobody = Account { uid: 65_534, gid: 65_534 };

        fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o711)).unwrap();
        assert!(nobody.may_enter(&below));
        fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!nobody.may_enter(&below));
    }
}
