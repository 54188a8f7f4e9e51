//! A page of the inbox, in one statement.
//!
//! Status and network are fixed sets of words, and come before the time in every index of a view. A page is
//! merged from one ordered stream for each pair of them, and streams that the filter excludes are never
//! started. A tag or a search that finds few conversations collects and sorts them; if it finds many, the
//! newest conversations of the view are walked and filtered, up to a limit.
//!
//! The text for each view is made once, from the statuses and networks that exist.

use std::sync::LazyLock;

use domain::{
    channels::ChannelKind,
    conversation::ConversationStatus,
    conversations::inbox::{InboxOrder, View},
};

use crate::{
    contacts::MATCHING,
    sql::{TextByTopology, Topology},
};

struct Shape {
    /// A further condition, which begins with `AND`.
    of: &'static str,
    statuses: &'static [ConversationStatus],
}

/// Only open conversations are assigned to somebody, or wait for somebody.
const OPEN: &[ConversationStatus] = &[ConversationStatus::Open];

const ALL: Shape = Shape { of: "", statuses: &ConversationStatus::ALL };
const OF_GROUP: Shape = Shape { of: " AND conversation.group_id = :of", statuses: &ConversationStatus::ALL };
const OF_HOLDER: Shape = Shape { of: " AND conversation.assigned_to = :of", statuses: OPEN };
const UNASSIGNED: Shape = Shape { of: " AND conversation.assigned_to IS NULL", statuses: OPEN };

struct Texts {
    all: TextByTopology,
    of_group: TextByTopology,
    of_holder: TextByTopology,
    unassigned: TextByTopology,
}

impl Texts {
    fn made(text: fn(&Shape) -> TextByTopology) -> Self {
        Self {
            all: text(&ALL),
            of_group: text(&OF_GROUP),
            of_holder: text(&OF_HOLDER),
            unassigned: text(&UNASSIGNED),
        }
    }
}

static NEWEST_FIRST: LazyLock<Texts> = LazyLock::new(|| Texts::made(merged));
static LONGEST_WAIT_FIRST: LazyLock<Texts> = LazyLock::new(|| Texts::made(waiting));

/// Returns the statement of a view in an order. `:of` is the holder or the group of a view that has one.
pub(super) fn page(view: View, order: InboxOrder, topology: Topology) -> &'static str {
    let texts = match order {
        InboxOrder::Newest => &NEWEST_FIRST,
        InboxOrder::Waiting => &LONGEST_WAIT_FIRST,
    };
    let page = match view {
        View::Mine(_) => &texts.of_holder,
        View::Unassigned => &texts.unassigned,
        View::Group(_) => &texts.of_group,
        View::All => &texts.all,
    };
    page.at(topology)
}

fn words(statuses: &[ConversationStatus]) -> String {
    statuses.iter().map(|status| format!("'{}'", status.as_str())).collect::<Vec<_>>().join(", ")
}

fn waiting(Shape { of, statuses }: &Shape) -> TextByTopology {
    let page = WAITING.replace("{statuses}", &words(statuses)).replace("{of}", of).replace("{rows}", ROWS);
    TextByTopology::of(&page)
}

fn merged(Shape { of, statuses }: &Shape) -> TextByTopology {
    let stream = |status: &ConversationStatus, network: ChannelKind| {
        STREAM.replace("{status}", status.as_str()).replace("{network}", network.as_str())
    };
    let streams: Vec<String> =
        statuses.iter().flat_map(|status| ChannelKind::ALL.map(|network| stream(status, network))).collect();
    let page = PAGE
        .replace("{streams}", &streams.join(" UNION ALL "))
        .replace("{statuses}", &words(statuses))
        .replace("{rows}", ROWS)
        .replace("{matching}", MATCHING)
        .replace("{of}", of)
        .replace("{after}", AFTER);
    TextByTopology::of(&page)
}

const AFTER: &str = "(conversation.last_message_at, conversation.id)
    < (coalesce(:at, 'infinity'), coalesce(:id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))";

/// The conversations of one status over one network, in the order of an index.
pub(super) const STREAM: &str = "
    (SELECT conversation.* FROM conversations conversation
     WHERE conversation.workspace_id = :workspace{of}
       AND conversation.status = '{status}' AND conversation.channel = '{network}'
       AND coalesce(:status, '{status}') = '{status}' AND coalesce(:network, '{network}') = '{network}'
       AND NOT (SELECT few FROM found_few) AND {after}
     ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT :walked)";

