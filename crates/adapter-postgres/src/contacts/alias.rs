//! Ids of contacts that were merged into another.

use diesel::{ExpressionMethods, NullableExpressionMethods, QueryDsl};
use domain::ids::{ContactId, WorkspaceId};

use crate::{schema::contact_aliases, sql::coalesce_id};

/// Resolves an id to the contact that it stands for now: itself, or the one it was merged into.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn current_contact(workspace: WorkspaceId, id: ContactId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let id: uuid::Uuid = id.uuid();
    let now: diesel::dsl::Nullable<contact_aliases::contact_id> = contact_aliases::contact_id.nullable();
    coalesce_id(
        contact_aliases::table
            .filter(contact_aliases::workspace_id.eq(workspace))
            .filter(contact_aliases::id.eq(id))
            .select(now)
            .single_value(),
        id,
    )
}
