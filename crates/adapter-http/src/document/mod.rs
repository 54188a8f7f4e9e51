//! The APIs' documents (OpenAPI 3.1), made from the wire types and handlers, and the page that shows one.
//!
//! A noun's folder describes its own routes: `#[utoipa::path]` on the handler, `ToSchema` on bodies. What the
//! domain serialises itself is described in `schema`. Tests compare both with the actual answers.

mod answers;
mod dashboard;
mod events;
pub(crate) mod page;
mod parameters;
mod public;
mod samples;
mod text;
mod webhooks;

pub(crate) use dashboard::dashboard_document;
pub use dashboard::dashboard_openapi;
pub(crate) use parameters::known_parameters;
pub(crate) use public::document;
pub use public::openapi;

#[cfg(test)]
pub(crate) mod tests;
