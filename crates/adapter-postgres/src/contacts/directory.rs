//! A page of the directory, in one statement.
//!
//! If a tag or a search finds few people, they are collected and sorted. Otherwise the newest contacts are
//! walked and filtered, up to a limit.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    channels::ChannelKind,
    contacts::{
        Search,
        directory::{DirectoryFilter, DirectoryRow},
        ports::{ContactDirectory, FoundDirectory},
    },
    errors::StoreError,
    ids::WorkspaceId,
    paging::Position,
    tag::Tag,
};
use time::OffsetDateTime;

use super::{
    PgContacts,
    list::{MATCHING, counted, pattern},
    row::ProfileRow,
};
use crate::{
    error::failed,
    sql::{RunQueryDsl, TextByTopology, statement},
};

/// Most people found by a tag or a search that are collected and sorted, in some milliseconds.
const FEW: i64 = 4_000;
/// Most people walked for one page of a filter without an index.
const WALKED: i64 = 5_000;

pub(super) const NEWEST: &str = "(SELECT max(conversation.last_message_at) FROM conversations conversation
     WHERE conversation.workspace_id = :workspace AND conversation.contact_id = contact.id)";

/// `:patterns`, any of which must match, are made from `:parts`; `:counted` is the only part, if it has a
/// count; `:few` is the limit of people to collect. Look-ups for each row are sub-selects of their own, which
/// keeps the planner from reading a table for all rows at once.
pub(super) const DIRECTORY: &str = "WITH found AS MATERIALIZED (
        (SELECT conversation.contact_id AS id FROM conversation_tags tagged CROSS JOIN LATERAL (
             SELECT contact_id FROM conversations
             WHERE workspace_id = :workspace AND id = tagged.conversation_id OFFSET 0
         ) conversation
         WHERE tagged.workspace_id = :workspace AND tagged.folded = :tag AND :patterns IS NULL LIMIT :few + 1)
        UNION ALL
        (SELECT id FROM contacts
         WHERE {matching}
           AND coalesce((SELECT sum(contacts) FROM contact_part_counts
                         WHERE workspace_id = :workspace AND part = :counted), 0) <= :few
         LIMIT :few + 1)
    ), found_few AS MATERIALIZED (
        SELECT (:tag IS NOT NULL OR :patterns IS NOT NULL) AND count(*) <= :few
               AND coalesce((SELECT sum(contacts) FROM contact_part_counts
                             WHERE workspace_id = :workspace AND part = :counted), 0) <= :few AS few
        FROM found
    ), collected AS (
        SELECT contact.* FROM (SELECT DISTINCT id FROM found) found CROSS JOIN LATERAL (
            SELECT * FROM contacts
            WHERE workspace_id = :workspace AND id = found.id AND (SELECT few FROM found_few) OFFSET 0
        ) contact
        WHERE {after}
    ), walked AS MATERIALIZED (
        SELECT contact.* FROM contacts contact
        WHERE contact.workspace_id = :workspace AND NOT (SELECT few FROM found_few) AND {after}
        ORDER BY contact.created_at DESC, contact.id DESC LIMIT :walked
    ), reached AS (
        SELECT created_at AS reached_at, id AS reached_id FROM walked
        WHERE (SELECT count(*) FROM walked) = :walked
        ORDER BY created_at, id LIMIT 1
    ), page AS (
        SELECT contact.* FROM (SELECT * FROM walked UNION ALL SELECT * FROM collected) contact
        WHERE (:patterns IS NULL OR contact.searchable LIKE ANY (:patterns))
          AND (:channel IS NULL OR :channel = ANY (contact.channels))
          AND (:tag IS NULL OR coalesce((
                  SELECT true FROM conversations conversation JOIN conversation_tags tagged
                    ON tagged.workspace_id = :workspace AND tagged.conversation_id = conversation.id
                   AND tagged.folded = :tag
                  WHERE conversation.workspace_id = :workspace AND conversation.contact_id = contact.id
                  LIMIT 1), false))
          AND (:since IS NULL OR coalesce({newest} >= :since, false))
          AND (:until IS NULL OR coalesce({newest} < :until, false))
        ORDER BY contact.created_at DESC, contact.id DESC LIMIT :rows
    )
    SELECT reached.*, row.* FROM (SELECT 1) always LEFT JOIN reached ON true LEFT JOIN (
        SELECT contact.id, contact.name, contact.phone, contact.avatar_url, contact.channels, contact.source,
               contact.last_active_at, contact.created_at,
               (SELECT count(*) FROM conversations
                WHERE workspace_id = :workspace AND contact_id = contact.id) AS conversations,
               ARRAY(SELECT tagged.tag FROM conversations conversation
                     JOIN conversation_tags tagged
                       ON tagged.workspace_id = :workspace AND tagged.conversation_id = conversation.id
                     WHERE conversation.workspace_id = :workspace AND conversation.contact_id = contact.id) AS tags,
               {newest} AS last_message_at
        FROM page contact
    ) row ON true
    ORDER BY row.created_at DESC, row.id DESC";

