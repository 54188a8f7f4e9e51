//! Ids of contacts that have become one with another.

/// The contact that an id in a placeholder of the statement names by now. The statement's first value is the
/// workspace.
macro_rules! contact_now {
    ($id:literal) => {
        concat!(
            "coalesce((SELECT contact_id FROM contact_aliases WHERE workspace_id = $1 AND id = ",
            $id,
            "), ",
            $id,
            ")"
        )
    };
}
pub(crate) use contact_now;
