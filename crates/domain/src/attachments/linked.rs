//! Links to stored files.

use super::{Attachment, StoredAttachment, ports::AttachmentLinks};
use crate::errors::StoreError;

/// Adds links to stored files.
///
/// # Errors
/// [`StoreError::Unavailable`] if a link cannot be made now.
pub async fn linked(
    links: &dyn AttachmentLinks,
    stored: Vec<StoredAttachment>,
) -> Result<Vec<Attachment>, StoreError> {
    let mut attachments = Vec::with_capacity(stored.len());
    for StoredAttachment { kind, key, content_type, bytes, title } in stored {
        let url = links.link(&key).await.map_err(|error| StoreError::Unavailable(error.to_string()))?;
        attachments.push(Attachment { kind, url, content_type: content_type.as_str(), bytes, title });
    }
    Ok(attachments)
}