/// The details of the conversations in `page`, and `reached`. Look-ups for each row are sub-selects of their
/// own, which keeps the planner from reading a table for all rows at once.
pub(super) const ROWS: &str = "SELECT reached.*, row.* FROM (SELECT 1) always LEFT JOIN reached ON true LEFT JOIN (
        SELECT conversation.id, conversation.contact_id, conversation.channel_id, conversation.channel,
               conversation.status, conversation.assigned_to, conversation.group_id, conversation.announced,
               conversation.version, conversation.stamped_at, conversation.last_message_at, conversation.created_at,
               (SELECT name FROM groups
                WHERE workspace_id = :workspace AND id = conversation.group_id) AS group_name,
               contact.name AS contact_name, contact.phone AS contact_phone,
               contact.avatar_url AS contact_avatar_url, conversation.customer_wrote_at,
               conversation.waiting_since,
               (SELECT phone FROM channels
                WHERE workspace_id = :workspace AND id = conversation.channel_id) AS number,
               seen.seen_at,
               (SELECT count(*) FILTER (WHERE newest.role = 'customer') FROM (
                    SELECT role FROM messages
                    WHERE workspace_id = :workspace AND conversation_id = conversation.id
                      AND created_at > coalesce(seen.seen_at, '-infinity')
                    ORDER BY created_at DESC, id DESC LIMIT :most_unread) newest) AS unread,
               ARRAY(SELECT tag FROM conversation_tags
                     WHERE workspace_id = :workspace AND conversation_id = conversation.id
                     ORDER BY tag COLLATE \"C\") AS tags,
               message.role AS message_role, message.content AS message_content,
               message.created_at AS message_created_at, message.sender_id AS message_sender_id,
               message.template_name IS NOT NULL AS message_is_template,
               (SELECT file.kind FROM attachments file
                WHERE file.workspace_id = :workspace AND file.message_id = message.id
                ORDER BY file.position LIMIT 1) AS message_file,
               CASE WHEN message.content = '' THEN
                    ARRAY(SELECT file.kind FROM attachments file
                          WHERE file.workspace_id = :workspace AND file.message_id = message.id
                            AND (file.state = 'given_up' OR file.state = 'pending' AND NOT EXISTS (
                                 SELECT waiting.message_id FROM attachment_queue waiting
                                 WHERE waiting.workspace_id = :workspace AND waiting.message_id = message.id))
                          ORDER BY file.position)
                    ELSE '{}' END AS message_missing,
               newest.content AS notice_content, newest.created_at AS notice_created_at,
               newest.sender_id AS notice_sender_id, newest.notice AS notice_notice
        FROM page conversation
        CROSS JOIN LATERAL (
            SELECT name, phone, avatar_url FROM contacts
            WHERE workspace_id = :workspace AND id = conversation.contact_id OFFSET 0
        ) contact
        LEFT JOIN LATERAL (
            SELECT seen_at FROM seen_conversations
            WHERE workspace_id = :workspace AND member_id = :member AND conversation_id = conversation.id OFFSET 0
        ) seen ON true
        LEFT JOIN LATERAL (
            SELECT id, role, sender_id, left(content, :preview) AS content, created_at, template_name
            FROM messages
            WHERE workspace_id = :workspace AND conversation_id = conversation.id AND role <> 'system'
            ORDER BY created_at DESC, id DESC LIMIT 1
        ) message ON true
        LEFT JOIN LATERAL (
            SELECT role, sender_id, left(content, :preview) AS content, notice, created_at
            FROM messages
            WHERE workspace_id = :workspace AND conversation_id = conversation.id
            ORDER BY created_at DESC, id DESC LIMIT 1
        ) newest ON newest.role = 'system'
    ) row ON true";

