//! Signing in, and the links that lead to the dashboard.

pub(super) mod forgotten;
pub(super) mod invitation;
mod link;
pub(super) mod reset;
pub(super) mod sign_in;
