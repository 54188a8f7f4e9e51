//! Names of stored files.

use std::fmt;

use super::content_type::ContentType;
use crate::{
    hex::hex,
    ids::{MessageId, UploadId, WorkspaceId},
    vault::Vault,
};

/// Name of a stored file, below that of its workspace. Only the server's keys can compute it, and it is the
/// same however often the file is fetched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ObjectKey(String);

impl ObjectKey {
    /// Returns the key of a message's attachment; `position` counts from 0.
    pub fn of(
        vault: &dyn Vault,
        workspace: WorkspaceId,
        message: MessageId,
        position: u16,
        content_type: ContentType,
    ) -> Self {
        let ids = [workspace.uuid().as_bytes().as_slice(), message.uuid().as_bytes()].concat();
        let named = [ids.as_slice(), &position.to_be_bytes()].concat();
        let name = hex(&vault.keyed_hash("attachment", &named));
        Self(format!("{workspace}/{name}.{}", content_type.extension()))
    }

    /// Returns the key of a file that a team member uploads.
    pub fn of_upload(
        vault: &dyn Vault,
        workspace: WorkspaceId,
        upload: UploadId,
        content_type: ContentType,
    ) -> Self {
        let ids = [workspace.uuid().as_bytes().as_slice(), upload.uuid().as_bytes()].concat();
        let name = hex(&vault.keyed_hash("upload", &ids));
        Self(format!("{workspace}/{name}.{}", content_type.extension()))
    }

    /// Parses a key; `None` for anything that could not be one, so that none leads out of the store.
    pub fn read(text: &str) -> Option<Self> {
        let (workspace, file) = text.split_once('/')?;
        let (name, extension) = file.split_once('.')?;
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_key = workspace.len() == 36
            && workspace.split('-').all(is_hex)
            && name.len() == 64
            && is_hex(name)
            && ContentType::of_extension(extension).is_some();
        is_key.then(|| Self(text.to_owned()))
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the type that the file is served as, by the extension of its name.
    pub fn content_type(&self) -> ContentType {
        let extension = self.0.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        ContentType::of_extension(extension).unwrap_or_else(|| ContentType::read(""))
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{super::ContentType, ObjectKey};
    use crate::testing::{a_vault, a_workspace};

    fn key(position: u16) -> ObjectKey {
        let message = Uuid::from_u128(7).into();
        ObjectKey::of(&a_vault(), a_workspace().id, message, position, ContentType::read("image/jpeg"))
    }

    #[test]
    fn a_key_is_its_attachment_s_own_and_reads_back() {
        assert_eq!(key(0), key(0));
        assert_ne!(key(0), key(1));
        assert!(key(0).as_str().starts_with(&format!("{}/", a_workspace().id)));
        assert_eq!(ObjectKey::read(key(0).as_str()), Some(key(0)));
        assert_eq!(key(0).content_type().as_str(), "image/jpeg");
    }

    #[test]
    fn no_other_text_is_a_key() {
        let good = key(0).as_str().to_owned();
        for text in [
            String::new(),
            "../../etc/passwd".to_owned(),
            good.replace('/', "/../"),
            good.replace(".jpg", ".html"),
            good.replace(".jpg", "/.jpg"),
            format!("{good}/"),
            format!("/{good}"),
            good.to_uppercase(),
        ] {
            assert_eq!(ObjectKey::read(&text), None, "{text}");
        }
    }
}
