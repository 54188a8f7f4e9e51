//! Files of a message as its statement returns them.

use domain::{
    attachments::{AttachmentKind, ContentType, ObjectKey, StoredAttachment, file_name},
    errors::StoreError,
};
use serde::Deserialize;

use crate::error::unreadable;

pub(crate) fn read_missing(kinds: &[String]) -> Result<Vec<AttachmentKind>, StoreError> {
    kinds.iter().map(|kind| AttachmentKind::read(kind).ok_or_else(|| unreadable("kind"))).collect()
}

#[derive(Deserialize)]
pub(crate) struct StoredRow {
    pub(crate) kind: String,
    pub(crate) key: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Option<u64>,
    pub(crate) title: Option<String>,
}

impl StoredRow {
    pub(crate) fn read(self) -> Result<StoredAttachment, StoreError> {
        let key = self.key.as_deref().and_then(ObjectKey::read);
        Ok(StoredAttachment {
            kind: AttachmentKind::read(&self.kind).ok_or_else(|| unreadable("kind"))?,
            key: key.ok_or_else(|| unreadable("object key"))?,
            content_type: ContentType::read(self.content_type.as_deref().unwrap_or_default()),
            bytes: self.bytes.ok_or_else(|| unreadable("size"))?,
            title: self.title.as_deref().and_then(file_name),
        })
    }
}

#[derive(Deserialize)]
struct FileRow {
    state: String,
    #[serde(flatten)]
    file: StoredRow,
}

/// The files of a message by state, each list in the message's order.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) stored: Vec<StoredAttachment>,
    /// Files that could not be fetched: given up, or the message's event went out without them.
    pub(crate) missing: Vec<AttachmentKind>,
    pub(crate) awaited: Vec<AttachmentKind>,
}

pub(crate) fn read_files(list: Option<serde_json::Value>) -> Result<Files, StoreError> {
    let rows: Option<Vec<FileRow>> =
        list.map(serde_json::from_value).transpose().map_err(|_| unreadable("list of files"))?;
    let mut files = Files::default();
    for FileRow { state, file } in rows.unwrap_or_default() {
        let kind = || AttachmentKind::read(&file.kind).ok_or_else(|| unreadable("kind"));
        match state.as_str() {
            "stored" => files.stored.push(file.read()?),
            "awaited" => files.awaited.push(kind()?),
            _ => files.missing.push(kind()?),
        }
    }
    Ok(files)
}
