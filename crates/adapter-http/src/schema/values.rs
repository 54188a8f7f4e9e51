//! Plain values used throughout the API. Only described here: the domain has the types.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{KnownFormat, ObjectBuilder, RefOr, Schema, SchemaFormat, Type},
};

/// A UUID.
pub(crate) struct Id;

/// A phone number.
pub(crate) struct Phone;

/// A time.
pub(crate) struct Timestamp;

impl ToSchema for Id {}

impl PartialSchema for Id {
    fn schema() -> RefOr<Schema> {
        text("A UUID.", "0192f0c1-7a00-7000-8000-000000000001")
            .format(Some(SchemaFormat::Custom("uuid".to_owned())))
            .into()
    }
}

impl ToSchema for Phone {}

impl PartialSchema for Phone {
    fn schema() -> RefOr<Schema> {
        text("A phone number in E.164 form.", "+9647701234567").pattern(Some(r"^\+[1-9][0-9]{4,14}$")).into()
    }
}

impl ToSchema for Timestamp {}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        text("A time in UTC: ISO 8601 with milliseconds.", "2026-11-21T10:00:45.000Z")
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .pattern(Some(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"))
            .into()
    }
}

fn text(description: &str, example: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .examples([serde_json::Value::from(example)])
}
