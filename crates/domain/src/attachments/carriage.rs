//! Rules for how each network carries a file that a team member sends.

use super::{content_type::ContentType, kind::AttachmentKind};
use crate::channels::ChannelKind;

const MB: u64 = 1024 * 1024;
/// Longest caption, in characters (docs/run/networks.md, "Files and captions").
pub const MAX_CAPTION_CHARS: usize = 1_024;

/// Types that WhatsApp shows as an image, a video or audio.
const KNOWN_TO_WHATSAPP: [&str; 9] = [
    "image/jpeg",
    "image/png",
    "video/mp4",
    "video/3gpp",
    "audio/aac",
    "audio/amr",
    "audio/mpeg",
    "audio/mp4",
    "audio/ogg",
];
/// Types that Messenger takes only as files, and Instagram not at all.
const SHOWN_BY_NEITHER: [&str; 9] = [
    "image/heic",
    "image/avif",
    "image/bmp",
    "image/tiff",
    "video/x-msvideo",
    "video/matroska",
    "audio/3gpp",
    "audio/flac",
    "audio/matroska",
];
/// Types that Messenger shows and Instagram does not take.
const UNKNOWN_TO_INSTAGRAM: [&str; 2] = ["image/gif", "image/webp"];

/// Form in which a network carries a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carriage {
    pub kind: AttachmentKind,
    pub most_bytes: u64,
    pub has_caption: bool,
}

impl Carriage {
    /// Returns how `channel` carries files of this type (docs/run/networks.md, "Files and captions"); `None`
    /// if it takes none. Unrecognised bytes are sent nowhere. WhatsApp gets as a document what it does not
    /// show as an image, a video or audio.
    pub fn over(channel: ChannelKind, content_type: ContentType) -> Option<Self> {
        let name = content_type.as_str();
        if name == "application/octet-stream" {
            return None;
        }
        let family = AttachmentKind::of(content_type);
        let kind = match (channel, family) {
            (ChannelKind::Whatsapp, _) if KNOWN_TO_WHATSAPP.contains(&name) => family,
            (ChannelKind::Whatsapp, _) => AttachmentKind::Document,
            (ChannelKind::Messenger, _) if SHOWN_BY_NEITHER.contains(&name) => AttachmentKind::File,
            (ChannelKind::Instagram, _)
                if SHOWN_BY_NEITHER.contains(&name) || UNKNOWN_TO_INSTAGRAM.contains(&name) =>
            {
                return None;
            }
            (ChannelKind::Instagram, AttachmentKind::Document) if name != "application/pdf" => return None,
            (ChannelKind::Messenger | ChannelKind::Instagram, AttachmentKind::Document) => {
                AttachmentKind::File
            }
            (ChannelKind::Messenger | ChannelKind::Instagram, _) => family,
        };
        let most_bytes = match (channel, kind) {
            (ChannelKind::Instagram, AttachmentKind::Image) => 8 * MB,
            _ => kind.most_bytes(channel),
        };
        let has_caption = match channel {
            ChannelKind::Whatsapp => kind != AttachmentKind::Audio,
            ChannelKind::Messenger | ChannelKind::Instagram => false,
        };
        Some(Self { kind, most_bytes, has_caption })
    }

    /// Returns the largest size, in bytes, that any network takes for this type; `None` if none takes it.
    pub fn most_anywhere(content_type: ContentType) -> Option<u64> {
        let over = |channel| Self::over(channel, content_type).map(|carriage| carriage.most_bytes);
        ChannelKind::ALL.into_iter().filter_map(over).max()
    }
}

#[cfg(test)]
mod tests {
    use super::{AttachmentKind as Kind, Carriage, ContentType, MB};
    use crate::channels::ChannelKind::{Instagram, Messenger, Whatsapp};

    #[test]
    fn each_network_takes_its_own_files_up_to_its_own_size() {
        for (name, whatsapp, messenger, instagram) in [
            ("image/jpeg", Some((Kind::Image, 5)), Some((Kind::Image, 25)), Some((Kind::Image, 8))),
            ("image/gif", Some((Kind::Document, 100)), Some((Kind::Image, 25)), None),
            ("video/mp4", Some((Kind::Video, 16)), Some((Kind::Video, 25)), Some((Kind::Video, 25))),
            ("video/webm", Some((Kind::Document, 100)), Some((Kind::Video, 25)), Some((Kind::Video, 25))),
            ("image/heic", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("image/avif", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("video/matroska", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("audio/matroska", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("image/webp", Some((Kind::Document, 100)), Some((Kind::Image, 25)), None),
            ("image/bmp", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("image/tiff", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("video/x-msvideo", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("video/3gpp", Some((Kind::Video, 16)), Some((Kind::Video, 25)), Some((Kind::Video, 25))),
            ("audio/3gpp", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("audio/flac", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("audio/mp4", Some((Kind::Audio, 16)), Some((Kind::Audio, 25)), Some((Kind::Audio, 25))),
            ("audio/ogg", Some((Kind::Audio, 16)), Some((Kind::Audio, 25)), Some((Kind::Audio, 25))),
            ("application/pdf", Some((Kind::Document, 100)), Some((Kind::File, 25)), Some((Kind::File, 25))),
            ("text/csv", Some((Kind::Document, 100)), Some((Kind::File, 25)), None),
            ("application/octet-stream", None, None, None),
        ] {
            for (channel, wanted) in [(Whatsapp, whatsapp), (Messenger, messenger), (Instagram, instagram)] {
                let carriage = Carriage::over(channel, ContentType::read(name));
                let told = carriage.map(|carriage| (carriage.kind, carriage.most_bytes));
                assert_eq!(told, wanted.map(|(kind, size)| (kind, size * MB)), "{name} over {channel:?}");
            }
        }
    }

    #[test]
    fn a_text_goes_with_what_whatsapp_captions() {
        for (channel, name, wanted) in [
            (Whatsapp, "image/png", true),
            (Whatsapp, "video/mp4", true),
            (Whatsapp, "application/pdf", true),
            (Whatsapp, "audio/mpeg", false),
            (Messenger, "image/png", false),
            (Instagram, "application/pdf", false),
        ] {
            let carriage = Carriage::over(channel, ContentType::read(name)).unwrap();
            assert_eq!(carriage.has_caption, wanted, "{name} over {channel:?}");
        }
    }

    #[test]
    fn what_no_network_takes_has_no_size() {
        assert_eq!(Carriage::most_anywhere(ContentType::read("image/png")), Some(25 * MB));
        assert_eq!(Carriage::most_anywhere(ContentType::read("application/pdf")), Some(100 * MB));
        assert_eq!(Carriage::most_anywhere(ContentType::read("text/html")), None);
    }
}
