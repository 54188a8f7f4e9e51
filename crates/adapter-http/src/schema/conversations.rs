//! Parts of a conversation that the API and the events share.
#![expect(dead_code, reason = "the domain has the types; these only describe them")]

use domain::channels::ChannelKind;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

use super::values::Id;

/// A network by its name.
pub(crate) struct Channel;

impl PartialSchema for Channel {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("The network that a conversation is on."))
            .enum_values(Some(ChannelKind::ALL.map(ChannelKind::as_str)))
            .into()
    }
}

impl ToSchema for Channel {}

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
