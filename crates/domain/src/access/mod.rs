//! API keys: what they open, how often, and how they are made.

mod authenticate;
mod describe;
mod issue;
mod key;
pub mod ports;
mod scope;
mod window;

pub use authenticate::{Admission, Authenticate};
pub use describe::{DescribeKey, KeyInfo};
pub use issue::{IssueKey, IssueKeyError, IssuedKey, RevokeKey};
pub(crate) use key::hex;
pub use key::{ApiKeyHash, ApiKeySecret};
pub use scope::{Scope, UnknownScope};
pub use window::{RATE_LIMIT, RateWindow, WINDOW};

use crate::ids::{ApiKeyId, MemberId, WorkspaceId};

/// Who is calling: a key of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The workspace that the key names.
    pub workspace: WorkspaceId,
    /// The key.
    pub key: ApiKeyId,
    /// Who made the key.
    pub creator: MemberId,
    /// What the key opens.
    pub scopes: Vec<Scope>,
}

impl Caller {
    /// Whether the key holds `scope`.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}
