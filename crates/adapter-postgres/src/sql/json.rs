//! A `jsonb` column as a Rust type.

use diesel::{
    deserialize::{FromSql, FromSqlRow, Result},
    pg::{Pg, PgValue},
    sql_types::Jsonb,
};
use serde::de::DeserializeOwned;

const VERSION: u8 = 1;

/// The content of a `jsonb` column, deserialized without an intermediate tree.
#[derive(FromSqlRow)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromSql<Jsonb, Pg> for Json<T> {
    fn from_sql(value: PgValue<'_>) -> Result<Self> {
        match value.as_bytes() {
            [VERSION, text @ ..] => Ok(Self(serde_json::from_slice(text)?)),
            _ => Err("no jsonb of a version that is known".into()),
        }
    }
}
