//! Types that files are served as: only listed ones, and only if the first bytes do not contradict them.

use super::kind::AttachmentKind;

/// Number of first bytes that tell the type of a file: a video container names itself behind its version and
/// its limits, and an image container lists its brands one after another.
pub(super) const HEAD: usize = 64;

/// MIME type that a file is served as, and its file extension. Unknown types are plain bytes, so that a
/// browser never takes a customer's file for a page or a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentType(&'static str, &'static str);

const JPEG: ContentType = ContentType("image/jpeg", "jpg");
const PNG: ContentType = ContentType("image/png", "png");
const GIF: ContentType = ContentType("image/gif", "gif");
const WEBP: ContentType = ContentType("image/webp", "webp");
const HEIC: ContentType = ContentType("image/heic", "heic");
const AVIF: ContentType = ContentType("image/avif", "avif");
const BMP: ContentType = ContentType("image/bmp", "bmp");
const TIFF: ContentType = ContentType("image/tiff", "tif");
const MP4: ContentType = ContentType("video/mp4", "mp4");
const THREE_GPP: ContentType = ContentType("video/3gpp", "3gp");
const QUICKTIME: ContentType = ContentType("video/quicktime", "mov");
const AVI: ContentType = ContentType("video/x-msvideo", "avi");
const WEBM: ContentType = ContentType("video/webm", "webm");
// Registered names (RFC 9559, 27.3).
const MKV: ContentType = ContentType("video/matroska", "mkv");
const MKA: ContentType = ContentType("audio/matroska", "mka");
const AAC: ContentType = ContentType("audio/aac", "aac");
const AMR: ContentType = ContentType("audio/amr", "amr");
const AUDIO_3GPP: ContentType = ContentType("audio/3gpp", "3ga");
const FLAC: ContentType = ContentType("audio/flac", "flac");
const MP3: ContentType = ContentType("audio/mpeg", "mp3");
const M4A: ContentType = ContentType("audio/mp4", "m4a");
const OGG: ContentType = ContentType("audio/ogg", "ogg");
const WAV: ContentType = ContentType("audio/wav", "wav");
const WEBA: ContentType = ContentType("audio/webm", "weba");
const PDF: ContentType = ContentType("application/pdf", "pdf");
const ZIP: ContentType = ContentType("application/zip", "zip");
const BYTES: ContentType = ContentType("application/octet-stream", "bin");

/// Types recognised by the first bytes of a file.
const RECOGNISED: [ContentType; 26] = [
    JPEG, PNG, GIF, WEBP, HEIC, AVIF, BMP, TIFF, MP4, THREE_GPP, QUICKTIME, AVI, WEBM, MKV, AAC, AMR,
    AUDIO_3GPP, FLAC, MP3, M4A, OGG, WAV, WEBA, MKA, PDF, ZIP,
];

/// Types that hardly any browser shows.
const UNSHOWN: [ContentType; 6] = [HEIC, TIFF, AVI, MKV, AUDIO_3GPP, MKA];

/// Types of documents that are believed as declared if the bytes do not contradict them.
const DECLARED: [ContentType; 6] = [
    ContentType("text/plain", "txt"),
    ContentType("text/csv", "csv"),
    ContentType("text/vcard", "vcf"),
    ContentType("application/msword", "doc"),
    ContentType("application/vnd.ms-excel", "xls"),
    ContentType("application/vnd.ms-powerpoint", "ppt"),
];

