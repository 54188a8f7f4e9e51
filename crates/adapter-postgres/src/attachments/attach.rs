//! Files that a recorded message waits for, written in the transaction that records it.

use domain::{
    attachments::{MediaSource, file_name},
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    inbound::InboundMedia,
};
use time::OffsetDateTime;

use crate::{
    Database,
    error::locked,
    places,
    schema::{attachment_queue, attachments},
    sql::{insert, storable},
    transaction::Flight,
};

pub(crate) struct AwaitedFile {
    message: uuid::Uuid,
    position: i32,
    kind: &'static str,
    source: Vec<u8>,
    sha256: Option<Vec<u8>>,
    content_type: Option<String>,
    title: Option<String>,
    voice: bool,
    recorded_at: OffsetDateTime,
}

impl Database {
    pub(crate) fn files_to_fetch(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        recorded_at: OffsetDateTime,
        files: &[InboundMedia],
    ) -> Result<Vec<AwaitedFile>, StoreError> {
        let row = |(position, file): (u16, &InboundMedia)| {
            let source =
                serde_json::to_vec(&file.source).map_err(|error| StoreError::Internal(error.to_string()))?;
            let place = places::file_source(workspace, message, position.into());
            Ok(AwaitedFile {
                message: message.uuid(),
                position: position.into(),
                kind: file.kind.as_str(),
                source: self.vault.seal(&source, &place).map_err(locked)?,
                sha256: file.sha256.clone(),
                content_type: file.content_type.as_deref().map(storable),
                title: file.title.as_deref().and_then(file_name).as_deref().map(storable),
                voice: file.voice,
                recorded_at,
            })
        };
        (0_u16..).zip(files).map(row).collect()
    }

    /// Opens the source that a network is asked for; `None` if it is not readable.
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

/// Adds these files, and queues their messages until they are fetched.
pub(crate) fn attach(flight: &mut Flight<'_>, workspace: WorkspaceId, files: &[AwaitedFile]) {
    let first: Vec<&AwaitedFile> = files.iter().filter(|file| file.position == 0).collect();
    flight.insert(
        insert(attachments::table, workspace, files)
            .column(attachments::message_id, |file| file.message)
            .column(attachments::position, |file| file.position)
            .column(attachments::kind, |file| file.kind)
            .column(attachments::source_sealed, |file| Some(file.source.as_slice()))
            .column(attachments::sha256, |file| file.sha256.as_deref())
            .column(attachments::content_type, |file| file.content_type.as_deref())
            .column(attachments::title, |file| file.title.as_deref())
            .column(attachments::voice, |file| file.voice),
    );
    flight.insert(
        insert(attachment_queue::table, workspace, &first)
            .column(attachment_queue::message_id, |file| file.message)
            .column(attachment_queue::recorded_at, |file| file.recorded_at)
            .column(attachment_queue::due_at, |file| file.recorded_at),
    );
}
