//! A small disk in memory for the database's tables, which can be filled up.

use std::{
    fs::{self, File},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail};

/// Size in MiB: room for an hour's load.
const SIZE_MIB: u32 = 3_072;
static PIECE: [u8; 1 << 20] = [0; 1 << 20];

/// A mounted disk, unmounted when dropped.
pub(crate) struct Disk {
    folder: PathBuf,
}

impl Disk {
    /// Mounts a disk at `folder` and gives its inside to the owner of `like`, whom the database's server runs
    /// as. Fails where file systems may not be mounted.
    pub(crate) fn mount(folder: &Path, like: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)?;
        let size = format!("size={SIZE_MIB}m");
        run(Command::new("mount").args(["-t", "tmpfs", "-o", &size, "chaos"]).arg(folder))
            .context("the disk cannot be made; --no-disk leaves it alone")?;
        let disk = Self { folder: folder.to_owned() };
        fs::create_dir(disk.tables())?;
        let reference = format!("--reference={}", like.display());
        for path in [&disk.folder, &disk.tables()] {
            run(Command::new("chown").arg(&reference).arg(path))?;
        }
        Ok(disk)
    }

    pub(crate) fn tables(&self) -> PathBuf {
        self.folder.join("tables")
    }

    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        let mut ballast = File::create(self.ballast())?;
        loop {
            match ballast.write_all(&PIECE) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Frees the disk again.
    pub(crate) fn free(&self) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.ballast())?)
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: the database's server, which stops after this, still has files open on it.
        let _ = run(Command::new("umount").arg("--lazy").arg(&self.folder));
    }
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
