//! Merging of conversations.

use diesel::ExpressionMethods;
use domain::{
    consent::DraftState,
    ids::{ConversationId, WorkspaceId},
};

use super::closed::Closed;
use crate::{
    schema::{commitments, drafts, prepared_replies},
    transaction::Flight,
};

/// Moves drafts, commitments and replies to the conversation that stays. Withdraws the open draft of the one
/// that goes, since a conversation has at most one. Its messages from now on stand among those that could
/// answer the other's draft, though they answered something else: that draft can only be confirmed by its
/// button.
pub(crate) fn move_consent(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    gone: ConversationId,
    kept: ConversationId,
) {
    flight.add(
        diesel::update(drafts::table)
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::conversation_id.eq(gone.uuid()))
            .filter(drafts::state.eq("open"))
            .set(Closed::to(DraftState::Withdrawn)),
    );
    flight.add(
        diesel::update(drafts::table)
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::conversation_id.eq(kept.uuid()))
            .filter(drafts::state.eq("open"))
            .set(drafts::only_button.eq(true)),
    );
    flight.add(
        diesel::delete(prepared_replies::table)
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::conversation_id.eq(gone.uuid()))
            .filter(prepared_replies::summary_of.is_not_null()),
    );
    flight.add(
        diesel::update(drafts::table)
            .filter(drafts::workspace_id.eq(workspace.uuid()))
            .filter(drafts::conversation_id.eq(gone.uuid()))
            .set(drafts::conversation_id.eq(kept.uuid())),
    );
    flight.add(
        diesel::update(commitments::table)
            .filter(commitments::workspace_id.eq(workspace.uuid()))
            .filter(commitments::conversation_id.eq(gone.uuid()))
            .set(commitments::conversation_id.eq(kept.uuid())),
    );
    flight.add(
        diesel::update(prepared_replies::table)
            .filter(prepared_replies::workspace_id.eq(workspace.uuid()))
            .filter(prepared_replies::conversation_id.eq(gone.uuid()))
            .set(prepared_replies::conversation_id.eq(kept.uuid())),
    );
}
