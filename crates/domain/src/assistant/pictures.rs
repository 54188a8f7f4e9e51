//! Pictures of customers, as a model is shown them.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use super::model::Picture;
use crate::attachments::{AttachmentKind, StoredAttachment, ports::ObjectStore};

/// Most pictures that a model is shown in a turn.
pub(super) const MOST_PICTURES: usize = 3;
/// Largest picture that it is shown, in bytes.
const LARGEST: usize = 2 * 1024 * 1024;
/// Forms of pictures that models read.
const READABLE: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];

/// Returns whether models can read the file.
pub(super) fn is_readable(file: &StoredAttachment) -> bool {
    file.kind != AttachmentKind::Sticker
        && READABLE.contains(&file.content_type.as_str())
        && usize::try_from(file.bytes).is_ok_and(|bytes| bytes <= LARGEST)
}

/// Loads pictures in their order; `None` if one cannot be had now.
pub(super) async fn load(objects: &dyn ObjectStore, files: &[StoredAttachment]) -> Option<Vec<Picture>> {
    let mut pictures = Vec::new();
    for file in files {
        let mut stored = objects.open(&file.key).await.ok()??.bytes;
        let mut bytes = BytesMut::new();
        while let Some(part) = stored.next().await {
            bytes.extend_from_slice(&part.ok()?);
            if bytes.len() > LARGEST {
                return None;
            }
        }
        pictures.push(Picture { content_type: file.content_type.as_str(), bytes: Bytes::from(bytes) });
    }
    Some(pictures)
}
