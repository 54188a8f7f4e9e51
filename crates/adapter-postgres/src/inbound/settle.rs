//! What leaves the journal, and what goes back into it.

use std::collections::HashMap;

use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, Binary, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    ids::WorkspaceId,
    inbound::{SetAside, Settlement},
};
use time::OffsetDateTime;

use crate::sql::{Bind, sql, storable};

/// Takes the entries with these ids out that are in these hands, where a condition holds. One that is in others' hands
/// at that moment stays.
macro_rules! take_out {
    ($ids:literal, $holder:literal $(, $condition:literal)?) => {
        concat!(
            "DELETE FROM journal WHERE journal.holder = ",
            $holder,
            " AND ",
            $crate::sql::with_keys!("journal", "id", $ids $(, $condition)?)
        )
    };
}
pub(super) use take_out;

/// What waits is put back where it is, and loses its place.
pub(super) const SETTLE: &str = concat!(
    "WITH handled AS (",
    take_out!("$2", "$5"),
    ")
    INSERT INTO journal (workspace_id, id, kind, item_sealed, attempts, received_at, place, due_at)
    SELECT $1, entry.id, entry.kind, entry.item_sealed, entry.attempts, entry.received_at, entry.place, later.due_at
    FROM unnest($3, $4) AS later (id, due_at) CROSS JOIN LATERAL (
        SELECT * FROM journal
        WHERE journal.workspace_id = $1 AND journal.id = later.id AND journal.holder = $5 LIMIT 1 FOR UPDATE
    ) entry
    ON CONFLICT (workspace_id, id) DO UPDATE SET due_at = excluded.due_at, holder = 0"
);

/// What was recorded leaves the journal.
pub(super) const FINISH: &str = take_out!("$2", "$3");

pub(super) const TAKE_OUT: &str = concat!(take_out!("$2", "$3"), " RETURNING id, item_sealed, received_at");

/// They stay sealed as they are: some of them cannot be opened.
const SET_ASIDE: &str = "
    INSERT INTO quarantine (reason, payload_sealed, received_at, workspace_id, update_id, network)
    SELECT reason, payload_sealed, received_at, $1, update_id, network
    FROM unnest($2, $3, $4, $5, $6) AS aside (reason, payload_sealed, received_at, update_id, network)";

#[derive(QueryableByName)]
struct TakenOut {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    item_sealed: Vec<u8>,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
}

pub(super) async fn settle(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    settlement: &Settlement,
    holder: i32,
) -> QueryResult<()> {
    let (later, due_at): (Vec<_>, Vec<_>) =
        settlement.postponed.iter().map(|(id, due_at)| (id.uuid(), *due_at)).unzip();
    sql(SETTLE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(settlement.handled.iter().map(|id| id.uuid()).collect::<Vec<_>>())
        .bind::<Array<Uuid>, _>(later)
        .bind::<Array<Timestamptz>, _>(due_at)
        .bind::<Integer, _>(holder)
        .execute(connection)
        .await?;
    Ok(())
}

/// Two statements: the journal belongs to workspaces, the quarantine to none.
pub(super) async fn set_aside(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    entries: &[SetAside],
    holder: i32,
) -> QueryResult<()> {
    let entries: HashMap<uuid::Uuid, &SetAside> =
        entries.iter().map(|entry| (entry.id.uuid(), entry)).collect();
    let rows: Vec<TakenOut> = sql(TAKE_OUT)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(entries.keys().copied().collect::<Vec<_>>())
        .bind::<Integer, _>(holder)
        .load(connection)
        .await?;
    let reason =
        |row: &TakenOut| entries.get(&row.id).map(|entry| storable(&entry.reason)).unwrap_or_default();
    let network = |row: &TakenOut| Some(entries.get(&row.id)?.network?.as_str());
    sql(SET_ASIDE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Text>, _>(rows.iter().map(reason).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(rows.iter().map(|row| row.item_sealed.as_slice()).collect::<Vec<_>>())
        .bind::<Array<Timestamptz>, _>(rows.iter().map(|row| row.received_at).collect::<Vec<_>>())
        .bind::<Array<Uuid>, _>(rows.iter().map(|row| row.id).collect::<Vec<_>>())
        .bind::<Array<Nullable<Text>>, _>(rows.iter().map(network).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
