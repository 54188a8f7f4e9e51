//! Parts of the API's document that handlers name in their descriptions: plain values, what the domain
//! serialises itself, and errors.

pub(crate) mod contacts;
pub(crate) mod conversations;
pub(crate) mod messages;
pub(crate) mod operations;
pub(crate) mod problems;
pub(crate) mod values;