const AFTER: &str = "(contact.created_at, contact.id)
    < (coalesce(:at, 'infinity'), coalesce(:id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))";

static TEXT: LazyLock<TextByTopology> = LazyLock::new(|| {
    let text = DIRECTORY.replace("{matching}", MATCHING).replace("{after}", AFTER);
    TextByTopology::of(&text.replace("{newest}", NEWEST))
});

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Nullable<Timestamptz>)]
    reached_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Uuid>)]
    reached_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_message_at: Option<OffsetDateTime>,
    #[diesel(embed)]
    contact: Option<ProfileRow>,
}

#[async_trait]
impl ContactDirectory for PgContacts {
    async fn directory(
        &self,
        workspace: WorkspaceId,
        filter: &DirectoryFilter,
        rows: u32,
        after: Option<Position>,
    ) -> Result<FoundDirectory, StoreError> {
        let DirectoryFilter { search, tag, channel, since, until } = filter;
        let parts = search.as_ref().map(Search::parts);
        let wanted = i64::from(rows) + 1;
        let walked = if filter.is_empty() { wanted } else { WALKED };
        let mut connection = self.database.connection().await?;
        let found: Vec<FoundRow> = statement(TEXT.at(self.database.topology()))
            .of(workspace)
            .bind::<Nullable<Timestamptz>, _>("at", after.map(|after| after.at))
            .bind::<Nullable<Uuid>, _>("id", after.map(|after| after.id))
            .bind::<BigInt, _>("rows", wanted)
            .bind::<BigInt, _>("walked", walked)
            .bind::<BigInt, _>("few", FEW)
            .bind::<Nullable<Text>, _>("tag", tag.as_ref().map(Tag::folded))
            .bind::<Nullable<Text>, _>("channel", channel.map(ChannelKind::as_str))
            .bind::<Nullable<Timestamptz>, _>("since", *since)
            .bind::<Nullable<Timestamptz>, _>("until", *until)
            .bind::<Nullable<Array<Text>>, _>(
                "patterns",
                parts.map(|parts| parts.iter().map(|part| pattern(part)).collect::<Vec<_>>()),
            )
            .bind::<Nullable<Array<Text>>, _>("parts", parts)
            .bind::<Nullable<Text>, _>("counted", parts.and_then(counted))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let reached = found
            .as_slice()
            .first()
            .and_then(|row| Some(Position { at: row.reached_at?, id: row.reached_id? }));
        let rows = found.into_iter().filter_map(|row| {
            let last_message_at = row.last_message_at;
            let profile = row.contact?.read();
            Some(profile.map(|profile| DirectoryRow { profile, last_message_at }))
        });
        Ok(FoundDirectory { rows: rows.collect::<Result<_, _>>()?, reached })
    }
}
