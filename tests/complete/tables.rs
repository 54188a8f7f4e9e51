//! Every table has something that bounds it, or is named as one that is kept for good.

use std::{collections::BTreeMap, fs, path::Path};

use self::Bound::{AfterItsTime, ByHand, Daily, ForGood, OnceDone, With};

const SCHEMA: &str = include_str!("../../crates/adapter-postgres/src/schema.rs");
const PAGE: &str = include_str!("../../docs/run/operations.md");
/// Where statements are.
const STORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapter-postgres/src");

/// What bounds the rows of a table.
#[derive(Clone, Copy)]
enum Bound {
    /// A time, after which rows are removed in this file of the store.
    AfterItsTime(&'static str),
    /// What the rows stand for: they are removed in this file once that is done, seen, or over.
    OnceDone(&'static str),
    /// Another table: each of its rows has a few of them at most, such as one for each network.
    With(&'static str),
    /// People: owners, members or operators add rows one by one, or import them.
    ByHand,
    /// Days: a workspace has one row a day.
    Daily,
    /// Nothing yet: the rows are what customers and teams have written and done.
    ForGood,
}

const TABLES: &[(&str, Bound)] = &[
    ("account_routes", With("accounts")),
    ("accounts", ByHand),
    ("api_keys", ByHand),
    ("assistant_questions", ByHand),
    ("assistant_rehearsals", OnceDone("assistant/rehearsals.rs")),
    ("assistant_turn_log", AfterItsTime("assistant/log.rs")),
    ("assistant_turns", With("conversations")),
    ("assistant_usage", Daily),
    ("assistants", With("workspaces")),
    ("attachment_queue", OnceDone("attachments/queue.rs")),
    ("attachments", ForGood),
    ("attempt_windows", AfterItsTime("access/sessions.rs")),
    ("audit_log", ForGood),
    ("automation_triggers", OnceDone("automations/triggers.rs")),
    ("automations", ByHand),
    ("booking_requests", ForGood),
    ("broadcast_counts", With("broadcasts")),
    ("broadcast_left_out", With("broadcasts")),
    ("broadcast_list_people", With("broadcast_lists")),
    ("broadcast_lists", ByHand),
    ("broadcast_marks", With("broadcast_people")),
    ("broadcast_people", ForGood),
    ("broadcast_people_counts", With("broadcasts")),
    ("broadcast_prices", With("workspaces")),
    ("broadcast_written_to", AfterItsTime("broadcasts/limits/mod.rs")),
    ("broadcasts", ByHand),
    ("canned_replies", ByHand),
    ("channel_alerts", ForGood),
    ("channel_routes", With("channels")),
    ("channels", ByHand),
    ("commitments", ForGood),
    ("contact_aliases", With("contacts")),
    ("contact_counts", With("workspaces")),
    ("contact_part_counts", With("workspaces")),
    ("contact_signals", With("contacts")),
    ("contacts", ForGood),
    ("conversation_aliases", With("conversations")),
    ("conversation_settings", With("workspaces")),
    ("conversation_tags", With("conversations")),
    ("conversations", ForGood),
    ("delivery_attempts", AfterItsTime("webhooks/keeper.rs")),
    ("delivery_log", AfterItsTime("webhooks/keeper.rs")),
    ("delivery_queue", OnceDone("webhooks/results.rs")),
    ("departures", OnceDone("conversations/store.rs")),
    ("drafts", ForGood),
    ("group_members", With("members")),
    ("groups", ByHand),
    ("idempotency_keys", AfterItsTime("sending/keys.rs")),
    ("identities", With("contacts")),
    ("import_job_parts", OnceDone("contacts/imports/mod.rs")),
    ("import_jobs", ByHand),
    ("invitations", ByHand),
    ("journal", OnceDone("inbound/settle.rs")),
    ("journal_hands", With("workspaces")),
    ("key_probe", With("workspaces")),
    ("knowledge_documents", ByHand),
    ("knowledge_passages", With("knowledge_documents")),
    ("late_files", OnceDone("attachments/queue.rs")),
    ("leads", With("contacts")),
    ("live_changes", AfterItsTime("live/mod.rs")),
    ("live_events", AfterItsTime("live/mod.rs")),
    ("live_feeds", With("workspaces")),
    ("marketing_stops", With("contacts")),
    ("member_logins", With("members")),
    ("members", ByHand),
    ("messages", ForGood),
    ("model_keys", With("workspaces")),
    ("notes", ForGood),
    ("number_healths", With("channels")),
    ("password_resets", With("members")),
    ("plan_reservations", OnceDone("sending/conversation_sends.rs")),
    ("prepared_replies", OnceDone("consent/prepared.rs")),
    ("presences", AfterItsTime("presence/mod.rs")),
    ("quarantine", OnceDone("inbound/quarantine.rs")),
    ("rate_windows", With("api_keys")),
    ("recovery_codes", With("members")),
    ("seen_conversations", With("conversations")),
    ("sends", ForGood),
    ("sessions", AfterItsTime("access/sessions.rs")),
    ("synonyms", With("workspaces")),
    ("system_calls", AfterItsTime("systems/calls.rs")),
    ("systems", With("workspaces")),
    ("templates", With("accounts")),
    ("unread_messages", OnceDone("conversations/receipts.rs")),
    ("unread_updates", AfterItsTime("inbound/unread.rs")),
    ("unseen_mentions", OnceDone("notes/mod.rs")),
    ("uploads", With("messages")),
    ("usage_days", Daily),
    ("webhook_addresses", ByHand),
    ("webhook_resends", ByHand),
    ("workspaces", ByHand),
];

/// The tables of the store's schema.
fn tables(schema: &str) -> Vec<&str> {
    let heads = schema.split("diesel::table! {").skip(1).filter_map(|table| table.trim().split_once(" ("));
    heads.map(|(name, _)| name.lines().last().unwrap_or(name).trim()).collect()
}

/// What is missing: a table without a bound, a bound that is none, a table that is kept for good and not said
/// to be.
fn faults(tables: &[&str], bounds: &[(&str, Bound)], page: &str) -> Vec<String> {
    let by_name: BTreeMap<&str, Bound> = bounds.iter().copied().collect();
    let mut faults = Vec::new();
    faults.extend(
        tables
            .iter()
            .filter(|table| !by_name.contains_key(**table))
            .map(|table| format!("{table}: say what bounds it, in tests/complete/tables.rs")),
    );
    for (table, bound) in &by_name {
        if !tables.contains(table) {
            faults.push(format!("{table}: there is no such table"));
        }
        match bound {
            AfterItsTime(file) | OnceDone(file) => {
                let text = fs::read_to_string(Path::new(STORE).join(file)).unwrap_or_default();
                let removes = ["delete(", "DELETE FROM", "DROP TABLE"].iter().any(|word| text.contains(word));
                if !removes || !text.contains(table) {
                    faults.push(format!("{table}: {file} removes nothing of it"));
                }
            }
            With(other) if matches!(by_name.get(other), None | Some(With(_))) => {
                faults.push(format!("{table}: {other} is bounded by nothing of its own"));
            }
            ForGood if !page.contains(&format!("`{table}`")) => {
                faults
                    .push(format!("{table}: docs/run/operations.md, \"Size\", does not say that it is kept"));
            }
            With(_) | ByHand | Daily | ForGood => {}
        }
    }
    faults
}

/// The chapter of the page about this.
fn chapter<'t>(page: &'t str, heading: &str) -> &'t str {
    let rest = page.split_once(&format!("\n## {heading}\n")).unwrap().1;
    rest.split("\n## ").next().unwrap()
}

#[test]
fn every_table_has_something_that_bounds_it() {
    let tables = tables(SCHEMA);
    assert!(tables.len() > 80 && tables.contains(&"messages"), "{tables:?}");
    assert_eq!(faults(&tables, TABLES, chapter(PAGE, "Size")), Vec::<String>::new());
}

#[test]
fn a_table_that_is_only_half_there_is_found() {
    let bounds = [
        ("pigeons", AfterItsTime("presence/mod.rs")),
        ("eggs", With("pigeons")),
        ("nests", With("eggs")),
        ("letters", ForGood),
        ("gone", ByHand),
    ];
    let found = faults(&["pigeons", "eggs", "nests", "letters", "lofts"], &bounds, "");
    let named: Vec<&str> = found.iter().filter_map(|fault| fault.split(':').next()).collect();
    assert_eq!(named, ["lofts", "gone", "letters", "nests", "pigeons"], "{found:?}");
}
