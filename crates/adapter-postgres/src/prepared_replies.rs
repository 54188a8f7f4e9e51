//! Replies that wait to be sent, sealed.

use diesel::{Queryable, Selectable};
use domain::{
    errors::StoreError,
    fence::Fence,
    ids::{DraftId, MemberId, MessageId, WorkspaceId},
    messages::{PreparedReply, ReplyAuthor, ReplyButton},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{
    Database,
    error::{locked, unreadable},
    places,
    schema::prepared_replies,
    sql::insert,
    transaction::Flight,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = prepared_replies)]
pub(crate) struct PreparedRow {
    pub(crate) id: uuid::Uuid,
    pub(crate) conversation_id: uuid::Uuid,
    pub(crate) author_id: Option<uuid::Uuid>,
    pub(crate) reply_sealed: Vec<u8>,
    pub(crate) summary_of: Option<uuid::Uuid>,
    pub(crate) good_until: OffsetDateTime,
}

/// A prepared reply, as serialized inside the seal.
#[derive(Serialize, Deserialize)]
struct StoredReply {
    text: String,
    /// Id and title of each.
    buttons: Vec<(String, String)>,
    /// Version and count of the fence, if the reply depends on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fence: Option<(i64, i64)>,
    /// Time of the hand-over that the reply announces, in nanoseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handed_over_at: Option<i128>,
}

impl Database {
    /// Adds a draft's summary, or another reply, to those to be sent at `due_at`, unless it waits already.
    pub(crate) fn add_prepared(
        &self,
        flight: &mut Flight<'_>,
        workspace: WorkspaceId,
        reply: &PreparedReply,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let sealed = self.seal_prepared(workspace, reply)?;
        let rows = [reply];
        flight.insert(
            insert(prepared_replies::table, workspace, &rows)
                .column(prepared_replies::id, |reply| reply.id.uuid())
                .column(prepared_replies::conversation_id, |reply| reply.conversation.uuid())
                .column(prepared_replies::author_id, |reply| reply.author.member().map(MemberId::uuid))
                .column(prepared_replies::reply_sealed, |_| sealed.clone())
                .column(prepared_replies::summary_of, |reply| reply.summary_of.map(DraftId::uuid))
                .column(prepared_replies::due_at, |_| due_at)
                .column(prepared_replies::good_until, |reply| reply.until)
                .on_conflict_do_nothing(),
        );
        Ok(())
    }

    fn seal_prepared(&self, workspace: WorkspaceId, reply: &PreparedReply) -> Result<Vec<u8>, StoreError> {
        let buttons = reply.buttons.iter().map(|button| (button.id.clone(), button.title.clone()));
        let fence = reply.fence.map(|fence| (fence.version, fence.heard));
        let handed_over_at = reply.handed_over_at.map(OffsetDateTime::unix_timestamp_nanos);
        let stored =
            StoredReply { text: reply.text.clone(), buttons: buttons.collect(), fence, handed_over_at };
        let written = serde_json::to_vec(&stored).map_err(|_| unreadable("reply"))?;
        self.vault.seal(&written, &places::prepared_reply(workspace, reply.id)).map_err(locked)
    }

    pub(crate) fn open_prepared(
        &self,
        workspace: WorkspaceId,
        row: &PreparedRow,
    ) -> Result<PreparedReply, StoreError> {
        let id: MessageId = row.id.into();
        let written = self.vault.open(&row.reply_sealed, &places::prepared_reply(workspace, id));
        let stored: StoredReply =
            serde_json::from_slice(&written.map_err(locked)?).map_err(|_| unreadable("reply"))?;
        let button = |(id, title)| ReplyButton { id, title };
        let conversation = row.conversation_id.into();
        Ok(PreparedReply {
            id,
            conversation,
            author: ReplyAuthor::of(row.author_id.map(Into::into)),
            text: stored.text,
            buttons: stored.buttons.into_iter().map(button).collect(),
            summary_of: row.summary_of.map(Into::into),
            until: row.good_until,
            fence: stored.fence.map(|(version, heard)| Fence { conversation, version, heard }),
            handed_over_at: stored
                .handed_over_at
                .and_then(|at| OffsetDateTime::from_unix_timestamp_nanos(at).ok()),
        })
    }
}
