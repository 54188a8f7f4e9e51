//! Kinds of attachments, and their largest sizes.

use serde::{Deserialize, Serialize};

use crate::channels::ChannelKind;

const KB: u64 = 1024;
const MB: u64 = 1024 * KB;

/// Kind of an attachment, as a person sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachmentKind {
    Image,
    Video,
    /// Any sound, voice notes included.
    Audio,
    Document,
    Sticker,
    File,
}

impl AttachmentKind {
    pub const ALL: [Self; 6] =
        [Self::Image, Self::Video, Self::Audio, Self::Document, Self::Sticker, Self::File];

    /// Returns the name on the wire.
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

    /// Returns the text that stands for a file where nothing else can be shown, such as `[image]`.
    pub fn stand_in(self) -> String {
        format!("[{}]", self.as_str())
    }

    /// Parses a name; `None` if it is unknown.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the largest size, in bytes, that a network carries (docs/run/networks.md, "Files and
    /// captions").
    pub const fn most_bytes(self, channel: ChannelKind) -> u64 {
        match (channel, self) {
            (ChannelKind::Messenger | ChannelKind::Instagram, _) => 25 * MB,
            (ChannelKind::Whatsapp, Self::Image) => 5 * MB,
            (ChannelKind::Whatsapp, Self::Video | Self::Audio) => 16 * MB,
            (ChannelKind::Whatsapp, Self::Document | Self::File) => 100 * MB,
            (ChannelKind::Whatsapp, Self::Sticker) => 500 * KB,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AttachmentKind;
    use crate::channels::ChannelKind;

    #[test]
    fn every_kind_reads_back_from_its_name() {
        for kind in AttachmentKind::ALL {
            assert_eq!(AttachmentKind::read(kind.as_str()), Some(kind));
        }
        assert_eq!(AttachmentKind::read("Image"), None);
    }

    #[test]
    fn a_kind_is_as_large_as_its_network_carries() {
        use AttachmentKind::{Audio, Document, Image, Sticker, Video};
        use ChannelKind::{Instagram, Messenger, Whatsapp};
        for (channel, kind, megabytes) in [
            (Whatsapp, Image, 5),
            (Whatsapp, Video, 16),
            (Whatsapp, Audio, 16),
            (Whatsapp, Document, 100),
            (Messenger, Image, 25),
            (Instagram, Video, 25),
        ] {
            assert_eq!(kind.most_bytes(channel), megabytes * 1024 * 1024, "{channel:?} {kind:?}");
        }
        assert_eq!(Sticker.most_bytes(Whatsapp), 500 * 1024);
    }
}
