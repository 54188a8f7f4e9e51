//! Columns of sealed values in workspaces' tables, with their statements.
//!
//! A column that is copied from precedes the one copied to, so that one walk meets every value.

use std::sync::LazyLock;

use domain::{ids::WorkspaceId, vault::SealContext};
use uuid::Uuid;

use crate::places;

/// Rows of a workspace after an id, in the order of ids, with all rows of the last id. A value is included if
/// it is not empty and does not begin with `:prefix`; unless `:whole`, an empty value stands for it.
pub(super) const READ: &str = "
    SELECT {id} AS id, {part} AS part, {at} AS at,
           CASE WHEN {value} <> '' AND substr({value}, 1, octet_length(:prefix)) <> :prefix
                THEN CASE WHEN :whole THEN {value} ELSE '' END END AS value
    FROM {table} WHERE workspace_id = :workspace AND {id} > :after
    ORDER BY {id} FETCH FIRST :rows ROWS WITH TIES";

/// Replaces values that have not changed since they were read. Skips locked rows: waiting for them could make
/// others wait, or end in a deadlock. In a table partitioned by days the time selects the partition.
pub(super) const RESEAL: &str = "
    WITH held AS (
        SELECT fresh.* FROM unnest(:ids, :before, :after, :times) AS fresh (id, was, value, at)
        JOIN {table} kept ON kept.workspace_id = :workspace AND kept.{id} = fresh.id
         AND kept.{value} = fresh.was AND {of_kept_day}
        FOR NO KEY UPDATE OF kept SKIP LOCKED
    )
    UPDATE {table} kept SET {value} = held.value FROM held
    WHERE kept.workspace_id = :workspace AND kept.{id} = held.id AND kept.{value} = held.was AND {of_held_day}";

pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) read: String,
    pub(super) reseal: String,
    pub(super) place: fn(WorkspaceId, Uuid, i32) -> SealContext,
}

/// Column names: a row's id; its number, if an id has several rows; its time, if partitioned by days.
#[derive(Clone, Copy)]
struct Keys {
    id: &'static str,
    part: Option<&'static str>,
    day: Option<&'static str>,
}

const ID: Keys = Keys { id: "id", part: None, day: None };

impl Column {
    fn new(name: &'static str, keys: Keys, place: fn(WorkspaceId, Uuid, i32) -> SealContext) -> Self {
        let (table, value) = name.split_once('.').unwrap_or((name, ""));
        let of_day = |row: &str, found: &str| match keys.day {
            Some(day) => format!("{row}.{day} = {found}.at"),
            None => "true".to_owned(),
        };
        let text = |template: &str| {
            template
                .replace("{table}", table)
                .replace("{value}", value)
                .replace("{id}", keys.id)
                .replace("{part}", keys.part.unwrap_or("0"))
                .replace("{at}", keys.day.unwrap_or("NULL::timestamptz"))
                .replace("{of_kept_day}", &of_day("kept", "fresh"))
                .replace("{of_held_day}", &of_day("kept", "held"))
        };
        Self { name, read: text(READ), reseal: text(RESEAL), place }
    }
}

pub(super) static COLUMNS: LazyLock<[Column; 16]> = LazyLock::new(|| {
    let of_message = Keys { id: "message_id", part: Some("position"), day: None };
    let of_conversation = Keys { id: "conversation_id", ..ID };
    let of_day = Keys { day: Some("created_at"), ..ID };
    let of_attempt = Keys { id: "delivery_id", part: Some("attempt"), ..of_day };
    [
        Column::new("accounts.token_sealed", ID, |of, id, _| places::token(of, id.into())),
        Column::new("members.totp_sealed", ID, |of, id, _| places::totp(of, id.into())),
        Column::new("webhook_addresses.secret_sealed", ID, |of, id, _| places::secret(of, id.into())),
        Column::new("webhook_addresses.previous_secret_sealed", ID, |of, id, _| {
            places::previous_secret(of, id.into())
        }),
        Column::new("systems.secret_sealed", ID, |of, id, _| places::system_secret(of, id.into())),
        Column::new("model_keys.key_sealed", ID, |of, id, _| places::model_key(of, id.into())),
        Column::new("system_calls.message_sealed", ID, |of, id, _| places::call_message(of, id.into())),
        Column::new("leads.push_sealed", ID, |of, id, _| places::lead_push(of, id.into())),
        Column::new("drafts.proposal_sealed", ID, |of, id, _| places::draft_proposal(of, id.into())),
        Column::new("prepared_replies.reply_sealed", ID, |of, id, _| places::prepared_reply(of, id.into())),
        Column::new("attachments.source_sealed", of_message, |of, id, position| {
            places::file_source(of, id.into(), position)
        }),
        Column::new("sends.network_id_sealed", ID, |of, id, _| places::network_id(of, id.into())),
        Column::new("unread_messages.network_id_sealed", of_conversation, |of, id, _| {
            places::unread_message(of, id.into())
        }),
        Column::new("delivery_log.body_sealed", of_day, |of, id, _| places::delivery_body(of, id.into())),
        Column::new("delivery_attempts.answer_sealed", of_attempt, |of, id, attempt| {
            places::answer(of, id.into(), attempt)
        }),
        Column::new("journal.item_sealed", ID, |of, id, _| places::journal_item(of, id.into())),
    ]
});
