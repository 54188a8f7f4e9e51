//! The files that a recorded message waits for, written by the statement that records it.

use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    inbound::{InboundMedia, MediaSource},
};
use serde_json::{Value, json};

use super::stored::shown_name;
use crate::{PgStore, error::locked, places};

/// Common table expressions that write the files of recorded messages and have their messages wait for them. The
/// statement they stand in has the workspace as `$1` and what [`PgStore::awaited_files`] makes as the named
/// parameter, a `jsonb`; before them is a table `recorded (id, created_at)` of the messages that it records now. Files
/// of any other message are left out.
macro_rules! attach {
    ($files:literal) => {
        concat!(
            "attached AS (
            INSERT INTO attachments (workspace_id, message_id, position, kind, source_sealed, sha256,
                                     content_type, title, voice)
            SELECT $1, recorded.id, file.position, file.kind, decode(file.source, 'hex'),
                   decode(file.sha256, 'hex'), file.content_type, file.title, file.voice
            FROM jsonb_to_recordset(",
            $files,
            ") AS file (message uuid, position integer, kind text, source text, sha256 text,
                        content_type text, title text, voice boolean)
            JOIN recorded ON recorded.id = file.message
            RETURNING message_id
        ), awaited AS (
            INSERT INTO attachment_queue (workspace_id, message_id, recorded_at, due_at)
            SELECT $1, id, created_at, created_at FROM recorded
            WHERE id IN (SELECT message_id FROM attached)
        )"
        )
    };
}
pub(crate) use attach;

impl PgStore {
    /// The files of messages that are about to be recorded, for [`attach!`]; their sources sealed.
    pub(crate) fn awaited_files<'a>(
        &self,
        workspace: WorkspaceId,
        messages: impl IntoIterator<Item = (MessageId, &'a [InboundMedia])>,
    ) -> Result<Value, StoreError> {
        let mut rows = Vec::new();
        for (message, files) in messages {
            for (position, file) in (0_u16..).zip(files) {
                let source = serde_json::to_vec(&file.source)
                    .map_err(|error| StoreError::Internal(error.to_string()))?;
                let place = places::file_source(workspace, message, position.into());
                let source = self.vault.seal(&source, &place).map_err(locked)?;
                rows.push(json!({
                    "message": message,
                    "position": position,
                    "kind": file.kind.as_str(),
                    "source": hex::encode(source),
                    "sha256": file.sha256.as_ref().map(hex::encode),
                    "content_type": file.content_type.as_deref().map(storable),
                    "title": file.title.as_deref().and_then(shown_name).as_deref().map(storable),
                    "voice": file.voice,
                }));
            }
        }
        Ok(Value::Array(rows))
    }

    /// Opens what a network is asked for; `None` when it cannot be read.
    pub(super) fn open_source(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        position: u16,
        sealed: &[u8],
    ) -> Result<Option<MediaSource>, StoreError> {
        let place = places::file_source(workspace, message, position.into());
        let plain = self.vault.open(sealed, &place).map_err(locked)?;
        Ok(serde_json::from_slice(&plain).ok())
    }
}

/// A text without the one character that no text of the database may hold.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}
