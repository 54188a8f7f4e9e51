//! Signing in, links from mails, and the members' access.

pub(super) mod forgotten;
pub(super) mod groups;
pub(super) mod invitation;
pub(super) mod invitations;
pub(super) mod keys;
mod link;
pub(super) mod profile;
pub(super) mod reset;
pub(super) mod sign_in;
pub(super) mod team;
