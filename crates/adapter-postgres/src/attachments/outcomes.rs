//! Statements that write the outcome of fetching a message's files.

use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    inbound::files::ports::FileOutcome,
};

use crate::{
    schema::{attachments, messages},
    sql::update,
    transaction::Flight,
};

pub(super) struct Outcome<'a> {
    position: i32,
    state: &'static str,
    key: Option<&'a str>,
    content_type: Option<&'a str>,
    bytes: Option<i64>,
}

impl<'a> Outcome<'a> {
    pub(super) fn of(FileOutcome { position, stored }: &'a FileOutcome) -> Result<Self, StoreError> {
        let bytes = stored.as_ref().map(|stored| i64::try_from(stored.bytes)).transpose();
        Ok(Self {
            position: i32::from(*position),
            state: if stored.is_some() { "stored" } else { "given_up" },
            key: stored.as_ref().map(|stored| stored.key.as_str()),
            content_type: stored.as_ref().map(|stored| stored.content_type.as_str()),
            bytes: bytes.map_err(|error| StoreError::Internal(error.to_string()))?,
        })
    }

    pub(super) const fn is_stored(&self) -> bool {
        self.key.is_some()
    }
}

pub(super) fn settle(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    message: MessageId,
    outcomes: &[Outcome<'_>],
) {
    flight.update(
        update(attachments::table, workspace, outcomes)
            .key(attachments::message_id, |_| message.uuid())
            .key(attachments::position, |outcome| outcome.position)
            .guard(attachments::state, |_| "pending")
            .set(attachments::state, |outcome| outcome.state)
            .set(attachments::source_sealed, |_| None::<&[u8]>)
            .set(attachments::object_key, |outcome| outcome.key)
            .set_to(
                attachments::content_type,
                |outcome| outcome.content_type,
                "coalesce(new.content_type, attachments.content_type)",
            )
            .set(attachments::bytes, |outcome| outcome.bytes),
    );
}

/// Adds the appending of a voice note's words to the message's transcription.
pub(super) fn transcribe(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    message: MessageId,
    words: Option<&str>,
) {
    let words: Vec<&str> = words.into_iter().collect();
    flight.update(
        update(messages::table, workspace, &words)
            .key(messages::id, |_| message.uuid())
            .set_to(
                messages::transcription,
                |words| Some(*words),
                "coalesce(messages.transcription || E'\\n', '') || new.transcription",
            )
            .set(messages::searchable, |_| None::<&str>),
    );
}
