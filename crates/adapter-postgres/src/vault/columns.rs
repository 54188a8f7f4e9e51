//! The columns of workspaces' tables that hold sealed values, with their statements.
//!
//! What is copied comes before what it is copied to, so that one walk meets it.

use domain::{ids::WorkspaceId, vault::SealContext};
use uuid::Uuid;

use super::places;

/// What follows, or what stands for it where nothing does.
macro_rules! or {
    ($instead:literal) => {
        $instead
    };
    ($instead:literal $given:ident) => {
        stringify!($given)
    };
}

/// A column by its table, what a row's id is called, where one id has several rows also their numbers, and where the
/// table is parted by days what tells the day; last, the place of a value.
macro_rules! column {
    ($table:ident.$value:ident by $id:ident $(and $part:ident)? $(on $at:ident)?, $place:expr) => {
        Column {
            name: concat!(stringify!($table), ".", stringify!($value)),
            read: concat!(
                "SELECT ", stringify!($id), " AS id, ", or!("0" $($part)?), " AS part, ",
                or!("NULL::timestamptz" $($at)?), " AS at, CASE WHEN ", stringify!($value), " <> '' AND substr(",
                stringify!($value), ", 1, octet_length($4)) <> $4 THEN CASE WHEN $5 THEN ", stringify!($value),
                " ELSE '' END END AS value FROM ", stringify!($table), " WHERE workspace_id = $1 AND ",
                stringify!($id), " > $2 ORDER BY ", stringify!($id), " FETCH FIRST $3 ROWS WITH TIES"
            ),
            reseal: concat!(
                "WITH held AS (
                     SELECT fresh.* FROM unnest($2, $3, $4, $5) AS fresh (id, was, value, at)
                     JOIN ", stringify!($table), " kept ON kept.workspace_id = $1 AND kept.", stringify!($id),
                " = fresh.id AND kept.", stringify!($value), " = fresh.was",
                $(" AND kept.", stringify!($at), " = fresh.at",)?
                " FOR NO KEY UPDATE OF kept SKIP LOCKED
                 )
                 UPDATE ", stringify!($table), " kept SET ", stringify!($value), " = held.value FROM held
                 WHERE kept.workspace_id = $1 AND kept.", stringify!($id), " = held.id AND kept.",
                stringify!($value), " = held.was", $(" AND kept.", stringify!($at), " = held.at",)?
            ),
            place: $place,
        }
    };
}

/// A column of sealed values.
pub(super) struct Column {
    /// Its name, with its table's.
    pub(super) name: &'static str,
    /// The rows of a workspace behind an id, in the order of their ids and all of the last one's. Of a row whose value
    /// begins otherwise than `$4`, and is not empty, also the value, or of it only that it is there.
    pub(super) read: &'static str,
    /// Replaces values that are still what was read. A row that somebody holds is left out: waiting for it could make
    /// somebody else wait, or end in a deadlock. Of a table that is parted by days the time leads to the day.
    pub(super) reseal: &'static str,
    /// Where a value is kept, by the workspace, the row's id and its part.
    pub(super) place: fn(WorkspaceId, Uuid, i32) -> SealContext,
}

pub(super) const COLUMNS: [Column; 9] = [
    column!(accounts.token_sealed by id, |of, id, _| places::token(of, id.into())),
    column!(members.totp_sealed by id, |of, id, _| places::totp(of, id.into())),
    column!(webhook_addresses.secret_sealed by id, |of, id, _| places::secret(of, id.into())),
    column!(webhook_addresses.previous_secret_sealed by id, |of, id, _| places::previous_secret(of, id.into())),
    column!(
        attachments.source_sealed by message_id and position,
        |of, id, position| places::file_source(of, id.into(), position)
    ),
    column!(sends.network_id_sealed by id, |of, id, _| places::network_id(of, id.into())),
    column!(delivery_log.body_sealed by id on created_at, |of, id, _| places::delivery_body(of, id.into())),
    column!(
        delivery_attempts.answer_sealed by delivery_id and attempt on created_at,
        |of, id, attempt| places::answer(of, id.into(), attempt)
    ),
    column!(journal.item_sealed by id, |of, id, _| places::journal_item(of, id.into())),
];
