//! Customers' messages that may trigger rules, noted in the transaction that records them.

use diesel::{ExpressionMethods, QueryDsl};
use domain::ids::{MessageId, WorkspaceId};
use time::OffsetDateTime;

use crate::{
    schema::{automation_triggers, automations},
    sql::insert,
    transaction::Flight,
};

pub(crate) struct SetOff {
    pub(crate) message: MessageId,
    /// Whether the conversation began, or was reopened, with it.
    pub(crate) began: bool,
    pub(crate) created_at: OffsetDateTime,
}

#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn rules_in_force(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    automations::table
        .filter(automations::workspace_id.eq(workspace))
        .filter(automations::enabled)
        .select(automations::id)
}

/// Adds these messages to the triggers of a workspace that has enabled rules.
pub(crate) fn set_off(flight: &mut Flight<'_>, workspace: WorkspaceId, messages: &[SetOff]) {
    flight.insert(
        insert(automation_triggers::table, workspace, messages)
            .column(automation_triggers::message_id, |set_off| set_off.message.uuid())
            .column(automation_triggers::began, |set_off| set_off.began)
            .column(automation_triggers::due_at, |set_off| set_off.created_at),
    );
}
