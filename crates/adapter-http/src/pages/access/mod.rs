//! Signing in, the links that lead to the dashboard, and who may do what in it.

pub(super) mod forgotten;
pub(super) mod invitation;
pub(super) mod keys;
mod link;
pub(super) mod profile;
pub(super) mod reset;
pub(super) mod sign_in;
pub(super) mod team;
