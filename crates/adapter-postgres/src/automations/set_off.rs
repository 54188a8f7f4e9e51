//! Customers' messages that may set rules off, noted in the transaction that records them.

use diesel::{ExpressionMethods, QueryDsl};
use domain::ids::{MessageId, WorkspaceId};
use time::OffsetDateTime;

use crate::{
    schema::{automation_triggers, automations},
    sql::insert,
    transaction::Flight,
};

/// A customer's message.
pub(crate) struct SetOff {
    pub(crate) message: MessageId,
    /// Whether its conversation began with it, or anew.
    pub(crate) began: bool,
    pub(crate) created_at: OffsetDateTime,
}

/// The workspace's rules in force.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn rules_in_force(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    automations::table
        .filter(automations::workspace_id.eq(workspace))
        .filter(automations::enabled)
        .select(automations::id)
}

/// Adds what notes these messages, for a workspace that has rules in force.
pub(crate) fn set_off(flight: &mut Flight<'_>, workspace: WorkspaceId, messages: &[SetOff]) {
    flight.insert(
        insert(automation_triggers::table, workspace, messages)
            .column(automation_triggers::message_id, |set_off| set_off.message.uuid())
            .column(automation_triggers::began, |set_off| set_off.began)
            .column(automation_triggers::due_at, |set_off| set_off.created_at),
    );
}
