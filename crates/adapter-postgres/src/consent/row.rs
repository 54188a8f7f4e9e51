//! Drafts as rows.

use diesel::{Queryable, Selectable};
use domain::{
    consent::{Draft, Proposal, ports::Question},
    errors::StoreError,
    ids::{DraftId, WorkspaceId},
    language::Language,
    messages::ReplyAuthor,
};
use time::OffsetDateTime;

use super::PgConsent;
use crate::{
    error::{locked, unreadable},
    places,
    schema::drafts,
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
    pub(super) question_id: Option<uuid::Uuid>,
    pub(super) asked_at: Option<OffsetDateTime>,
}

impl DraftRow {
    pub(super) fn question(&self) -> Question {
        question_of(self.question_id, self.asked_at, (self.summary_id, self.created_at))
    }
}

/// Reads the question of a draft, which its summary, made `first`, puts until it is put again.
pub(super) fn question_of(
    message: Option<uuid::Uuid>,
    at: Option<OffsetDateTime>,
    first: (uuid::Uuid, OffsetDateTime),
) -> Question {
    let (message, at) = message.zip(at).unwrap_or(first);
    Question { message: message.into(), at }
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
}
