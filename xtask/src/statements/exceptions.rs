//! Statements that need not run on the one node of a workspace.

/// Reason, and beginnings of the statements, with one space between words.
pub(super) type Exception = (&'static str, &'static [&'static str]);

/// Reason of the forms that only one server is given.
pub(super) const FOR_ONE_SERVER: &str = "is the form for one server: what a cluster is given compares its workspace by `=` alone (`TextByTopology`)";

pub(super) const EXCEPTIONS: &[Exception] = &[
    (
        "asks which workspaces have something to do; what is done then names one",
        &[
            r#"SELECT DISTINCT "webhook_addresses"."workspace_id" FROM "webhook_addresses" WHERE ("webhook_addresses"."deleted_at" <"#,
            "SELECT address.workspace_id, min(queue.due_at) FILTER",
            r#"SELECT "live_feeds"."workspace_id", "live_feeds"."last", (SELECT "live_changes"."id" FROM"#,
            "SELECT workspace_id FROM conversation_settings setting WHERE EXISTS",
            "SELECT \"workspaces\".\"workspace_id\" FROM \"workspaces\" WHERE",
            r#"SELECT "accounts"."workspace_id", "accounts"."id" FROM "accounts" WHERE ("accounts"."templates_due_at" <="#,
            r#"SELECT "accounts"."workspace_id", "accounts"."id" FROM "accounts" WHERE ("accounts"."page_due_at" <="#,
            r#"SELECT "departures"."workspace_id", "departures"."member_id", "departures"."removed_by" FROM "departures" ORDER BY"#,
        ],
    ),
    (
        "goes through what belongs to no day, where there is hardly anything",
        &[
            r#"SELECT "delivery_attempts"."workspace_id", "delivery_attempts"."delivery_id" FROM "delivery_attempts" WHERE ("delivery_attempts"."created_at" <"#,
            r#"SELECT "delivery_log"."workspace_id", "delivery_log"."id" FROM "delivery_log" WHERE ("delivery_log"."created_at" <"#,
            r#"SELECT EXISTS (SELECT "delivery_attempts"."delivery_id" FROM "delivery_attempts" WHERE"#,
            r#"SELECT EXISTS (SELECT "delivery_log"."id" FROM "delivery_log" WHERE"#,
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
        &[
            r#"SELECT "workspaces"."workspace_id" FROM "workspaces" WHERE ("workspaces"."workspace_id" > $1)"#,
            r#"SELECT "workspaces"."workspace_id", "workspaces"."name", "workspaces"."locale""#,
        ],
    ),
    (
        FOR_ONE_SERVER,
        &[
            "WITH found AS MATERIALIZED ( (SELECT conversation_id AS id FROM conversation_tags WHERE workspace_id = $",
            "WITH found AS MATERIALIZED ( (SELECT conversation.contact_id AS id FROM conversation_tags tagged CROSS JOIN",
            "WITH known AS ( SELECT coalesce(sum(contacts), 0)::bigint AS contacts FROM contact_part_counts WHERE",
            "WITH span AS ( SELECT floor(extract(epoch FROM least(",
        ],
    ),
    ("counts the whole queue, for a gauge", &[r#"SELECT COUNT(*) FROM "delivery_queue""#]),
];

/// Exceptions for the forms that a cluster is given instead of one server's.
pub(super) const ON_A_CLUSTER: &[Exception] = &[(
    "has a LIMIT beside a function that makes days of one row, and a cluster plans it: `cargo xtask citus` tells its route",
    &["WITH span AS ( SELECT floor(extract(epoch FROM least("],
)];
