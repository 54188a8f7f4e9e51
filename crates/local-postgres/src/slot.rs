//! A numbered folder, owned by one process at a time.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::error::{Error, io};
use crate::folders::open_to_all;

/// Most servers side by side: more than any machine runs.
const SLOTS: u32 = 64;

/// A numbered folder: ours until dropped, and free at once when our process dies.
#[derive(Debug)]
pub(crate) struct Slot {
    folder: PathBuf,
    lock: File,
}

impl Slot {
    /// Takes the first folder that nobody owns.
    pub(crate) fn take(folder: &Path) -> Result<Self, Error> {
        for number in 0..SLOTS {
            let place = folder.join(number.to_string());
            fs::create_dir_all(&place).map_err(io("making", &place))?;
            let path = place.join("lock");
            let lock = File::options().create(true).truncate(false).write(true).open(&path);
            let lock = lock.map_err(io("opening", &path))?;
            match lock.try_lock() {
                Ok(()) => {
                    open_to_all(&place)?;
                    return Ok(Self { folder: place, lock });
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(io("locking", &path)(error)),
            }
        }
        Err(Error::NoFreeSlot(folder.to_owned()))
    }

    /// Shares the ownership as a program's standard input: the folder is not free until that program ends,
    /// even if we end first.
    pub(crate) fn share(&self) -> Result<File, Error> {
        self.lock.try_clone().map_err(io("sharing", &self.folder))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Returns the folder in which a cluster is created before it becomes the slot's data.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.folder.join("unfinished")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("server.log")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_owners_get_two_places_and_a_left_one_is_taken_again() {
        let folder = tempfile::tempdir().unwrap();
        let first = Slot::take(folder.path()).unwrap();
        let second = Slot::take(folder.path()).unwrap();
        assert_ne!(first.data(), second.data());

        let left = first.data();
        let share = first.share().unwrap();
        drop(first);
        assert_ne!(Slot::take(folder.path()).unwrap().data(), left);
        drop(share);
        assert_eq!(Slot::take(folder.path()).unwrap().data(), left);
    }
}
