//! Who may do what: API keys with their scopes and rates, members with their roles and sessions, and the log
//! of what members changed.

mod alert_mail;
mod authenticate;
mod describe;
mod issue;
mod key;
pub mod members;
pub mod ports;
pub mod resets;
mod scope;
pub mod sessions;
mod tell_owners;
mod window;

pub use alert_mail::AlertMail;
pub use authenticate::{Admission, Authenticate};
pub use describe::{DescribeKey, KeyInfo};
pub use issue::{IssueKey, IssueKeyError, IssuedKey, ListKeys, RevokeKey};
pub use key::{ApiKeyHash, ApiKeySecret, ListedKey};
pub use scope::{Scope, UnknownScope};
pub use tell_owners::{TellOutcome, TellOwners};
pub use window::{RATE_LIMIT, RateWindow, WINDOW};

use crate::ids::{ApiKeyId, MemberId, WorkspaceId};

/// Key of a workspace, as the caller of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub workspace: WorkspaceId,
    pub key: ApiKeyId,
    pub creator: MemberId,
    pub scopes: Vec<Scope>,
}

impl Caller {
    /// Returns whether the key has `scope`.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}
