//! Ids of threads that have become one with another.

/// The thread that an id in a placeholder of the statement names by now. The statement's first value is the
/// workspace.
macro_rules! thread_now {
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
pub(crate) use thread_now;
