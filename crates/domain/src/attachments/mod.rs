//! Files that come with messages: fetched after the message is recorded, kept, and linked for a day at a time; and
//! files that the team brings to send.

mod carriage;
mod checked;
mod content_type;
mod kind;
mod links;
mod object_key;
pub mod ports;
mod schedule;
mod settle;
mod uploads;

pub use carriage::{Carriage, MAX_CAPTION_CHARS};
pub use content_type::{ContentType, HEAD};
pub use kind::AttachmentKind;
pub use links::{DeadLink, OpenAttachment, OpenError, SignedLinks};
pub use object_key::ObjectKey;
pub use settle::{FilesReport, SettleFiles, linked};
pub use uploads::{BroughtFile, SweepUploads, TakeUpload, UNUSED_FOR, UploadError};

use std::fmt;

use serde::Serialize;

/// A file that is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredAttachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// Where it is kept.
    pub key: ObjectKey,
    /// What it is served as.
    pub content_type: ContentType,
    /// Its size.
    pub bytes: u64,
    /// Its name, where it has one.
    pub title: Option<String>,
}

impl fmt::Debug for StoredAttachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredAttachment").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A file as the API and the events show it. Prints neither link nor name.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// What it is.
    pub kind: AttachmentKind,
    /// A link that is good for [`LINK_LIFETIME`](ports::LINK_LIFETIME).
    pub url: String,
    /// Its MIME type.
    pub content_type: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its name, where it has one.
    pub title: Option<String>,
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment").field("kind", &self.kind).finish_non_exhaustive()
    }
}
