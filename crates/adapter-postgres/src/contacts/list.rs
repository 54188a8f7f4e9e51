//! Lists of contacts: a page and the exact total.

use std::sync::LazyLock;

use diesel::{
    ExpressionMethods, QueryDsl, QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{contacts::Search, ids::WorkspaceId, paging::PageRequest, phone::PhoneNumber};
use futures_util::future::try_join;

use super::row::{ContactRow, ProfileRow, ShownRow, profile};
use crate::{
    schema::{contact_counts, contacts},
    sql::{RunQueryDsl, TextByTopology, Topology, after, statement},
};

/// Most matches that are collected and sorted. If there are more, a walk from the newest contact on finds a
/// page sooner: with a million contacts either takes some milliseconds at this limit.
const FEW: i64 = 4_000;

/// Condition of a match: the index on grams, then `:patterns`, any of which must match, made from `:parts`.
/// On one server the workspace is compared in a way that no index serves: a plan made for workspaces of
/// average size would read all of a large one by such an index. A cluster plans by values, and finds the
/// workspace's node only by `=`.
pub(crate) const MATCHING: &str = "workspace_id {is} :workspace
    AND (contact_grams(workspace_id, searchable) @> part_grams(:workspace, :parts[1])
         OR contact_grams(workspace_id, searchable) @> part_grams(:workspace, :parts[2])
         OR contact_grams(workspace_id, searchable) @> part_grams(:workspace, :parts[3])
         OR contact_grams(workspace_id, searchable) @> part_grams(:workspace, :parts[4]))
    AND searchable LIKE ANY (:patterns)";

/// `:counted` is the only part, if its total is known without counting.
///
/// Few matches are collected by the index and sorted. Of many, the page comes from a walk along the newest
/// contacts; `OFFSET 0` keeps the planner from turning that into a scan with a sort. If the page is empty,
/// one row has the total.
pub(super) const SEARCH: &str = "
    WITH known AS (
        SELECT coalesce(sum(contacts), 0)::bigint AS contacts FROM contact_part_counts
        WHERE workspace_id = :workspace AND part = :counted HAVING :counted IS NOT NULL
    ), few AS MATERIALIZED (
        SELECT * FROM contacts
        WHERE {matching} AND coalesce((SELECT contacts FROM known), 0) <= :few
        LIMIT :few + 1
    ), collected AS (
        SELECT count(*) AS contacts FROM few
    ), total AS MATERIALIZED (
        SELECT CASE WHEN known.contacts IS NOT NULL THEN known.contacts
                    WHEN collected.contacts <= :few THEN collected.contacts
                    ELSE (SELECT count(*) FROM contacts WHERE {matching}) END AS contacts
        FROM collected LEFT JOIN known ON true
    ), page AS (
        (SELECT * FROM few
         WHERE (few.created_at, few.id)
               < (coalesce(:at, 'infinity'), coalesce(:id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
           AND (SELECT contacts <= :few FROM total)
         ORDER BY few.created_at DESC, few.id DESC LIMIT :rows)
        UNION ALL
        (SELECT * FROM (
             SELECT * FROM contacts known
             WHERE known.workspace_id = :workspace
               AND (known.created_at, known.id)
                   < (coalesce(:at, 'infinity'), coalesce(:id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
             ORDER BY known.created_at DESC, known.id DESC OFFSET 0
         ) newest
         WHERE searchable LIKE ANY (:patterns) AND (SELECT contacts > :few FROM total) LIMIT :rows)
    )
    SELECT total.contacts AS total, contact.*
    FROM total LEFT JOIN (
        SELECT contact.id, contact.name, contact.phone, contact.avatar_url, contact.channels, contact.source,
               contact.last_active_at, contact.created_at,
               (SELECT count(*) FROM conversations
                WHERE workspace_id = :workspace AND contact_id = contact.id) AS conversations,
               ARRAY(SELECT tagged.tag FROM conversations conversation
                     JOIN conversation_tags tagged
                       ON tagged.workspace_id = :workspace AND tagged.conversation_id = conversation.id
                     WHERE conversation.workspace_id = :workspace AND conversation.contact_id = contact.id) AS tags
        FROM page contact
    ) contact ON true
    ORDER BY contact.created_at DESC, contact.id DESC";

static FOUND: LazyLock<TextByTopology> =
    LazyLock::new(|| TextByTopology::of(&SEARCH.replace("{matching}", MATCHING)));

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    contact: Option<ProfileRow>,
}

type Found = (Vec<ProfileRow>, i64);

pub(super) async fn everybody(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    page: PageRequest,
) -> QueryResult<Found> {
    let total = contact_counts::table
        .filter(contact_counts::workspace_id.eq(workspace.uuid()))
        .select(contact_counts::contacts)
        .load::<i64>(&mut { connection });
    let rows = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(after(contacts::created_at, contacts::id, page.after))
        .order((contacts::created_at.desc(), contacts::id.desc()))
        .limit(i64::from(page.limit.rows()) + 1)
        .select(profile(workspace))
        .load::<ProfileRow>(&mut { connection });
    let (total, rows) = try_join(total, rows).await?;
    Ok((rows, total.iter().sum()))
}

pub(super) async fn with_number(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    phone: &PhoneNumber,
    search: Option<&Search>,
    page: PageRequest,
) -> QueryResult<Found> {
    type Row = (ContactRow, ShownRow, Option<i64>, Vec<String>, String);
    let (contact, shown, conversations, tags) = profile(workspace);
    let rows: Vec<Row> = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::phone.eq(phone.as_str()))
        .select((contact, shown, conversations, tags, contacts::searchable))
        .load(connection)
        .await?;
    let found: Vec<ProfileRow> = rows
        .into_iter()
        .filter(|(.., searchable)| search.is_none_or(|search| search.finds(searchable)))
        .map(|(contact, shown, conversations, tags, _)| ProfileRow { contact, shown, conversations, tags })
        .collect();
    let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
    Ok((found.into_iter().filter(|row| row.comes_after(page.after)).collect(), total))
}

pub(super) async fn found(
    connection: &mut AsyncPgConnection,
    topology: Topology,
    workspace: WorkspaceId,
    search: &Search,
    page: PageRequest,
) -> QueryResult<Found> {
    let parts = search.parts();
    let rows: Vec<FoundRow> = statement(FOUND.at(topology))
        .of(workspace)
        .bind::<Nullable<Timestamptz>, _>("at", page.after.map(|after| after.at))
        .bind::<Nullable<Uuid>, _>("id", page.after.map(|after| after.id))
        .bind::<BigInt, _>("rows", i64::from(page.limit.rows()) + 1)
        .bind::<Array<Text>, _>("patterns", parts.iter().map(|part| pattern(part)).collect::<Vec<_>>())
        .bind::<Array<Text>, _>("parts", parts)
        .bind::<Nullable<Text>, _>("counted", counted(parts))
        .bind::<BigInt, _>("few", FEW)
        .load(connection)
        .await?;
    let total = rows.as_slice().first().map_or(0, |row| row.total);
    Ok((rows.into_iter().filter_map(|row| row.contact).collect(), total))
}

/// Returns the part if it is the only one and short enough to have a count in `contact_part_counts`.
pub(crate) fn counted(parts: &[String]) -> Option<&str> {
    match parts {
        [part] if part.chars().nth(2).is_none() => Some(part),
        _ => None,
    }
}

/// Returns the `LIKE` pattern for texts that contain the part literally.
pub(crate) fn pattern(part: &str) -> String {
    let escaped = part.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    format!("%{escaped}%")
}
