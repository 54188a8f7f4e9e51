//! Files that come with messages: fetched after the message is recorded, kept, and linked for a day at a
//! time; and files that team members upload to send.

mod byte_range;
mod carriage;
pub(crate) mod checked;
mod content_type;
mod file_name;
mod kind;
mod linked;
mod links;
mod media_source;
mod object_key;
mod pixels;
pub mod ports;
mod uploads;

pub use byte_range::AskedBytes;
pub use carriage::{Carriage, MAX_CAPTION_CHARS};
pub use content_type::ContentType;
pub use file_name::file_name;
pub use kind::AttachmentKind;
pub use linked::linked;
pub use links::{DeadLink, OpenAttachment, OpenError, OpenedFile, SignedLinks};
pub use media_source::MediaSource;
pub use object_key::ObjectKey;
pub use ports::UploadError;
pub use uploads::{BroughtFile, SweepUploads, TakeUpload, UNUSED_FOR};

use std::fmt;

use serde::Serialize;

/// A file in the object store.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    pub kind: AttachmentKind,
    pub key: ObjectKey,
    pub content_type: ContentType,
    pub bytes: u64,
    pub title: Option<String>,
}

impl fmt::Debug for StoredAttachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredAttachment").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A file as the API and the events show it. Its `Debug` output has neither link nor name.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub kind: AttachmentKind,
    /// Valid for [`LINK_LIFETIME`](ports::LINK_LIFETIME).
    pub url: String,
    pub content_type: &'static str,
    pub bytes: u64,
    pub title: Option<String>,
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment").field("kind", &self.kind).finish_non_exhaustive()
    }
}
