//! API keys and their rate windows; members, invitations and sessions; the log of changes.

mod attempts;
mod audit;
mod credentials;
mod invitations;
mod keys;
mod members;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod resets;
mod sessions;
mod sign_ups;

pub(crate) use audit::{audit, commit_audited, still_owner};
pub(crate) use keys::KeyUse;

use crate::Database;

/// Members, sessions and sign-in, API keys and the audit log.
#[derive(Clone)]
pub struct PgAccess {
    pub(crate) database: Database,
}
