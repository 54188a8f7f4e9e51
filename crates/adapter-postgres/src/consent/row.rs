//! Drafts and prepared replies as rows.

use diesel::{Queryable, Selectable};
use domain::{
    assistant::Fence,
    consent::{Draft, Language, PreparedReply, Proposal},
    errors::StoreError,
    ids::{DraftId, MessageId, WorkspaceId},
    sending::{ReplyAuthor, ReplyButton},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::PgConsent;
use crate::{
    error::{locked, unreadable},
    places,
    schema::{drafts, prepared_replies},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = drafts)]
pub(super) struct DraftRow {
    pub(super) id: uuid::Uuid,
    pub(super) conversation_id: uuid::Uuid,
    pub(super) language: String,
    pub(super) proposal_sealed: Option<Vec<u8>>,
    pub(super) summary_id: uuid::Uuid,
    pub(super) author_id: Option<uuid::Uuid>,
    pub(super) system_id: uuid::Uuid,
    pub(super) created_at: OffsetDateTime,
    pub(super) expires_at: OffsetDateTime,
    pub(super) tried: bool,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = prepared_replies)]
pub(super) struct PreparedRow {
    pub(super) id: uuid::Uuid,
    pub(super) conversation_id: uuid::Uuid,
    pub(super) author_id: Option<uuid::Uuid>,
    pub(super) reply_sealed: Vec<u8>,
    pub(super) summary_of: Option<uuid::Uuid>,
    pub(super) good_until: OffsetDateTime,
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

impl PgConsent {
    pub(super) fn seal_proposal(&self, workspace: WorkspaceId, draft: &Draft) -> Result<Vec<u8>, StoreError> {
        let place = places::draft_proposal(workspace, draft.id);
        self.database.vault.seal(&draft.proposal.canonical(), &place).map_err(locked)
    }

    pub(super) fn open_proposal(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
        sealed: Option<&[u8]>,
    ) -> Result<Proposal, StoreError> {
        let sealed = sealed.ok_or_else(|| unreadable("proposal"))?;
        let written = self.database.vault.open(sealed, &places::draft_proposal(workspace, draft));
        Proposal::read(&written.map_err(locked)?).ok_or_else(|| unreadable("proposal"))
    }

    pub(super) fn read_draft(&self, workspace: WorkspaceId, row: &DraftRow) -> Result<Draft, StoreError> {
        let id = row.id.into();
        Ok(Draft {
            id,
            conversation: row.conversation_id.into(),
            proposal: self.open_proposal(workspace, id, row.proposal_sealed.as_deref())?,
            summary: row.summary_id.into(),
            author: ReplyAuthor::of(row.author_id.map(Into::into)),
            system: row.system_id.into(),
            language: Language::read(&row.language).ok_or_else(|| unreadable("language"))?,
            tried: row.tried,
            created_at: row.created_at,
            expires_at: row.expires_at,
        })
    }

    pub(super) fn seal_reply(
        &self,
        workspace: WorkspaceId,
        reply: &PreparedReply,
    ) -> Result<Vec<u8>, StoreError> {
        let buttons = reply.buttons.iter().map(|button| (button.id.clone(), button.title.clone()));
        let fence = reply.fence.map(|fence| (fence.version, fence.heard));
        let handed_over_at = reply.handed_over_at.map(OffsetDateTime::unix_timestamp_nanos);
        let stored =
            StoredReply { text: reply.text.clone(), buttons: buttons.collect(), fence, handed_over_at };
        let written = serde_json::to_vec(&stored).map_err(|_| unreadable("reply"))?;
        self.database.vault.seal(&written, &places::prepared_reply(workspace, reply.id)).map_err(locked)
    }

    pub(super) fn read_reply(
        &self,
        workspace: WorkspaceId,
        row: &PreparedRow,
    ) -> Result<PreparedReply, StoreError> {
        let id: MessageId = row.id.into();
        let written = self.database.vault.open(&row.reply_sealed, &places::prepared_reply(workspace, id));
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