/// Types of documents that are zip archives.
const ZIPPED: [ContentType; 3] = [
    ContentType("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ContentType("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ContentType("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
];

impl ContentType {
    /// Judges by the first bytes, and by the type that the network declares where they leave it open.
    pub fn judge(kind: AttachmentKind, declared: Option<&str>, head: &[u8]) -> Self {
        let declared = declared.map(essence).unwrap_or_default();
        let among = |list: &[Self]| list.iter().copied().find(|known| known.0 == declared);
        match sniff(head) {
            Some(ZIP) => among(&ZIPPED).unwrap_or(ZIP),
            Some(MP4) if kind == AttachmentKind::Audio => M4A,
            Some(THREE_GPP) if kind == AttachmentKind::Audio => AUDIO_3GPP,
            Some(WEBM) if kind == AttachmentKind::Audio => WEBA,
            Some(MKV) if kind == AttachmentKind::Audio => MKA,
            Some(recognised) => recognised,
            None => among(&DECLARED).unwrap_or(BYTES),
        }
    }

    /// Returns the type of plain bytes, which are saved and not shown.
    pub(super) const fn bytes() -> Self {
        BYTES
    }

    /// Returns the name, such as `image/jpeg`.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns the file extension, without the dot.
    pub const fn extension(self) -> &'static str {
        self.1
    }

    /// Parses a name; an unknown one is plain bytes.
    pub fn read(name: &str) -> Self {
        Self::all().find(|known| known.0 == name).unwrap_or(BYTES)
    }

    /// Returns the type of files with this extension, given without the dot.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::all().find(|known| known.1 == extension)
    }

    /// Returns whether a browser may show the file in place; any other file is to be saved.
    pub fn is_shown(self) -> bool {
        let is_for_the_eye_or_ear =
            ["image/", "audio/", "video/"].into_iter().any(|family| self.0.starts_with(family));
        is_for_the_eye_or_ear && !UNSHOWN.contains(&self)
    }

    fn all() -> impl Iterator<Item = Self> {
        RECOGNISED.into_iter().chain(DECLARED).chain(ZIPPED).chain([BYTES])
    }
}

impl AttachmentKind {
    /// Returns the kind that a file of this type is to a person who sends it.
    pub fn of(content_type: ContentType) -> Self {
        match content_type.as_str().split_once('/') {
            Some(("image", _)) => Self::Image,
            Some(("video", _)) => Self::Video,
            Some(("audio", _)) => Self::Audio,
            _ => Self::Document,
        }
    }
}

/// Returns a declared type without its parameters, in lower case.
fn essence(declared: &str) -> String {
    declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn sniff(head: &[u8]) -> Option<ContentType> {
    Some(match head {
        [0xff, 0xd8, 0xff, ..] => JPEG,
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => PNG,
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => GIF,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => WEBP,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => WAV,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', ..] => AVI,
        // The length, and two numbers that are not used: two letters alone could begin a text.
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => BMP,
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => TIFF,
        [b'f', b'L', b'a', b'C', ..] => FLAC,
        [a, b, c, d, b'f', b't', b'y', b'p', brands @ ..] => {
            let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX);
            of_brands(brands.get(..length.saturating_sub(8)).unwrap_or(brands))
        }
        [0x1a, 0x45, 0xdf, 0xa3, header @ ..] => return of_matroska(header),
        [b'O', b'g', b'g', b'S', ..] => OGG,
        [b'#', b'!', b'A', b'M', b'R', ..] => AMR,
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xfa | 0xf3 | 0xf2 | 0xe3 | 0xe2, ..] => MP3,
        [0xff, 0xf1 | 0xf9, ..] => AAC,
        [b'%', b'P', b'D', b'F', b'-', ..] => PDF,
        [b'P', b'K', 0x03, 0x04, ..] => ZIP,
        _ => return None,
    })
}

/// Returns the type of a file of the MP4 family by its brands (ISO/IEC 14496-12, 4.3): its own brand, a
/// version, and the compatible brands. Images often have a general brand as their own, and name the special
/// one among the compatible ones.
fn of_brands(brands: &[u8]) -> ContentType {
    let own = brands.get(..4).unwrap_or_default();
    let all = || [own].into_iter().chain(brands.get(8..).unwrap_or_default().chunks_exact(4));
    match own {
        b"M4A " | b"M4B " => M4A,
        [b'3', b'g', ..] => THREE_GPP,
        b"qt  " => QUICKTIME,
        b"avif" | b"avis" => AVIF,
        b"mif1" | b"msf1" | b"miaf" if all().any(|brand| matches!(brand, b"avif" | b"avis")) => AVIF,
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1" | b"miaf" => HEIC,
        _ => MP4,
    }
}

