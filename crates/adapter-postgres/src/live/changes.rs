//! Writing down that something changed, in the statement that changes it.

/// A common table expression of that name, which writes one row for all that the statement changes. `$rows` are
/// `conversation_id` and `message_id` of what has changed; they must come out of the change itself, so that of two
/// changes of one row the later one has the higher id. The statement's first value is the workspace.
macro_rules! live_change {
    ($name:literal, $kind:literal, $rows:literal) => {
        concat!(
            $name,
            " AS (
                INSERT INTO live_changes (workspace_id, kind, conversations, messages)
                SELECT $1, '",
            $kind,
            "', array_agg(conversation_id), array_agg(message_id) FROM (",
            $rows,
            ") change HAVING count(*) > 0)"
        )
    };
}
pub(crate) use live_change;
