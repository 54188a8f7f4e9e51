//! Places under a plan with a limit of active customers a month.

use diesel::{
    AggregateExpressionMethods, BoolExpressionMethods, ExpressionMethods, NullableExpressionMethods,
    QueryDsl, QueryResult,
    dsl::{count, exists, not},
};
use diesel_async::AsyncPgConnection;
use domain::{
    ids::{MessageId, WorkspaceId},
    sending::{ConversationEntry, PlanUse},
    workspaces::Month,
};
use futures_util::future::try_join4;

use crate::{
    schema::{contacts, plan_reservations, workspaces},
    sql::{RunQueryDsl, insert},
    transaction::Flight,
};

/// Whether the recipient already counts as an active customer, which cannot change within the month.
pub(super) async fn is_active(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    entry: &ConversationEntry,
    month: Month,
) -> QueryResult<bool> {
    let active = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::active_month.eq(month.first_day()))
        .select(contacts::id);
    match (entry.reply(), entry.template_send()) {
        (Some(reply), _) => {
            let of_reply = active.filter(contacts::id.eq(reply.contact.uuid()));
            diesel::select(exists(of_reply)).get_result(&mut { connection }).await
        }
        (None, Some(template_send)) => {
            let of_template_send = active.filter(contacts::phone.eq(template_send.to.as_str()));
            diesel::select(exists(of_template_send)).get_result(&mut { connection }).await
        }
        (None, None) => Ok(false),
    }
}

/// Computes the use of the plan. Locks the workspace until the transaction ends, with `FOR NO KEY UPDATE` so
/// that contacts, which reference it, can still be recorded. The rest is read after the lock, and sees what
/// earlier holders have written.
pub(super) async fn plan_use(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    person: &str,
    month: Month,
) -> QueryResult<PlanUse> {
    let (workspace, month) = (workspace.uuid(), month.first_day());
    let lock = workspaces::table
        .filter(workspaces::workspace_id.eq(workspace))
        .select(workspaces::workspace_id)
        .for_no_key_update();
    let active =
        contacts::table.filter(contacts::workspace_id.eq(workspace)).filter(contacts::active_month.eq(month));
    let reserved = plan_reservations::table
        .filter(plan_reservations::workspace_id.eq(workspace))
        .filter(plan_reservations::month.eq(month));
    let is_active = exists(active.filter(contacts::phone.eq(person)).select(contacts::id));
    let has_place =
        exists(reserved.filter(plan_reservations::person.eq(person)).select(plan_reservations::send_id));
    let is_counted = diesel::select(is_active.or(has_place));
    let is_active =
        active.filter(contacts::phone.eq(plan_reservations::person.nullable())).select(contacts::id);
    let others =
        reserved.filter(not(exists(is_active))).select(count(plan_reservations::person).aggregate_distinct());
    let (_, is_counted, active, reserved) = try_join4(
        lock.execute(&mut { connection }),
        is_counted.get_result(&mut { connection }),
        active.count().get_result::<i64>(&mut { connection }),
        others.get_result::<i64>(&mut { connection }),
    )
    .await?;
    Ok(PlanUse { is_counted, used: u64::try_from(active.saturating_add(reserved)).unwrap_or_default() })
}

pub(super) fn reserve(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    send: MessageId,
    person: &str,
    month: Month,
) {
    let place = [(person, month.first_day())];
    flight.insert(
        insert(plan_reservations::table, workspace, &place)
            .column(plan_reservations::month, |(_, month)| *month)
            .column(plan_reservations::person, |(person, _)| *person)
            .column(plan_reservations::send_id, |_| send.uuid())
            .returning(plan_reservations::send_id),
    );
}
