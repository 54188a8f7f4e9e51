//! Lists of contacts: a page and the exact total, in one statement.

use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    contacts::{ContactFilter, Search, ports::FoundContacts},
    errors::StoreError,
    ids::WorkspaceId,
    paging::PageRequest,
};

use super::row::{ContactRow, profile};
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// Up to how many matches are collected and sorted. Where there are more, the newest are found sooner by walking
/// from the newest contact on: at a million contacts either takes some milliseconds here.
const FEW: i64 = 4_000;

/// After the place $2, $3.
macro_rules! after {
    ($row:literal) => {
        concat!(
            "(",
            $row,
            ".created_at, ",
            $row,
            ".id)
             < (coalesce($2, 'infinity'), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))"
        )
    };
}

macro_rules! newest_first {
    ($row:literal) => {
        concat!("ORDER BY ", $row, ".created_at DESC, ", $row, ".id DESC")
    };
}

/// The rows of `page` beside the number `contacts` of `total`: one row without a contact when there are none.
macro_rules! with_total {
    () => {
        concat!(
            "SELECT total.contacts AS total, contact.*
             FROM total LEFT JOIN (SELECT ",
            profile!(),
            " FROM page contact) contact ON true ",
            newest_first!("contact")
        )
    };
}

/// The values are the workspace, the place, and the rows of a page.
pub(super) const ALL: &str = concat!(
    "WITH total AS (
        SELECT coalesce(sum(contacts), 0)::bigint AS contacts FROM contact_counts WHERE workspace_id = $1
    ), page AS (
        SELECT * FROM contacts known WHERE known.workspace_id = $1 AND ",
    after!("known"),
    " ",
    newest_first!("known"),
    " LIMIT $4
    ) ",
    with_total!()
);

/// $5 is the number, $6 patterns of which any must match, or none.
pub(super) const OF_PHONE: &str = concat!(
    "WITH matched AS (
        SELECT * FROM contacts
        WHERE workspace_id = $1 AND phone = $5 AND ($6 IS NULL OR searchable LIKE ANY ($6))
    ), total AS (
        SELECT count(*) AS contacts FROM matched
    ), page AS (
        SELECT * FROM matched WHERE ",
    after!("matched"),
    " ",
    newest_first!("matched"),
    " LIMIT $4
    ) ",
    with_total!()
);

/// What the index says may match, and does: given the placeholders of patterns of which any must match, and of the
/// parts they are made from. The workspace is compared in a way that no index serves: a plan made for
/// workspaces of an average size would read the whole of a large one by it.
macro_rules! matching {
    ($patterns:literal, $parts:literal) => {
        concat!(
            "workspace_id IS NOT DISTINCT FROM $1
             AND (contact_grams(workspace_id, searchable) @> part_grams($1, ",
            $parts,
            "[1])
                  OR contact_grams(workspace_id, searchable) @> part_grams($1, ",
            $parts,
            "[2])
                  OR contact_grams(workspace_id, searchable) @> part_grams($1, ",
            $parts,
            "[3])
                  OR contact_grams(workspace_id, searchable) @> part_grams($1, ",
            $parts,
            "[4]))
             AND searchable LIKE ANY (",
            $patterns,
            ")"
        )
    };
}
pub(crate) use matching;

/// $5 are patterns of which any must match, $6 the parts they are made from, $7 the one part when there is one
/// and its total is known without counting, $8 how many are few.
///
/// Few matches are collected by the index and sorted. Of many, the newest come from a walk along the newest
/// contacts, which `OFFSET 0` keeps the planner from turning into a scan with a sort.
pub(super) const OF_SEARCH: &str = concat!(
    "WITH known AS (
        SELECT coalesce(sum(contacts), 0)::bigint AS contacts FROM contact_part_counts
        WHERE workspace_id = $1 AND part = $7 HAVING $7 IS NOT NULL
    ), few AS MATERIALIZED (
        SELECT * FROM contacts
        WHERE ",
    matching!("$5", "$6"),
    " AND coalesce((SELECT contacts FROM known), 0) <= $8
        LIMIT $8 + 1
    ), collected AS (
        SELECT count(*) AS contacts FROM few
    ), total AS MATERIALIZED (
        SELECT CASE WHEN known.contacts IS NOT NULL THEN known.contacts
                    WHEN collected.contacts <= $8 THEN collected.contacts
                    ELSE (SELECT count(*) FROM contacts WHERE ",
    matching!("$5", "$6"),
    ") END AS contacts
        FROM collected LEFT JOIN known ON true
    ), page AS (
        (SELECT * FROM few WHERE ",
    after!("few"),
    " AND (SELECT contacts <= $8 FROM total) ",
    newest_first!("few"),
    " LIMIT $4)
        UNION ALL
        (SELECT * FROM (
             SELECT * FROM contacts known WHERE known.workspace_id = $1 AND ",
    after!("known"),
    " ",
    newest_first!("known"),
    " OFFSET 0
         ) newest
         WHERE searchable LIKE ANY ($5) AND (SELECT contacts > $8 FROM total) LIMIT $4)
    ) ",
    with_total!()
);

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    contact: Option<ContactRow>,
}

impl PgStore {
    pub(super) async fn list_contacts(
        &self,
        workspace: WorkspaceId,
        filter: &ContactFilter,
        page: PageRequest,
    ) -> Result<FoundContacts, StoreError> {
        let parts = filter.search.as_ref().map(Search::parts);
        let patterns: Option<Vec<String>> =
            parts.map(|parts| parts.iter().map(|part| pattern(part)).collect());
        let place = |text| {
            sql(text)
                .bind::<Uuid, _>(workspace.uuid())
                .bind::<Nullable<Timestamptz>, _>(page.after.map(|after| after.at))
                .bind::<Nullable<Uuid>, _>(page.after.map(|after| after.id))
                .bind::<BigInt, _>(i64::from(page.limit.rows()) + 1)
        };
        let mut connection = self.connection().await?;
        let rows: Result<Vec<ListedRow>, _> = match (&filter.phone, parts) {
            (None, None) => place(ALL).load(&mut connection).await,
            (Some(phone), _) => {
                place(OF_PHONE)
                    .bind::<Text, _>(phone.as_str())
                    .bind::<Nullable<Array<Text>>, _>(patterns)
                    .load(&mut connection)
                    .await
            }
            (None, Some(parts)) => {
                place(OF_SEARCH)
                    .bind::<Nullable<Array<Text>>, _>(patterns)
                    .bind::<Array<Text>, _>(parts)
                    .bind::<Nullable<Text>, _>(counted(parts))
                    .bind::<BigInt, _>(FEW)
                    .load(&mut connection)
                    .await
            }
        };
        let rows = rows.map_err(failed)?;
        let total = rows.as_slice().first().map_or(0, |row| row.total);
        let contacts = rows.into_iter().filter_map(|row| row.contact).map(ContactRow::read);
        Ok(FoundContacts {
            rows: contacts.collect::<Result<_, _>>()?,
            total: u64::try_from(total).map_err(|_| unreadable("count"))?,
        })
    }
}

/// The part, if it is the only one and one of those that `contact_part_counts` counts.
pub(crate) fn counted(parts: &[String]) -> Option<&str> {
    match parts {
        [part] if part.chars().nth(2).is_none() => Some(part),
        _ => None,
    }
}

/// Matches what holds the part, as it stands.
pub(crate) fn pattern(part: &str) -> String {
    let escaped = part.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    format!("%{escaped}%")
}
