//! A page of the inbox, in one statement.
//!
//! Status and channel are fixed sets of words, and every index of a view has them in front of the time: a page is
//! merged from one stream for each pair, read in its order, and a stream that is not asked for is not begun. A tag or
//! a search is another thing. Where it finds few, they are collected and sorted; where it finds many, the newest of the view are walked,
//! and the walk ends after so many.
//!
//! The values: $1 the workspace, $2 and $3 the place that the page comes after, $4 its rows, $5 the status, $6 the
//! channel, $7 the tag, $8 patterns of which any must match and $9 the parts they are made from, $10 the one part
//! that is counted, $11 how many are few, $12 how many are walked, $13 the holder or the group, $14 the characters
//! of a preview.

use domain::conversations::inbox::View;

use super::super::row::conversation;
use crate::{attachments::missing, contacts::matching};

/// The place of the page in a table or a part of the statement.
macro_rules! after {
    ($row:literal) => {
        concat!(
            "(",
            $row,
            ".last_message_at, ",
            $row,
            ".id) < (coalesce($2, 'infinity'), coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))"
        )
    };
}

/// The conversations of one status and one channel, in the order of an index.
macro_rules! stream {
    ($of:literal, $status:literal, $channel:literal) => {
        concat!(
            "(SELECT conversation.* FROM conversations conversation WHERE conversation.workspace_id = $1",
            $of,
            " AND conversation.status = '",
            $status,
            "' AND conversation.channel = '",
            $channel,
            "' AND coalesce($5, '",
            $status,
            "') = '",
            $status,
            "' AND coalesce($6, '",
            $channel,
            "') = '",
            $channel,
            "' AND NOT (SELECT few FROM found_few) AND ",
            after!("conversation"),
            " ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT $12)"
        )
    };
}

macro_rules! streams_of {
    ($of:literal, $status:literal) => {
        concat!(
            stream!($of, $status, "whatsapp"),
            " UNION ALL ",
            stream!($of, $status, "messenger"),
            " UNION ALL ",
            stream!($of, $status, "instagram")
        )
    };
    ($of:literal) => {
        concat!(
            streams_of!($of, "bot"),
            " UNION ALL ",
            streams_of!($of, "open"),
            " UNION ALL ",
            streams_of!($of, "closed")
        )
    };
}

