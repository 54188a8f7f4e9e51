//! Where a network has a file.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Source that a file is fetched from.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaSource {
    /// Id by which the network is asked for the file.
    Id(String),
    /// Temporary address that opens to whoever has it.
    Url(String),
    /// Id to ask by first, and an address to fall back on, which is valid for minutes.
    IdOrUrl { id: String, url: String },
}

impl MediaSource {
    /// Builds the source from what the network gives; `None` if it gives neither.
    pub fn told(id: Option<String>, url: Option<String>) -> Option<Self> {
        match (id, url) {
            (Some(id), Some(url)) => Some(Self::IdOrUrl { id, url }),
            (Some(id), None) => Some(Self::Id(id)),
            (None, url) => url.map(Self::Url),
        }
    }
}

impl fmt::Debug for MediaSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MediaSource(…)")
    }
}
