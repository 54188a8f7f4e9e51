//! Parts of a contact that the API has in words of its own.
#![expect(dead_code, reason = "the domain has the types; these only describe them")]

use utoipa::ToSchema;

/// `messaged`: they wrote in. `import`: the team added them.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum Source {
    Messaged,
    Import,
}
