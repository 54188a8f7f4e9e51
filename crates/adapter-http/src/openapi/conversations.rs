//! What the API and the events both say of a conversation.
#![expect(dead_code, reason = "the domain has the types; these only describe them")]

use utoipa::ToSchema;

use super::values::Id;

/// The network that a conversation is on.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum Channel {
    Whatsapp,
    Messenger,
    Instagram,
}

/// `bot`: the assistant answers. `open`: a person holds it, or it waits for one. `closed`: finished.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum Status {
    Bot,
    Open,
    Closed,
}

/// The team inside the workspace that a conversation was sent to.
#[derive(ToSchema)]
pub(crate) struct Group {
    id: Id,
    name: String,
}
