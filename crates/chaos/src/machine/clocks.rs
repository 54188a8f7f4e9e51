//! Clocks of the nodes: each node has its own, which can jump while it runs.
//!
//! A library in front of the C library answers the time, shifted by the offset in a file for each node.
//! Uptime stays true, as it does when a real clock is set.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

/// Folders of the system's libraries.
const LIBRARIES: [&str; 2] = ["/usr/lib", "/usr/lib64"];

/// Finds the library that gives a program another clock (Debian: `libfaketime`).
pub fn faketime() -> Option<PathBuf> {
    let folders = LIBRARIES.into_iter().map(PathBuf::from);
    // In a folder named after the architecture: `/usr/lib/x86_64-linux-gnu`.
    let of_machine = LIBRARIES.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let of_machine = of_machine.filter_map(Result::ok).map(|entry| entry.path());
    folders
        .chain(of_machine)
        .map(|folder| folder.join("faketime/libfaketime.so.1"))
        .find(|file| file.is_file())
}

pub(crate) struct Clocks {
    library: PathBuf,
    folder: PathBuf,
}

impl Clocks {
    /// Creates clocks whose files are in `folder`.
    pub(crate) fn new(library: &Path, folder: &Path) -> Self {
        Self { library: library.to_owned(), folder: folder.to_owned() }
    }

    /// Returns the environment variables of a node.
    pub(crate) fn environment(&self, node: usize) -> [(&'static str, String); 5] {
        [
            ("LD_PRELOAD", self.library.display().to_string()),
            ("FAKETIME_TIMESTAMP_FILE", self.file(node).display().to_string()),
            ("FAKETIME_CACHE_DURATION", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            ("NO_FAKE_STAT", "1".to_owned()),
        ]
    }

    /// Sets a node's clock `seconds` ahead, or behind if negative; takes effect within a second.
    pub(crate) fn set(&self, node: usize, seconds: i64) -> anyhow::Result<()> {
        let (file, new) = (self.file(node), self.file(node).with_extension("new"));
        let written = fs::write(&new, format!("{seconds:+}\n")).and_then(|()| fs::rename(&new, &file));
        written.with_context(|| format!("writing {}", file.display()))
    }

    fn file(&self, node: usize) -> PathBuf {
        self.folder.join(format!("node-{node}.clock"))
    }
}
