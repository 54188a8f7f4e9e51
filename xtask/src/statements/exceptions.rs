//! Statements that need not run on the one node of a workspace.

/// Why, and how the statements begin, with one space between words.
pub(super) type Exception = (&'static str, &'static [&'static str]);

pub(super) const EXCEPTIONS: &[Exception] = &[
    (
        "asks which workspaces have something to do; what is done then names one",
        &[
            "SELECT DISTINCT workspace_id FROM webhook_resends WHERE ended_at IS NULL",
            "SELECT address.workspace_id, min(queue.due_at) FILTER",
            "SELECT asked.workspace_id FROM unnest($1, $2) AS asked (workspace_id, seen)",
            "SELECT workspace_id FROM conversation_settings setting WHERE EXISTS",
            "SELECT \"workspaces\".\"workspace_id\" FROM \"workspaces\" WHERE",
            "SELECT workspace_id, id FROM accounts WHERE templates_due_at <= $1",
            "SELECT workspace_id, member_id, removed_by FROM departures ORDER BY left_at",
        ],
    ),
    (
        "goes through what belongs to no day, where there is hardly anything",
        &[
            "DELETE FROM delivery_attempts_default WHERE",
            "DELETE FROM delivery_log_default WHERE",
            "SELECT EXISTS (SELECT FROM delivery_attempts_default",
            "SELECT EXISTS (SELECT FROM delivery_log_default",
        ],
    ),
    ("counts the whole queue, for a gauge", &["SELECT count(*) FROM delivery_queue"]),
];
