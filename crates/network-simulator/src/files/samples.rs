//! The smallest valid files of their types.

use actix_web::web::Bytes;
use data_encoding::BASE64;

/// Returns the content type and the bytes of a sample file for a message type.
pub(crate) fn sample(kind: &str) -> Option<(&'static str, Bytes)> {
    let (content_type, base64) = match kind {
        "image" => ("image/png", PNG),
        "sticker" => ("image/webp", WEBP),
        "video" | "video_note" => ("video/mp4", MP4),
        "audio" | "voice" => ("audio/ogg; codecs=opus", OGG),
        "document" | "file" => ("application/pdf", PDF),
        _ => return None,
    };
    Some((content_type, BASE64.decode(base64.as_bytes()).ok()?.into()))
}

/// One pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPQanAAAAHCAOslLP4/AAAAAElFTkSuQmCC";
/// One pixel.
const WEBP: &str = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=";
/// A film without a picture.
const MP4: &str = "AAAAHGZ0eXBpc29tAAACAGlzb21pc28ybXA0MQAAAAhmcmVlAAAACG1kYXQ=";
/// 20 ms of silence in Opus.
const OGG: &str = "T2dnUwACAAAAAAAAAAABAAAAAAAAAByf9dkBE09wdXNIZWFkAQE4AYC7AAAAAABPZ2dTAAAAAAAAAAAAAAEAAAABAAAAh1hgGgEQ\
     T3B1c1RhZ3MAAAAAAAAAAE9nZ1MABMADAAAAAAAAAQAAAAIAAAApk7DdAQP4//4=";
/// One empty page.
const PDF: &str = "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tp\
     ZHNbMyAwIFJdL0NvdW50IDE+PmVuZG9iagozIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgNzIg\
     NzJdPj5lbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo=";

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn each_begins_as_its_kind_does() {
        for (kind, at, magic) in [
            ("image", 0, b"\x89PNG".as_slice()),
            ("sticker", 8, b"WEBP"),
            ("video", 4, b"ftyp"),
            ("audio", 0, b"OggS"),
            ("document", 0, b"%PDF"),
        ] {
            assert!(sample(kind).unwrap().1.slice(at..).starts_with(magic), "{kind}");
        }
        assert!(sample("text").is_none());
    }
}
