//! Ids of conversations that have become one with another.

/// The conversation that an id in a placeholder of the statement names by now. The statement's first value is the
/// workspace.
macro_rules! conversation_now {
    ($id:literal) => {
        concat!(
            "coalesce((SELECT conversation_id FROM conversation_aliases WHERE workspace_id = $1 AND id = ",
            $id,
            "), ",
            $id,
            ")"
        )
    };
}
pub(crate) use conversation_now;
