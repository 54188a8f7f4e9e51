//! API keys and their rate windows; members, invitations and sessions; the log of changes.

mod attempts;
mod audit;
mod credentials;
mod factors;
mod invitations;
mod keys;
mod members;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod resets;
mod sessions;
mod sign_ups;

use std::sync::Arc;

use domain::access::{ApiKeyHash, ports::AuthenticatedKey};
use time::OffsetDateTime;

use crate::{Database, coalescer::Coalescer};

/// A request with a key, and the start of the window that it counts into.
type KeyUse = (ApiKeyHash, OffsetDateTime);

/// Members, sessions and sign-in, API keys and the audit log.
#[derive(Clone)]
pub struct PgAccess {
    database: Database,
    /// Authentications by key, of all workspaces.
    authentications: Arc<Coalescer<(), KeyUse, Option<AuthenticatedKey>>>,
}

impl PgAccess {
    pub(crate) fn over(database: Database) -> Self {
        let authentications = Coalescer::new(database.runtime.clone());
        Self { database, authentications }
    }
}
