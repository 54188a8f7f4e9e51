//! The API's document (OpenAPI 3.1), made from the wire types and handlers, and the page that shows it.
//!
//! A noun's folder describes its own routes: `#[utoipa::path]` on the handler, `ToSchema` on bodies. What the
//! domain serialises itself is described in `schema`. Tests compare both with the actual answers.

mod answers;
mod events;
pub(crate) mod page;
mod parameters;
mod public;
mod samples;
mod text;
mod webhooks;

pub(crate) use parameters::known_parameters;
pub(crate) use public::document;
pub use public::openapi;

#[cfg(test)]
pub(crate) mod tests;
