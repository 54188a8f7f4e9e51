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
    (
        "tells the keys of the database, of all workspaces, at a start; the rows at most until that was told once",
        &[
            r#"SELECT "accounts"."workspace_id", "accounts"."id", "accounts"."token_sealed" FROM "accounts" WHERE ("accounts"."token_sealed" !="#,
            r#"SELECT "members"."workspace_id", "members"."id", "members"."totp_sealed" FROM "members" WHERE"#,
            r#"SELECT "sends"."workspace_id", "sends"."id", "sends"."network_id_sealed", "sends"."network_id_hash" FROM"#,
            r#"SELECT "webhook_addresses"."workspace_id", "webhook_addresses"."id", "webhook_addresses"."secret_sealed" FROM"#,
            r#"SELECT ((EXISTS (SELECT "recovery_codes"."code_hash" FROM "recovery_codes")"#,
        ],
    ),
    (
        "goes from one workspace to the next",
        &[r#"SELECT "workspaces"."workspace_id" FROM "workspaces" WHERE ("workspaces"."workspace_id" > $1)"#],
    ),
    ("counts the whole queue, for a gauge", &["SELECT count(*) FROM delivery_queue"]),
];
