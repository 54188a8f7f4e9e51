//! Whether a test has looked at the plan of each statement that tests have run.
//!
//! The store's own tests explain on seeded data, small workspaces among large ones. Statements that they
//! leave out are listed here, with the reason why the plan needs no look.

use std::collections::BTreeSet;

use super::{
    collapsed,
    exceptions::Exception,
    tables::Tables,
    tokens::{self, Token},
};

pub(super) const EXCEPTIONS: &[Exception] = &[
    (
        "is found by its whole key, or by a unique index",
        &[
            r#"SELECT "channels"."kind", "channels"."network_id","#,
            r#"SELECT "contacts"."id", "contacts"."name", "contacts"."phone", "contacts"."source", "contacts"."created_at", "contacts"."avatar_url", "conversations"."id", "conversations"."contact_id", "conversations"."channel_id", "conversations"."channel", "conversations"."status", "conversations"."assigned_to", "conversations"."group_id", "conversations"."announced", "conversations"."version", "conversations"."stamped_at", "conversations"."last_message_at", "conversations"."created_at", (SELECT "groups"."name" FROM "groups" WHERE (("groups"."workspace_id" = $) AND ("groups"."id" = "conversations"."group_id")) LIMIT $) FROM ("contacts" LEFT OUTER JOIN "conversations" ON (("conversations"."workspace_id" = $) AND ("conversations"."contact_id" = "contacts"."id"))) WHERE (("contacts"."workspace_id" = $) AND ("contacts"."id""#,
            r#"SELECT "members"."role" FROM "members" WHERE"#,
            r#"SELECT "workspaces"."marks_read" FROM "workspaces" WHERE"#,
            r#"SELECT EXISTS (SELECT "contacts"."id" FROM "contacts" WHERE ((("contacts"."workspace_id" = $) AND ("contacts"."active_month" = $)) AND ("contacts"."id""#,
            r#"UPDATE "conversations" SET "status" = $, "assigned_to" = $, "group_id" = $, "announced" = $, "version" = $, "moved_at" = $, "stamped_at" = $"#,
            r#"UPDATE "drafts" SET "state" = $, "proposal_sealed" = $, "answer_due_at" = $, "answer_by" = $ WHERE (((("drafts"."workspace_id" = $) AND ("drafts"."id" = $)) AND ("drafts"."answer_due_at""#,
            r#"UPDATE "idempotency_keys" SET "request_hash" = $, "send_id""#,
            r#"UPDATE "members" SET "name" = $, "password_hash" = $,"#,
            r#"UPDATE "webhook_addresses" SET "url" = "webhook_addresses"."url", "events" = $"#,
            r#"UPDATE "webhook_addresses" SET "url" = "webhook_addresses"."url", "standard_headers""#,
            r#"UPDATE "workspaces" SET "marks_read" = $ WHERE"#,
            r#"UPDATE "workspaces" SET "name" = $ WHERE"#,
        ],
    ),
    (
        "reads what a workspace has a few of",
        &[
            r#"SELECT "channels"."account_id", "channels"."id","#,
            r#"SELECT "channels"."account_id", "channels"."phone" FROM"#,
        ],
    ),
    (
        "has one condition more, or less, than one that is looked at",
        &[
            r#"SELECT "delivery_log"."id", "delivery_log"."address_id", "delivery_log"."event", "delivery_log"."undelivered", "delivery_log"."created_at", (SELECT "delivery_queue"."due_at" FROM "delivery_queue" WHERE (("delivery_queue"."workspace_id" = $) AND ("delivery_queue"."delivery_id" = "delivery_log"."id")) LIMIT $), (SELECT COUNT(*) FROM "delivery_attempts" WHERE ((("delivery_attempts"."workspace_id" = $) AND ("delivery_attempts"."delivery_id" = "delivery_log"."id")) AND ("delivery_attempts"."created_at" = "delivery_log"."created_at")) LIMIT $) FROM "delivery_log" WHERE ((((((((("delivery_log"."workspace_id" = $) AND ("delivery_log"."address_id" = $)) AND ("delivery_log"."created_at" >= $)) AND ("delivery_log"."created_at" < $)) AND ("delivery_log"."created_at" <= $)) AND (("delivery_log"."created_at" < $) OR ("delivery_log"."id" < $))) AND ("delivery_log"."undelivered" IS NOT"#,
            r#"SELECT "delivery_log"."id", "delivery_log"."address_id", "delivery_log"."event", "delivery_log"."undelivered", "delivery_log"."created_at", (SELECT "delivery_queue"."due_at" FROM "delivery_queue" WHERE (("delivery_queue"."workspace_id" = $) AND ("delivery_queue"."delivery_id" = "delivery_log"."id")) LIMIT $), (SELECT COUNT(*) FROM "delivery_attempts" WHERE ((("delivery_attempts"."workspace_id" = $) AND ("delivery_attempts"."delivery_id" = "delivery_log"."id")) AND ("delivery_attempts"."created_at" = "delivery_log"."created_at")) LIMIT $) FROM "delivery_log" WHERE ((((((((("delivery_log"."workspace_id" = $) AND ("delivery_log"."address_id" = $)) AND ("delivery_log"."created_at" >= $)) AND ("delivery_log"."created_at" < $)) AND ("delivery_log"."created_at" <= $)) AND (("delivery_log"."created_at" < $) OR ("delivery_log"."id" < $))) AND ("delivery_log"."undelivered" IS NULL))"#,
            r#"SELECT "system_calls"."id", "system_calls"."route", "system_calls"."result", "system_calls"."status", "system_calls"."duration_ms", "system_calls"."bytes", "system_calls"."unusable", "system_calls"."message_sealed", "system_calls"."created_at" FROM "system_calls" WHERE (("system_calls"."workspace_id" = $) AND ("system_calls"."result""#,
            r#"SELECT "system_calls"."id", "system_calls"."route", "system_calls"."result", "system_calls"."status", "system_calls"."duration_ms", "system_calls"."bytes", "system_calls"."unusable", "system_calls"."message_sealed", "system_calls"."created_at" FROM "system_calls" WHERE (("system_calls"."workspace_id" = $) AND ("system_calls"."route""#,
            r#"SELECT "templates"."account_id", "templates"."network_id", "templates"."name", "templates"."language", "templates"."category", "templates"."status", "templates"."rejection_reason", "templates"."content", "templates"."send_ttl_seconds", "templates"."validity_problem", "templates"."labels", "accounts"."network_id" FROM ("templates" INNER JOIN "accounts" ON (("accounts"."workspace_id" = $) AND ("accounts"."id" = "templates"."account_id"))) WHERE (("templates"."workspace_id" = $) AND ("templates"."category""#,
            r#"SELECT "templates"."account_id", "templates"."network_id", "templates"."name", "templates"."language", "templates"."category", "templates"."status", "templates"."rejection_reason", "templates"."content", "templates"."send_ttl_seconds", "templates"."validity_problem", "templates"."labels", "accounts"."network_id" FROM ("templates" INNER JOIN "accounts" ON (("accounts"."workspace_id" = $) AND ("accounts"."id" = "templates"."account_id"))) WHERE (("templates"."workspace_id" = $) AND ("templates"."status""#,
        ],
    ),
    (
        "is about a list of keys, within the first and the last of them",
        &[r#"UPDATE "delivery_queue" SET "due_at" = $ WHERE"#],
    ),
    (
        "goes through all rows by their keys, at a start or when keys are changed",
        &[
            r#"SELECT "accounts"."workspace_id", "accounts"."id", "accounts"."token_sealed""#,
            r#"SELECT "members"."workspace_id", "members"."id", "members"."totp_sealed""#,
            r#"SELECT "sends"."workspace_id", "sends"."id","#,
            r#"SELECT "webhook_addresses"."workspace_id","#,
            r#"SELECT ((EXISTS (SELECT "recovery_codes"."code_hash" FROM"#,
        ],
    ),
    (
        "is about what belongs to no day, where there is hardly anything",
        &[
            r#"DELETE FROM "delivery_attempts" WHERE ((("delivery_attempts"."workspace_id""#,
            r#"DELETE FROM "delivery_log" WHERE ((("delivery_log"."workspace_id""#,
            r#"SELECT EXISTS (SELECT "delivery_attempts"."delivery_id""#,
            r#"SELECT EXISTS (SELECT "delivery_log"."id" FROM"#,
        ],
    ),
    ("counts the whole queue, for a gauge", &[r#"SELECT COUNT(*) FROM "delivery_queue""#]),
    (
        "asks all workspaces by an index of what is due",
        &[
            r#"SELECT "accounts"."workspace_id", "accounts"."id" FROM "accounts" WHERE ("accounts"."page_due_at""#,
        ],
    ),
    (
        "writes what it is given; a column of it is called as a table is",
        &[r#"INSERT INTO "contacts" (workspace_id, id, name, phone, source, created_at, avatar_url,"#],
    ),
];

/// Lists the statements over rows of workspaces that were run, never explained, and are not excepted, a line
/// for each.
pub(super) fn faults(
    executed: &[String],
    explained: &[String],
    tables: &Tables,
    exceptions: &[Exception],
) -> Vec<String> {
    let explained: BTreeSet<String> = explained.iter().map(|text| unnumbered(text)).collect();
    let mut told = BTreeSet::new();
    for text in executed.iter().filter(|text| super::is_judged(text)) {
        let named = named(&tokens::read(text), tables);
        let text = unnumbered(text);
        let needs_a_look = !named.is_empty() && !writes_what_it_is_given(&text, &named);
        if needs_a_look && !explained.contains(&text) && super::excepted(&text, exceptions).is_none() {
            told.insert(format!("{}: no test looks at its plan", super::beginning(&text)));
        }
    }
    told.into_iter().collect()
}

/// Returns the tables of workspaces that a statement names.
fn named(tokens: &[Token], tables: &Tables) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for token in tokens {
        match token {
            Token::Group(within) => found.extend(named(within, tables)),
            token => {
                found.extend(token.name().filter(|name| tables.is_of_workspaces(name)).map(str::to_owned));
            }
        }
    }
    found
}

/// Returns whether a statement inserts its own values into one table, and reads no other but that of the
/// workspace itself.
fn writes_what_it_is_given(text: &str, named: &BTreeSet<String>) -> bool {
    text.starts_with("INSERT INTO ") && named.iter().filter(|name| *name != "workspaces").count() <= 1
}

/// Collapses white space and removes the numbers of the parameters: an explained statement may have them in
/// another order.
fn unnumbered(text: &str) -> String {
    let mut parts = collapsed(text).split('$').map(str::to_owned).collect::<Vec<_>>();
    for part in parts.iter_mut().skip(1) {
        *part = part.trim_start_matches(|letter: char| letter.is_ascii_digit()).to_owned();
    }
    parts.join("$")
}

#[cfg(test)]
mod tests {
    use super::{Exception, faults, unnumbered};
    use crate::statements::tables::Tables;

    const BY_KEY: &[Exception] = &[("is found by its whole key", &["UPDATE contacts SET name = $ WHERE"])];

    fn of(executed: &[&str], explained: &[&str]) -> Vec<String> {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let tables = Tables::named(&["workspaces", "contacts", "sends"]);
        faults(&owned(executed), &owned(explained), &tables, BY_KEY)
    }

    #[test]
    fn what_is_explained_excepted_or_given_is_without_fault() {
        let executed = [
            "SELECT id FROM contacts WHERE workspace_id = $2 AND phone = $1",
            "INSERT INTO contacts (id) SELECT new.id FROM workspaces owner, unnest($1) AS new (id)",
            "UPDATE contacts SET name = $1 WHERE workspace_id = $2 AND id = $3",
            "SELECT 1",
        ];
        let explained = ["SELECT id FROM contacts\n WHERE workspace_id = $1 AND phone = $2"];
        assert_eq!(of(&executed, &explained), Vec::<String>::new());
    }

    #[test]
    fn what_nobody_explains_is_told() {
        let executed = [
            "SELECT id FROM sends",
            "INSERT INTO sends (id) SELECT id FROM contacts WHERE workspace_id = $1",
        ];
        let told = of(&executed, &[]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|line| line.ends_with("no test looks at its plan")), "{told:?}");
        assert_eq!(of(&executed, &executed), Vec::<String>::new());
    }

    #[test]
    fn numbers_of_values_do_not_count() {
        assert_eq!(unnumbered("a = $12 AND\n  b = $1"), "a = $ AND b = $");
        assert_eq!(unnumbered("$1"), "$");
        assert_eq!(unnumbered("no value"), "no value");
    }
}
