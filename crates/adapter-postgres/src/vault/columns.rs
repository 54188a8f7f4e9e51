//! The columns of workspaces' tables that hold sealed values, with their statements.
//!
//! What is copied comes before what it is copied to, so that one walk meets it.

use uuid::Uuid;

use crate::{
    access::totp_context,
    attachments::source_context,
    channels::token_context,
    inbound::item_context,
    sending::network_id_context,
    webhooks::{answer_context, body_context, secret_context},
};

/// The rows of a workspace behind an id, in the order of their ids and all of the last one's. Of a row whose value
/// begins otherwise than `$4`, and is not empty, also the value, or of it only that it is there.
macro_rules! read {
    ($table:literal, $id:literal, $value:literal) => {
        read!($table, $id, "0", "NULL::timestamptz", $value)
    };
    ($table:literal, $id:literal, $part:literal, $at:literal, $value:literal) => {
        concat!(
            "SELECT ",
            $id,
            " AS id, ",
            $part,
            " AS part, ",
            $at,
            " AS at, CASE WHEN ",
            $value,
            " <> '' AND substr(",
            $value,
            ", 1, octet_length($4)) <> $4 THEN CASE WHEN $5 THEN ",
            $value,
            " ELSE '' END END AS value FROM ",
            $table,
            " WHERE workspace_id = $1 AND ",
            $id,
            " > $2 ORDER BY ",
            $id,
            " FETCH FIRST $3 ROWS WITH TIES"
        )
    };
}

/// Replaces values that are still what was read. A row that somebody holds is left out: waiting for it could make
/// somebody else wait, or end in a deadlock. Of a table that is parted by days `$at` leads to the day.
macro_rules! reseal {
    ($table:literal, $id:literal, $value:literal $(, $at:literal)?) => {
        concat!(
            "WITH held AS (
                 SELECT fresh.* FROM unnest($2, $3, $4, $5) AS fresh (id, was, value, at)
                 JOIN ", $table, " kept ON kept.workspace_id = $1 AND kept.", $id, " = fresh.id
                  AND kept.", $value, " = fresh.was", $(" AND kept.", $at, " = fresh.at",)?
                " FOR NO KEY UPDATE OF kept SKIP LOCKED
             )
             UPDATE ", $table, " kept SET ", $value, " = held.value FROM held
             WHERE kept.workspace_id = $1 AND kept.", $id, " = held.id AND kept.", $value, " = held.was",
             $(" AND kept.", $at, " = held.at",)?
        )
    };
}

pub(super) const READ_TOKENS: &str = read!("accounts", "id", "token_sealed");
pub(super) const RESEAL_TOKENS: &str = reseal!("accounts", "id", "token_sealed");
pub(super) const READ_FACTORS: &str = read!("members", "id", "totp_sealed");
pub(super) const RESEAL_FACTORS: &str = reseal!("members", "id", "totp_sealed");
pub(super) const READ_SECRETS: &str = read!("webhook_addresses", "id", "secret_sealed");
pub(super) const RESEAL_SECRETS: &str = reseal!("webhook_addresses", "id", "secret_sealed");
pub(super) const READ_PREVIOUS_SECRETS: &str = read!("webhook_addresses", "id", "previous_secret_sealed");
pub(super) const RESEAL_PREVIOUS_SECRETS: &str = reseal!("webhook_addresses", "id", "previous_secret_sealed");
pub(super) const READ_SOURCES: &str =
    read!("attachments", "message_id", "position", "NULL::timestamptz", "source_sealed");
pub(super) const RESEAL_SOURCES: &str = reseal!("attachments", "message_id", "source_sealed");
pub(super) const READ_SENDS: &str = read!("sends", "id", "network_id_sealed");
pub(super) const RESEAL_SENDS: &str = reseal!("sends", "id", "network_id_sealed");
pub(super) const READ_BODIES: &str = read!("delivery_log", "id", "0", "created_at", "body_sealed");
pub(super) const RESEAL_BODIES: &str = reseal!("delivery_log", "id", "body_sealed", "created_at");
pub(super) const READ_ANSWERS: &str =
    read!("delivery_attempts", "delivery_id", "attempt", "created_at", "answer_sealed");
pub(super) const RESEAL_ANSWERS: &str =
    reseal!("delivery_attempts", "delivery_id", "answer_sealed", "created_at");
pub(super) const READ_JOURNAL: &str = read!("journal", "id", "item_sealed");
pub(super) const RESEAL_JOURNAL: &str = reseal!("journal", "id", "item_sealed");

/// A column of sealed values.
pub(super) struct Column {
    /// Its name, with its table's.
    pub(super) name: &'static str,
    pub(super) read: &'static str,
    pub(super) reseal: &'static str,
    /// What a value is sealed for, by the row's id and its part.
    pub(super) context: fn(Uuid, i32) -> String,
}

pub(super) const COLUMNS: [Column; 9] = [
    Column {
        name: "accounts.token_sealed",
        read: READ_TOKENS,
        reseal: RESEAL_TOKENS,
        context: |id, _| token_context(id.into()),
    },
    Column {
        name: "members.totp_sealed",
        read: READ_FACTORS,
        reseal: RESEAL_FACTORS,
        context: |id, _| totp_context(id.into()),
    },
    Column {
        name: "webhook_addresses.secret_sealed",
        read: READ_SECRETS,
        reseal: RESEAL_SECRETS,
        context: |id, _| secret_context(id.into()),
    },
    Column {
        name: "webhook_addresses.previous_secret_sealed",
        read: READ_PREVIOUS_SECRETS,
        reseal: RESEAL_PREVIOUS_SECRETS,
        context: |id, _| secret_context(id.into()),
    },
    Column {
        name: "attachments.source_sealed",
        read: READ_SOURCES,
        reseal: RESEAL_SOURCES,
        context: |id, position| source_context(id.into(), position),
    },
    Column {
        name: "sends.network_id_sealed",
        read: READ_SENDS,
        reseal: RESEAL_SENDS,
        context: |id, _| network_id_context(id.into()),
    },
    Column {
        name: "delivery_log.body_sealed",
        read: READ_BODIES,
        reseal: RESEAL_BODIES,
        context: |id, _| body_context(id.into()),
    },
    Column {
        name: "delivery_attempts.answer_sealed",
        read: READ_ANSWERS,
        reseal: RESEAL_ANSWERS,
        context: |id, _| answer_context(id.into()),
    },
    Column {
        name: "journal.item_sealed",
        read: READ_JOURNAL,
        reseal: RESEAL_JOURNAL,
        context: |id, _| item_context(id.into()),
    },
];
