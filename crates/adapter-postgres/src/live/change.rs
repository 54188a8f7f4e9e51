//! Notes of changes, written in the transactions that make them.

use diesel::ExpressionMethods;
use domain::{
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
    live::LiveKind,
};

use crate::{schema::live_changes, transaction::Flight};

pub(crate) type About = (Option<ConversationId>, Option<MessageId>);

/// Adds a note of these changes of one kind, as one row. Belongs after the statement that locks what changes:
/// of two changes of the same row the later one then has the higher id.
pub(crate) fn tell(flight: &mut Flight<'_>, workspace: WorkspaceId, kind: LiveKind, about: &[About]) {
    if about.is_empty() {
        return;
    }
    let (conversations, messages): (Vec<_>, Vec<_>) = about
        .iter()
        .map(|(conversation, message)| (conversation.map(ConversationId::uuid), message.map(MessageId::uuid)))
        .unzip();
    flight.add(diesel::insert_into(live_changes::table).values((
        live_changes::workspace_id.eq(workspace.uuid()),
        live_changes::kind.eq(kind.as_str()),
        live_changes::conversations.eq(conversations),
        live_changes::messages.eq(messages),
    )));
}

/// Adds a note of what one member did in a conversation; the kind decides who is notified.
pub(crate) fn tell_of(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    member: MemberId,
    kind: LiveKind,
    conversation: ConversationId,
) {
    flight.add(diesel::insert_into(live_changes::table).values((
        live_changes::workspace_id.eq(workspace.uuid()),
        live_changes::kind.eq(kind.as_str()),
        live_changes::conversations.eq(vec![Some(conversation.uuid())]),
        live_changes::messages.eq(vec![None::<uuid::Uuid>]),
        live_changes::member_id.eq(Some(member.uuid())),
    )));
}
