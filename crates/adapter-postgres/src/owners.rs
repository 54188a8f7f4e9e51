//! Which workspaces have something to do.

use diesel::{QueryableByName, sql_types::Uuid};

#[derive(QueryableByName)]
pub(crate) struct Owner {
    #[diesel(sql_type = Uuid)]
    pub(crate) workspace_id: uuid::Uuid,
}