/// Returns the type by the header's element `DocType` (RFC 9559, 5.1.1 and RFC 8794, 11.2.6); `None` for an
/// unknown one.
fn of_matroska(header: &[u8]) -> Option<ContentType> {
    let at = header.windows(2).position(|id| id == [0x42, 0x82])?;
    match header.get(at + 2..)? {
        [0x84, b'w', b'e', b'b', b'm', ..] => Some(WEBM),
        [0x88, b'm', b'a', b't', b'r', b'o', b's', b'k', b'a', ..] => Some(MKV),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AttachmentKind, ContentType};

    const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

    /// Header as ffmpeg writes it: its length in eight bytes, four numbers, then the document type.
    const FFMPEG_WEBM: &[u8] = b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x86\x81\x01\x42\xf7\x81\x01\
        \x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm\x42\x87\x81\x04";
    const FFMPEG_MKV: &[u8] = b"\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x23\x42\x86\x81\x01\x42\xf7\x81\x01\
        \x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x88matroska\x42\x87\x81\x04";

    #[test]
    fn what_a_browser_cannot_show_is_saved() {
        for (name, wanted) in [
            ("image/jpeg", true),
            ("image/avif", true),
            ("image/heic", false),
            ("image/bmp", true),
            ("image/tiff", false),
            ("video/x-msvideo", false),
            ("audio/3gpp", false),
            ("video/webm", true),
            ("video/matroska", false),
            ("audio/matroska", false),
            ("application/pdf", false),
        ] {
            assert_eq!(ContentType::read(name).is_shown(), wanted, "{name}");
        }
    }

    #[test]
    fn the_first_bytes_win_over_what_is_declared() {
        use AttachmentKind::{Audio, Document, Image, Video};
        let cases: &[(AttachmentKind, Option<&str>, &[u8], &str)] = &[
            (Image, Some("image/png"), b"\xff\xd8\xff\xe0", "image/jpeg"),
            (Image, None, b"\x89PNG\r\n\x1a\n", "image/png"),
            (Image, None, b"GIF89a", "image/gif"),
            (Image, None, b"RIFF....WEBPVP8 ", "image/webp"),
            // An animated sticker.
            (Image, Some("image/webp"), b"RIFF....WEBPVP8X\n\0\0\0\x02", "image/webp"),
            (Image, None, b"BM\x36\0\x0c\0\0\0\0\0\x36\0\0\0", "image/bmp"),
            (Document, Some("text/plain"), b"BMW and others", "text/plain"),
            (Image, Some("image/jpeg"), b"II*\0\x08\0\0\0", "image/tiff"),
            (Image, None, b"MM\0*\0\0\0\x08", "image/tiff"),
            (Video, Some("video/mp4"), b"RIFF....AVI LIST", "video/x-msvideo"),
            (Audio, Some("audio/mpeg"), b"fLaC\0\0\0\x22", "audio/flac"),
            (Audio, None, b"\xff\xe3\x18\xc4", "audio/mpeg"),
            (Audio, Some("audio/3gpp"), b"\0\0\0\x18ftyp3gp4\0\0\0\0isom3gp4", "audio/3gpp"),
            (Audio, None, b"\0\0\0\x1cftypM4A \0\0\0\0M4A mp42isom", "audio/mp4"),
            (Audio, None, b"\0\0\0\x1cftypM4B \0\0\0\0M4B mp42isom", "audio/mp4"),
            (Audio, Some("audio/ogg; codecs=opus"), b"OggS\0", "audio/ogg"),
            (Audio, None, b"#!AMR\n", "audio/amr"),
            (Audio, None, b"ID3\x04", "audio/mpeg"),
            (Audio, None, b"\xff\xf1", "audio/aac"),
            (Audio, Some("audio/mp4"), b"\0\0\0\x20ftypisom", "audio/mp4"),
            (Video, Some("video/mp4"), b"\0\0\0\x20ftypisom", "video/mp4"),
            (Video, None, b"\0\0\0\x20ftyp3gp5", "video/3gpp"),
            (Video, None, b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", "video/quicktime"),
            (Image, Some("image/jpeg"), b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic"),
            (Image, None, b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "image/heic"),
            (Image, None, b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", "image/avif"),
            (Image, None, b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", "image/avif"),
            // Bytes behind the box are none of its brands.
            (Image, None, b"\0\0\0\x14ftypmif1\0\0\0\0heicavif", "image/heic"),
            (Video, None, b"\0\0\0\x1cftypisom\0\0\0\0isomavc1mp41", "video/mp4"),
            (Video, None, FFMPEG_WEBM, "video/webm"),
            (Audio, Some("audio/webm"), FFMPEG_WEBM, "audio/webm"),
            (Video, Some("video/webm"), FFMPEG_MKV, "video/matroska"),
            (Audio, None, FFMPEG_MKV, "audio/matroska"),
            (Video, Some("video/mp4"), b"\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska", "video/matroska"),
            (Video, Some("video/webm"), b"\x1a\x45\xdf\xa3\x8b\x42\x82\x83xyz", "application/octet-stream"),
            (Video, Some("video/webm"), b"\x1a\x45\xdf\xa3", "application/octet-stream"),
            (Document, Some("text/html"), b"%PDF-1.7", "application/pdf"),
            (Document, Some(DOCX), b"PK\x03\x04", DOCX),
            (Document, Some("text/html"), b"PK\x03\x04", "application/zip"),
        ];
        for (kind, declared, head, wanted) in cases {
            assert_eq!(ContentType::judge(*kind, *declared, head).as_str(), *wanted, "{head:?}");
        }
    }

    #[test]
    fn what_the_bytes_do_not_tell_is_believed_only_of_harmless_documents() {
        for (declared, wanted) in [
            (Some("text/plain"), "text/plain"),
            (Some("Text/CSV ; charset=utf-8"), "text/csv"),
            (Some("application/msword"), "application/msword"),
            (Some("text/html"), "application/octet-stream"),
            (Some("image/svg+xml"), "application/octet-stream"),
            (Some("image/jpeg"), "application/octet-stream"),
            (Some(DOCX), "application/octet-stream"),
            (Some("application/pdf"), "application/octet-stream"),
            (None, "application/octet-stream"),
        ] {
            let judged = ContentType::judge(AttachmentKind::Document, declared, b"<html><script>");
            assert_eq!(judged.as_str(), wanted, "{declared:?}");
        }
    }

    #[test]
    fn every_type_reads_back_from_its_name_and_its_extension() {
        for known in ContentType::all() {
            assert_eq!(ContentType::read(known.as_str()), known);
            assert_eq!(ContentType::of_extension(known.extension()), Some(known));
        }
        assert_eq!(ContentType::read("text/html").as_str(), "application/octet-stream");
        assert_eq!(ContentType::of_extension("html"), None);
    }

    proptest! {
        #[test]
        fn nothing_is_shown_that_its_bytes_do_not_prove(
            head in prop::collection::vec(any::<u8>(), 0..80),
            declared in prop::option::of("(image|audio|video|text)/[a-z+.-]{1,10}"),
        ) {
            let judged = ContentType::judge(AttachmentKind::Image, declared.as_deref(), &head);
            if judged.is_shown() {
                prop_assert!(super::sniff(&head).is_some());
            }
        }
    }
}