/// What the view takes in is asked of collected conversations once more. Look-ups that a row decides stand in sub-selects of
/// their own, which keeps the planner from reading a table for all rows at once.
macro_rules! page_of {
    ($view:literal, $streams:expr) => {
        concat!(
            "WITH found AS MATERIALIZED (
                (SELECT conversation_id AS id FROM conversation_tags
                 WHERE workspace_id = $1 AND folded = $7 AND $8 IS NULL LIMIT $11 + 1)
                UNION ALL
                (SELECT id FROM contacts WHERE ",
            matching!("$8", "$9"),
            " AND coalesce((SELECT sum(contacts) FROM contact_part_counts
                            WHERE workspace_id = $1 AND part = $10), 0) <= $11
                 LIMIT $11 + 1)
            ), found_few AS MATERIALIZED (
                SELECT ($7 IS NOT NULL OR $8 IS NOT NULL) AND count(*) <= $11
                       AND coalesce((SELECT sum(contacts) FROM contact_part_counts
                                     WHERE workspace_id = $1 AND part = $10), 0) <= $11 AS few
                FROM found
            ), collected AS (
                SELECT conversation.* FROM found CROSS JOIN LATERAL (
                    SELECT * FROM conversations
                    WHERE workspace_id = $1 AND id = found.id AND $8 IS NULL OFFSET 0
                ) conversation
                UNION ALL
                SELECT conversation.* FROM found CROSS JOIN LATERAL (
                    SELECT * FROM conversations
                    WHERE workspace_id = $1 AND contact_id = found.id AND $8 IS NOT NULL OFFSET 0
                ) conversation
            ), walked AS MATERIALIZED (
                SELECT * FROM (",
            $streams,
            ") conversation
                ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT $12
            ), reached AS (
                SELECT last_message_at AS reached_at, id AS reached_id FROM walked
                WHERE (SELECT count(*) FROM walked) = $12
                ORDER BY last_message_at, id LIMIT 1
            ), page AS (
                SELECT * FROM (
                    SELECT * FROM walked
                    UNION ALL
                    SELECT * FROM collected conversation
                    WHERE (SELECT few FROM found_few)
                      AND ($5 IS NULL OR conversation.status = $5) AND ($6 IS NULL OR conversation.channel = $6) AND ",
            $view,
            " AND ",
            after!("conversation"),
            "
                ) conversation
                WHERE ($7 IS NULL OR coalesce((
                          SELECT true FROM conversation_tags
                          WHERE workspace_id = $1 AND conversation_id = conversation.id AND folded = $7), false))
                  AND ($8 IS NULL OR coalesce((
                          SELECT searchable LIKE ANY ($8) FROM contacts
                          WHERE workspace_id = $1 AND id = conversation.contact_id), false))
                ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT $4
            )
            SELECT reached.*, row.* FROM (SELECT) always LEFT JOIN reached ON true LEFT JOIN (
                SELECT ",
            conversation!(),
            ", contact.name AS contact_name, contact.phone AS contact_phone,
                   contact.avatar_url AS contact_avatar_url,
                   ARRAY(SELECT tag FROM conversation_tags
                         WHERE workspace_id = $1 AND conversation_id = conversation.id
                         ORDER BY tag COLLATE \"C\") AS tags,
                   message.role AS message_role, message.content AS message_content,
                   message.created_at AS message_created_at,
                   CASE WHEN message.content = '' THEN ",
            missing!("$1", "message.id"),
            " ELSE '{}' END AS message_missing
                FROM page conversation
                CROSS JOIN LATERAL (
                    SELECT name, phone, avatar_url FROM contacts
                    WHERE workspace_id = $1 AND id = conversation.contact_id OFFSET 0
                ) contact
                LEFT JOIN LATERAL (
                    SELECT id, role, left(content, $14) AS content, created_at FROM messages
                    WHERE workspace_id = $1 AND conversation_id = conversation.id
                    ORDER BY created_at DESC, id DESC LIMIT 1
                ) message ON true
            ) row ON true
            ORDER BY row.last_message_at DESC, row.id DESC"
        )
    };
}

pub(super) const ALL: &str = page_of!("$13 IS NULL", streams_of!(""));
pub(super) const OF_GROUP: &str =
    page_of!("conversation.group_id = $13", streams_of!(" AND conversation.group_id = $13"));
pub(super) const OF_HOLDER: &str =
    page_of!("conversation.assigned_to = $13", streams_of!(" AND conversation.assigned_to = $13", "open"));
pub(super) const UNASSIGNED: &str = page_of!(
    "$13 IS NULL AND conversation.status = 'open' AND conversation.assigned_to IS NULL",
    streams_of!(" AND conversation.assigned_to IS NULL", "open")
);

/// The statement for a view. Each is given every value.
pub(crate) const fn page(view: View) -> &'static str {
    match view {
        View::Mine(_) => OF_HOLDER,
        View::Unassigned => UNASSIGNED,
        View::Group(_) => OF_GROUP,
        View::All => ALL,
    }
}

/// $2 is the member, $3 what counting stops at.
pub(crate) const COUNTS: &str = "
    SELECT (SELECT count(*) FROM (
                SELECT FROM conversations
                WHERE workspace_id = $1 AND assigned_to = $2 AND status = 'open' LIMIT $3) counted) AS mine,
           (SELECT count(*) FROM (
                SELECT FROM conversations
                WHERE workspace_id = $1 AND status = 'open' AND assigned_to IS NULL LIMIT $3) counted) AS unassigned,
           (SELECT count(*) FROM (
                SELECT FROM conversations
                WHERE workspace_id = $1 AND status = 'open' LIMIT $3) counted) AS open,
           ARRAY(SELECT id FROM groups WHERE workspace_id = $1 ORDER BY id) AS groups,
           ARRAY(SELECT (SELECT count(*) FROM (
                             SELECT FROM conversations
                             WHERE workspace_id = $1 AND group_id = groups.id AND status = 'open'
                             LIMIT $3) counted)
                 FROM groups WHERE workspace_id = $1 ORDER BY id) AS of_groups";
