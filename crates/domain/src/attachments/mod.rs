//! Files that belong to messages.

use serde::{Deserialize, Serialize};

/// What a file is, as the network calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachmentKind {
    /// A picture.
    Image,
    /// A film.
    Video,
    /// A sound or a voice note.
    Audio,
    /// A document.
    Document,
    /// A sticker.
    Sticker,
    /// Anything else.
    File,
}

impl AttachmentKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Image, Self::Video, Self::Audio, Self::Document, Self::Sticker, Self::File];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
            Self::Document => "document",
            Self::Sticker => "sticker",
            Self::File => "file",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