/// Conversations whose customers wait, walked along the index of only these and filtered row by row, up to a
/// limit. `{of}` is the condition of the view.
pub(super) const WAITING: &str = "WITH walked AS MATERIALIZED (
        SELECT * FROM conversations
        WHERE workspace_id = :workspace AND waiting_since IS NOT NULL
          AND (waiting_since, id)
              > (coalesce(:at, '-infinity'), coalesce(:id, '00000000-0000-0000-0000-000000000000'))
        ORDER BY waiting_since, id LIMIT :walked
    ), reached AS (
        SELECT waiting_since AS reached_at, id AS reached_id FROM walked
        WHERE (SELECT count(*) FROM walked) = :walked
        ORDER BY waiting_since DESC, id DESC LIMIT 1
    ), page AS (
        SELECT * FROM walked conversation
        WHERE (:status IS NULL OR conversation.status = :status)
          AND (:network IS NULL OR conversation.channel = :network)
          AND conversation.status IN ({statuses}){of}
          AND (:tag IS NULL OR coalesce((
                  SELECT true FROM conversation_tags
                  WHERE workspace_id = :workspace AND conversation_id = conversation.id AND folded = :tag), false))
          AND (:patterns IS NULL OR coalesce((
                  SELECT searchable LIKE ANY (:patterns) FROM contacts
                  WHERE workspace_id = :workspace AND id = conversation.contact_id), false))
        ORDER BY conversation.waiting_since, conversation.id LIMIT :rows
    )
    {rows}
    ORDER BY row.waiting_since, row.id";

/// `:patterns`, any of which must match, are made from `:parts`; `:counted` is the only part, if it has a
/// count; `:few` is the limit of conversations to collect.
///
/// The view's condition is checked again for collected conversations.
pub(super) const PAGE: &str = "WITH found AS MATERIALIZED (
        (SELECT conversation_id AS id FROM conversation_tags
         WHERE workspace_id = :workspace AND folded = :tag AND :patterns IS NULL LIMIT :few + 1)
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
        SELECT conversation.* FROM found CROSS JOIN LATERAL (
            SELECT * FROM conversations
            WHERE workspace_id = :workspace AND id = found.id AND :patterns IS NULL OFFSET 0
        ) conversation
        UNION ALL
        SELECT conversation.* FROM found CROSS JOIN LATERAL (
            SELECT * FROM conversations
            WHERE workspace_id = :workspace AND contact_id = found.id AND :patterns IS NOT NULL OFFSET 0
        ) conversation
    ), walked AS MATERIALIZED (
        SELECT * FROM ({streams}) conversation
        ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT :walked
    ), reached AS (
        SELECT last_message_at AS reached_at, id AS reached_id FROM walked
        WHERE (SELECT count(*) FROM walked) = :walked
        ORDER BY last_message_at, id LIMIT 1
    ), page AS (
        SELECT * FROM (
            SELECT * FROM walked
            UNION ALL
            SELECT * FROM collected conversation
            WHERE (SELECT few FROM found_few)
              AND (:status IS NULL OR conversation.status = :status)
              AND (:network IS NULL OR conversation.channel = :network)
              AND conversation.status IN ({statuses}){of} AND {after}
        ) conversation
        WHERE (:tag IS NULL OR coalesce((
                  SELECT true FROM conversation_tags
                  WHERE workspace_id = :workspace AND conversation_id = conversation.id AND folded = :tag), false))
          AND (:patterns IS NULL OR coalesce((
                  SELECT searchable LIKE ANY (:patterns) FROM contacts
                  WHERE workspace_id = :workspace AND id = conversation.contact_id), false))
        ORDER BY conversation.last_message_at DESC, conversation.id DESC LIMIT :rows
    )
    {rows}
    ORDER BY row.last_message_at DESC, row.id DESC";

/// Numbers of open conversations by view. Counting stops at `:most`.
pub(super) const COUNTS: &str = "
    SELECT (SELECT count(*) FROM (
                SELECT id FROM conversations
                WHERE workspace_id = :workspace AND assigned_to = :member AND status = 'open'
                LIMIT :most) counted) AS mine,
           (SELECT count(*) FROM (
                SELECT id FROM conversations
                WHERE workspace_id = :workspace AND status = 'open' AND assigned_to IS NULL
                LIMIT :most) counted) AS unassigned,
           (SELECT count(*) FROM (
                SELECT id FROM conversations
                WHERE workspace_id = :workspace AND status = 'open' LIMIT :most) counted) AS open,
           ARRAY(SELECT id FROM groups WHERE workspace_id = :workspace ORDER BY id) AS groups,
           ARRAY(SELECT (SELECT count(*) FROM (
                             SELECT id FROM conversations
                             WHERE workspace_id = :workspace AND group_id = groups.id AND status = 'open'
                             LIMIT :most) counted)
                 FROM groups WHERE workspace_id = :workspace ORDER BY id) AS of_groups";
